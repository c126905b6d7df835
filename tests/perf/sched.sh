#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Claims: summing what the scheduler does adds at most 150 ns to each switch over an empty program on the same hook, and a third of
# what perf sched record or bpftrace's sums add. The load: two processes on one CPU that wake each other by a pipe.
. "$(dirname "$0")/lib.sh"
N=${N:-100000}
LOAD=("$(command -v taskset)" -c 0 perf bench -f simple sched pipe -l "$N")

# rate NAME COMMAND...: us of one round of the load, appended to NAME's file: two switches and two wake-ups
rate() {
	local name=$1
	shift
	"$@" 2>/dev/null | awk '/^ *[0-9.]+$/ { print $1 * 1e9 / '"$N"' ; ok = 1 } END { exit !ok }' >>"$TMP/rate.$name" || fail "$name: no rate"
}

echo "a round of two switches and two wake-ups: ns, $N of them, in turn"
for ((i = 0; i < RUNS; i++)); do
	rate bare "${LOAD[@]}"
	rate floor build/perf/floor -s "${LOAD[@]}"
	rate skep "$SKEP" sched -o "$TMP/o" -- "${LOAD[@]}"
	rate skep-a "$SKEP" sched -a -o "$TMP/o" -- "${LOAD[@]}"
	rate perf perf sched record -o "$TMP/p" -- "${LOAD[@]}"
	if command -v bpftrace >/dev/null; then
		rate bpftrace bpftrace -q -e 'tracepoint:sched:sched_wakeup { @q[args->pid] = nsecs; }
			tracepoint:sched:sched_switch { @d = hist(nsecs - @q[args->next_pid]); @r[args->prev_pid] = sum(nsecs - @on[args->prev_pid]);
			@on[args->next_pid] = nsecs; delete(@q[args->next_pid]); }' -c "${LOAD[*]}"
	fi
done
SWITCHES=2 tell floor skep skep-a perf bpftrace
compare added ns skep "$(added skep)" "perf sched record" "$(added perf)"
[ ! -s "$TMP/rate.bpftrace" ] || compare added ns skep "$(added skep)" bpftrace "$(added bpftrace)"
row "a switch and its wake-up, summed by task (two empty programs: $(half floor) ns)" ns '`sched`' "$(half skep)" '`perf sched record`' "$(half perf)"
row "the same" ns '`sched`' "$(half skep)" bpftrace "$(half bpftrace)"
echo "bytes written"
compare bytes B skep "$(stat -c %s "$TMP/o")" "perf sched record" "$(stat -c %s "$TMP/p")"
