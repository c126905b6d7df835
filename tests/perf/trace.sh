#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Claims: a program whose every system call is printed with its arguments runs on, where strace stops it twice a call and perf trace loses
# events; sums cost less; calls that are not selected cost what an empty program on the same hook costs. The load: dd, a byte at a time.
. "$(dirname "$0")/lib.sh"
N=${N:-1000000}
RUNS=${RUNS_TRACE:-5}

# rate NAME BYTES COMMAND...: ns of one of the load's calls, by its own clock, appended to NAME's file; and the time of the whole run, s
rate() {
	local name=$1 n=$2
	shift 2
	{ TIMEFORMAT=%R; time LC_ALL=C "$@" dd if=/dev/zero of=/dev/null bs=1 count="$n" 2>"$TMP/said.$name" >/dev/null; } 2>"$TMP/time"
	sed -n 's/.* copied, \([0-9.e-]*\) s, .*/\1/p' "$TMP/said.$name" | awk -v n="$n" '{ print $1 * 1e9 / n / 2; ok = 1 } END { exit !ok }' >>"$TMP/rate.$name" ||
		fail "$name: no rate: $(tail -n3 "$TMP/said.$name")"
	cat "$TMP/time" >>"$TMP/whole.$name"
}

echo "dd bs=1: ns of one of its $((2 * N)) calls, in turn (strace and perf trace: of fewer)"
for ((i = 0; i < RUNS; i++)); do
	rate bare "$N" env
	rate floor "$N" build/perf/floor -x
	rate clock "$N" build/perf/floor -t
	rate skep "$N" "$SKEP" trace -o "$TMP/o.txt" --
	lost=$(($(sed -n 's/^lost: \([0-9]*\) .*/\1/p' "$TMP/said.skep" | head -1) + ${lost:-0}))
	rate skep-c "$N" "$SKEP" trace -c -o "$TMP/c.txt" --
	rate skep-e "$N" "$SKEP" trace -e execve,connect -o "$TMP/e.txt" --
	rate strace $((N / 50)) strace -o "$TMP/s.txt"
	rate strace-c $((N / 50)) strace -c -o "$TMP/sc.txt"
	rate perf $((N / 10)) perf trace -o "$TMP/p.txt"
	rate perf-s $((N / 10)) perf trace -s -o "$TMP/ps.txt"
done
bare=$(median "$TMP/rate.bare")
for name in bare floor clock skep skep-c skep-e strace strace-c perf perf-s; do
	awk -v n="$name" -v b="$bare" -v t="$(median "$TMP/rate.$name")" -v w="$(median "$TMP/whole.$name")" 'BEGIN {
		printf "  %-10s %7.0f ns a call, %6.2f x bare, whole run %.2f s\n", n, t, t / b, w }'
done
echo "  skep: ${lost:-0} lines lost in $RUNS runs; perf trace: $(grep -c LOST "$TMP/p.txt") times that it says so"
for peer in strace perf; do compare "a call" ns "skep trace -o" "$(median "$TMP/rate.skep")" "$peer" "$(median "$TMP/rate.$peer")"; done
for peer in strace-c perf-s; do compare "a call" ns "skep trace -c" "$(median "$TMP/rate.skep-c")" "$peer" "$(median "$TMP/rate.$peer")"; done
for name in skep skep-c; do compare "a call" ns "$name" "$(median "$TMP/rate.$name")" "two empty programs that read the clock" "$(median "$TMP/rate.clock")"; done
compare "not selected" ns "skep trace -e execve" "$(median "$TMP/rate.skep-e")" "empty programs" "$(median "$TMP/rate.floor")"
row "dd, a byte at a time: a call that takes $(shown "$bare" ns), with its line in a file" ns '`trace -o`' "$(median "$TMP/rate.skep")" '`strace -o`' "$(median "$TMP/rate.strace")"
row "the same" ns '`trace -o`' "$(median "$TMP/rate.skep")" '`perf trace -o`' "$(median "$TMP/rate.perf")"
row "the same, summed (two empty programs that read the clock: $(shown "$(median "$TMP/rate.clock")" ns))" ns '`trace -c`' "$(median "$TMP/rate.skep-c")" '`strace -c`' "$(median "$TMP/rate.strace-c")"
row "the same, none of them selected (two empty programs: $(shown "$(median "$TMP/rate.floor")" ns))" ns '`trace -e execve,connect`' "$(median "$TMP/rate.skep-e")" '`perf trace -s`' "$(median "$TMP/rate.perf-s")"

