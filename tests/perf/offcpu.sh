#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Claim: time off the CPUs by kernel and user stack adds at most a third of what the cheapest of its peers adds for the same answer: an
# exact sum of ns by both stacks, by frame pointers as theirs. The load: two processes on one CPU that wake each other by a pipe.
. "$(dirname "$0")/lib.sh"
N=${N:-100000}
LOAD=("$(command -v taskset)" -c 0 perf bench -f simple sched pipe -l "$N")

# rate NAME COMMAND...: ns of one round of the load, appended to NAME's file: two switches and two wake-ups
rate() {
	local name=$1
	shift
	"$@" 2>/dev/null | awk '/^ *[0-9.]+$/ { print $1 * 1e9 / '"$N"' ; ok = 1 } END { exit !ok }' >>"$TMP/rate.$name" || fail "$name: no rate"
}

# beside NAME COMMAND...: the load while a tool that runs no command is there; only if it is
beside() {
	local name=$1 tool
	shift
	command -v "$1" >/dev/null || return 0
	"$@" >"$TMP/$name.out" 2>"$TMP/$name.err" &
	tool=$!
	sleep 3 # until it is attached: some compile first
	if ! kill -0 "$tool" 2>/dev/null; then
		echo "  no $name here: $(tail -1 "$TMP/$name.err" | cut -c1-120)"
		touch "$TMP/no.$name"
		return 0
	fi
	rate "$name" "${LOAD[@]}"
	kill -INT "$tool" 2>/dev/null
	for _ in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$tool" 2>/dev/null || break; sleep 0.5; done
	kill "$tool" 2>/dev/null
}

# The same sums, by both stacks, of bpftrace
SUMS='tracepoint:sched:sched_switch { @k[tid] = kstack; @u[tid] = ustack; @t[tid] = nsecs;
	$t = @t[args->next_pid]; if ($t) { @off[@k[args->next_pid], @u[args->next_pid], args->next_comm] = sum(nsecs - $t); delete(@t[args->next_pid]); } }'
# bpftrace keeps stack ids beside the thread; where it cannot, the stack of who leaves stands for it
SIMPLE='tracepoint:sched:sched_switch { @t[tid] = nsecs; @s[kstack, ustack, comm] = sum(nsecs - @t[args->next_pid]); }'

echo "a round of two switches and two wake-ups: ns, $N of them, in turn"
for ((i = 0; i < RUNS; i++)); do
	rate bare "${LOAD[@]}"
	rate floor build/perf/floor -s "${LOAD[@]}"
	rate skep-fp "$SKEP" flame --off-cpu --call-graph fp -o "$TMP/o.folded" -- "${LOAD[@]}"
	rate skep-eh "$SKEP" flame --off-cpu --call-graph eh -o "$TMP/o.folded" -- "${LOAD[@]}"
	rate skep-a "$SKEP" flame --off-cpu --call-graph fp -a -o "$TMP/o.folded" -- "${LOAD[@]}"
	rate skep-user "$SKEP" flame --off-cpu --no-kernel -o "$TMP/o.folded" -- "${LOAD[@]}"
	rate skep-wakers "$SKEP" flame --off-cpu --wakers -o "$TMP/o.folded" -- "${LOAD[@]}"
	rate skep-record "$SKEP" record --off-cpu -o "$TMP/o.data" -- "${LOAD[@]}"
	rate perf-switch perf record -q -g -e sched:sched_switch -o "$TMP/p.data" -- "${LOAD[@]}"
	if [ ! -e "$TMP/no.perf-off" ]; then
		if perf record --off-cpu -q -o "$TMP/p2.data" -- sleep 0.1 >/dev/null 2>&1 && perf script -i "$TMP/p2.data" 2>/dev/null | grep -q offcpu; then
			rate perf-off perf record --off-cpu -q -o "$TMP/p2.data" -- "${LOAD[@]}"
		else
			echo "  no perf record --off-cpu here"
			touch "$TMP/no.perf-off"
		fi
	fi
	if command -v bpftrace >/dev/null; then
		if [ ! -e "$TMP/simple" ] && bpftrace -q -e "$SUMS" -c true >/dev/null 2>&1; then
			rate bpftrace bpftrace -q -e "$SUMS" -c "${LOAD[*]}"
		else
			touch "$TMP/simple"
			rate bpftrace bpftrace -q -e "$SIMPLE" -c "${LOAD[*]}"
		fi
	fi
	[ -e "$TMP/no.offcputime-bpfcc" ] || beside offcputime-bpfcc offcputime-bpfcc -f
	[ -e "$TMP/no.offcputime" ] || beside offcputime offcputime
done
SWITCHES=2 tell floor skep-fp skep-eh skep-a skep-user skep-wakers skep-record perf-switch perf-off bpftrace offcputime-bpfcc offcputime
for name in perf-switch perf-off bpftrace offcputime-bpfcc offcputime; do
	[ ! -s "$TMP/rate.$name" ] || compare added ns skep "$(added skep-a)" "$name" "$(added "$name")"
done
what="a switch and its wake-up, the time off the CPU summed by both stacks (two empty programs: $(shown "$(half floor)" ns))"
row "$what, by frame pointers" ns '`flame --off-cpu --call-graph fp -a`' "$(half skep-a)" bpftrace "$(half bpftrace)"
row "the same" ns '`flame --off-cpu --call-graph fp -a`' "$(half skep-a)" '`offcputime` (libbpf-tools)' "$(half offcputime)"
row "the same by tables, the default, beside frame pointers" ns '`flame --off-cpu`' "$(half skep-eh)" '`perf record -e sched:sched_switch -g`' "$(half perf-switch)"
