#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Claim: skep top on a terminal, 49 Hz on all CPUs beside 500 processes, takes at most 1 % of a CPU and 50 MB, a third of what perf top takes in the
# same minute. htop, which reads /proc, is the yardstick.
. "$(dirname "$0")/lib.sh"
T=${TOP_SECONDS:-60}
PROCESSES=500
command -v script >/dev/null || fail "no script to have a terminal with"

for ((i = 0; i < PROCESSES; i++)); do sleep $((T + 60)) & done
for ((i = 0; i < $(nproc); i++)); do nice -n 19 "$WORK/shares" $((T * 2)) >/dev/null & done

# on_terminal NAME COMMAND: a terminal of its own; its pid goes to $TMP/pid.NAME
on_terminal() {
	script -qfc "stty rows 40 cols 120; echo \$\$ >$TMP/pid.$1; exec env TERM=xterm $2" /dev/null >/dev/null 2>&1 &
}

# used NAME: seconds of CPU time so far, and peak memory in KiB
used() {
	local pid
	pid=$(cat "$TMP/pid.$1") && [ -e "/proc/$pid" ] || fail "$1 did not run"
	cat "/proc/$pid/task"/*/schedstat | awk '{ ns += $1 } END { printf "%.3f ", ns / 1e9 }'
	awk '/^VmHWM/ { print $2 }' "/proc/$pid/status"
}

echo "a terminal of 120x40, $T s, $(nproc) busy CPUs, $PROCESSES more processes, all at once"
on_terminal skep "$SKEP top -F 49"
on_terminal perf "perf top -F 49 -g"
on_terminal perf-flat "perf top -F 49"
! command -v htop >/dev/null || on_terminal htop "htop -d 10"
sleep "$T"
for name in skep perf perf-flat htop; do
	[ ! -e "$TMP/pid.$name" ] || used $name >"$TMP/used.$name" || exit 1
done
for name in skep perf perf-flat htop; do
	[ ! -e "$TMP/pid.$name" ] || kill "$(cat "$TMP/pid.$name")"
done
value() { cut -d' ' -f"$2" "$TMP/used.$1"; }
awk -v c="$(value skep 1)" -v t="$T" 'BEGIN { printf "  skep top: %.2f %% of a CPU\n", 100 * c / t }'
for peer in perf perf-flat htop; do
	[ -e "$TMP/used.$peer" ] || continue
	compare CPU s "skep top" "$(value skep 1)" "$peer" "$(value $peer 1)"
	compare "peak memory" KiB "skep top" "$(value skep 2)" "$peer" "$(value $peer 2)"
done
row "CPU time of $T s on a terminal, 49 Hz, $PROCESSES processes" s '`top -F 49`' "$(value skep 1)" '`perf top -F 49 -g`' "$(value perf 1)"
row "peak memory of that" KiB '`top -F 49`' "$(value skep 2)" '`perf top -F 49 -g`' "$(value perf 2)"
[ ! -e "$TMP/used.htop" ] || row "the same beside a list of processes" s '`top -F 49`' "$(value skep 1)" htop "$(value htop 1)"