echo "find /usr, whole runs"
pair "skep trace -o" "strace -o" "$SKEP" -q trace -o "$TMP/o.txt" -- find /usr -xdev -maxdepth 4 ::: strace -f -o "$TMP/s.txt" find /usr -xdev -maxdepth 4
row "find /usr, from its start to the last line" ms '`trace -o`' "$(awk -v s="$(median "$TMP/a")" 'BEGIN { print s * 1000 }')" '`strace -f -o`' "$(awk -v s="$(median "$TMP/b")" 'BEGIN { print s * 1000 }')"
pair "skep trace -c" "strace -c" "$SKEP" -q trace -c -o "$TMP/o.txt" -- find /usr -xdev -maxdepth 4 ::: strace -f -c -o "$TMP/s.txt" find /usr -xdev -maxdepth 4
row "the same, summed" ms '`trace -c`' "$(awk -v s="$(median "$TMP/a")" 'BEGIN { print s * 1000 }')" '`strace -f -c`' "$(awk -v s="$(median "$TMP/b")" 'BEGIN { print s * 1000 }')"

echo "redis-benchmark, 4 clients on a unix socket: requests a second of a server that is traced"
if ! command -v redis-server >/dev/null || ! command -v redis-benchmark >/dev/null; then
	echo "  no redis-server and redis-benchmark here: not measured"
	exit 0
fi
redis-server --port 0 --unixsocket "$TMP/redis" --save '' --appendonly no --daemonize no >"$TMP/redis.log" 2>&1 &
redis=$!
for ((i = 0; i < 50; i++)); do [ ! -S "$TMP/redis" ] || break; sleep 0.1; done
REQUESTS=${REQUESTS:-30000}

# served NAME REQUESTS [TRACER...]: requests a second of SET and GET, appended to NAME's file, while TRACER has the server
served() {
	local name=$1 n=$2 tracer=
	shift 2
	if [ $# -gt 0 ]; then
		"$@" >"$TMP/said.$name" 2>&1 &
		tracer=$!
		sleep 1 # until it is attached
		kill -0 $tracer 2>/dev/null || fail "$name: $(tail -n3 "$TMP/said.$name")"
	fi
	redis-benchmark -s "$TMP/redis" -n "$n" -c 4 -t set,get --csv >"$TMP/bench"
	if [ -n "$tracer" ]; then
		kill -INT $tracer
		wait $tracer
	fi
	awk -F'","' '/^"(SET|GET)"/ { t += 1 / $2; n++ } END { if (n != 2) exit 1; print n / t }' "$TMP/bench" >>"$TMP/served.$name" || fail "$name: no rate: $(cat "$TMP/bench")"
}

for ((i = 0; i < ${RUNS_REDIS:-3}; i++)); do
	served bare "$REQUESTS"
	served skep "$REQUESTS" "$SKEP" trace -p $redis -o "$TMP/r.txt"
	rlost=$(($(sed -n 's/^lost: \([0-9]*\) .*/\1/p' "$TMP/said.skep" | head -1) + ${rlost:-0}))
	served skep-c "$REQUESTS" "$SKEP" trace -c -p $redis -o "$TMP/r.txt"
	served strace $((REQUESTS / 20)) strace -f -p $redis -o "$TMP/r.txt"
	served strace-c $((REQUESTS / 20)) strace -f -c -p $redis -o "$TMP/r.txt"
	served perf $((REQUESTS / 20)) perf trace -p $redis -o "$TMP/r.txt"
done
kill $redis
left() { # left NAME: how much of the throughput is left, per cent
	awk -v t="$(median "$TMP/served.$1")" -v b="$(median "$TMP/served.bare")" 'BEGIN { printf "%.1f", 100 * t / b }'
}
for name in bare skep skep-c strace strace-c perf; do
	printf '  %-10s %8.0f requests/s, %5s %% left\n' $name "$(median "$TMP/served.$name")" "$(left $name)"
done
echo "  skep: ${rlost:-0} lines lost in ${RUNS_REDIS:-3} runs; perf trace: $(grep -c LOST "$TMP/r.txt") times that it says so"
row "redis, SET and GET: its throughput that is left while each call has its line in a file" % '`trace -o`' "$(left skep)" '`strace -f -o`' "$(left strace)"
