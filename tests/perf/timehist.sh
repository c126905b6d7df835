#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Claims: each switch with its wait and its waker into a file, as lines, takes less of the machine than perf sched record's raw events
# take, from which perf sched timehist still has to make lines. The load: two processes on one CPU that wake each other by a pipe.
. "$(dirname "$0")/lib.sh"
N=${N:-100000}
LOAD=("$(command -v taskset)" -c 0 perf bench -f simple sched pipe -l "$N")

# rate NAME COMMAND...: ns of one round of the load, appended to NAME's file, two switches and two wake-ups; and the CPU time of all, ms
rate() {
	local name=$1
	shift
	{ TIMEFORMAT="%U %S"; time "$@" 2>"$TMP/said.$name" >"$TMP/out.$name"; } 2>"$TMP/time"
	awk '/^ *[0-9.]+$/ { print $1 * 1e9 / '"$N"' ; ok = 1 } END { exit !ok }' "$TMP/out.$name" >>"$TMP/rate.$name" || fail "$name: no rate"
	awk '{ print ($1 + $2) * 1000 }' "$TMP/time" >>"$TMP/cpu.$name"
}

echo "a round of two switches and two wake-ups: ns, $N of them, in turn"
for ((i = 0; i < RUNS; i++)); do
	rate bare "${LOAD[@]}"
	rate skep "$SKEP" sched timehist -o "$TMP/o.txt" -- "${LOAD[@]}"
	rate skep-csv "$SKEP" sched timehist --format csv -o "$TMP/o.csv" -- "${LOAD[@]}"
	rate skep-g "$SKEP" sched timehist -g -o "$TMP/o.g" -- "${LOAD[@]}"
	rate chrome "$SKEP" sched timehist --format chrome -o "$TMP/o.json" -- "${LOAD[@]}"
	rate perf perf sched record -o "$TMP/p" -- "${LOAD[@]}"
	rate perf-g perf sched record -g -o "$TMP/p.g" -- "${LOAD[@]}"
done
cpu() { awk -v b="$(median "$TMP/cpu.bare")" -v t="$(median "$TMP/cpu.$1")" 'BEGIN { print t - b }'; }
SWITCHES=2 tell skep skep-csv chrome skep-g perf perf-g
for name in skep skep-csv chrome skep-g perf perf-g; do
	echo "  $name: $(cpu "$name") ms of CPU beside those of the load"
	lost=$(sed -n 's/^lost: \([0-9]*\) .*/\1/p' "$TMP/said.$name")
	[ -z "$lost" ] || echo "  $name: $lost switches lost"
done
compare added ns skep "$(added skep)" "perf sched record" "$(added perf)"
compare added ns "skep -g" "$(added skep-g)" "perf sched record -g" "$(added perf-g)"
row "a switch and its wake-up, each printed, with its waits and wakers" ns '`sched timehist`' "$(half skep)" '`perf sched record`' "$(half perf)"
row "the same, CPU time of the whole run" ms '`sched timehist`' "$(cpu skep)" '`perf sched record`' "$(cpu perf)"
compare "CPU added" ms skep "$(cpu skep)" "perf sched record" "$(cpu perf)"
echo "bytes written"
compare bytes B skep "$(stat -c %s "$TMP/o.txt")" "perf sched record" "$(stat -c %s "$TMP/p")"
compare bytes B "skep -g" "$(stat -c %s "$TMP/o.g")" "perf sched record -g" "$(stat -c %s "$TMP/p.g")"
echo "from the load's begin to lines on the disk"
{ TIMEFORMAT=%R; time perf sched timehist -i "$TMP/p" >"$TMP/p.txt" 2>/dev/null; } 2>"$TMP/time"
awk '{ printf "  perf sched timehist, behind the record: %.2f s more\n", $1 }' "$TMP/time"
