#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Claim: walking both stacks of a sample takes less than 1.5 times the BPF time of the kernel's own walkers (kstack and ustack, which knows
# frame pointers only). skep's figure is from --receipt, bpftrace's from kernel.bpf_stats_enabled.
. "$(dirname "$0")/lib.sh"
SECONDS_EACH=3
cpus=$(nproc)
command -v bpftrace bpftool jq >/dev/null || { echo "  no bpftrace, bpftool or jq here"; exit 0; }

# inside NAME COMMAND...: ns of BPF a sample, appended to NAME's file
inside() {
	local name=$1 pid ns
	shift
	if [ "$1" = bpftrace ]; then
		"$@" >/dev/null 2>&1 &
		pid=$!
		sleep $SECONDS_EACH
		ns=$(bpftool -j prog show | jq '.[] | select(.type == "perf_event" and .run_cnt > 0) | .run_time_ns / .run_cnt | floor')
		kill -INT $pid
		wait $pid
	else
		ns=$("$@" 2>&1 | sed -n 's/^cost: BPF .*(\([0-9]*\) ns each).*/\1/p')
	fi
	[[ $ns =~ ^[1-9][0-9]*$ ]] || fail "$name: no cost"
	echo "$ns" >>"$TMP/inside.$name"
}

# insides LOAD HZ: each of them once
insides() {
	local load=$1 hz=$2
	inside "$load.skep" "$SKEP" flame -a -F "$hz" --receipt -o "$TMP/s.html" -- sleep $SECONDS_EACH
	inside "$load.empty" bpftrace -e "profile:hz:$hz { @n = count(); }"
	inside "$load.kstack" bpftrace -e "profile:hz:$hz { @[kstack] = count(); }"
	inside "$load.ustack" bpftrace -e "profile:hz:$hz { @[ustack] = count(); }"
}

stats=$(sysctl -n kernel.bpf_stats_enabled) || fail "cannot read kernel.bpf_stats_enabled"
at_end() { sysctl -qw kernel.bpf_stats_enabled="$stats"; }
sysctl -qw kernel.bpf_stats_enabled=1
for ((r = 0; r < 3; r++)); do
	for ((i = 0; i < cpus; i++)); do "$WORK/shares" $((4 * SECONDS_EACH + 6)) >/dev/null & done
	insides busy 999
	wait
	churn $((4 * SECONDS_EACH + 6)) &
	rate=$!
	insides churn 99
	wait $rate || fail "no processes beside churn"
done
for load in busy churn; do
	ns() { median "$TMP/inside.$load.$1"; }
	[ $load = busy ] && what="BPF time a sample at 999 Hz, busy CPUs" || what="the same at 99 Hz beside $CHURN short processes a second"
	echo "$what; bpftrace: a count $(ns empty), kernel stacks $(ns kstack), user stacks $(ns ustack)"
	both=$(($(ns kstack) + $(ns ustack) - $(ns empty)))
	compare "BPF time" ns "skep flame" "$(ns skep)" "kstack and ustack" "$both"
	row "$what" ns '`flame -a`' "$(ns skep)" "bpftrace: \`kstack\` and \`ustack\`, which knows frame pointers only," "$both"
done
