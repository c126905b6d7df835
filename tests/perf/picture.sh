#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Claim: from the end of 10 s of system-wide sampling to the finished picture takes at most 1/5 of perf script alone.
. "$(dirname "$0")/lib.sh"
T=${PICTURE_SECONDS:-10}
RUNS=${PICTURE_RUNS:-3}

ms() { echo $((${EPOCHREALTIME/./} / 1000)); }

echo "stop to picture, $T s system-wide at 999 Hz while gcc runs"
for ((r = 0; r < RUNS; r++)); do
	rm -f "$TMP/s.html"
	load
	"$SKEP" -q flame -a -F 999 -o "$TMP/s.html" &
	skep=$!
	sleep "$T"
	rm -f "$TMP/busy" # both sides work on an idle machine from here on
	sleep 0.3
	start=$(ms)
	kill -INT $skep
	wait $skep || fail "skep flame"
	echo $(($(ms) - start)) >>"$TMP/live"
	[ -s "$TMP/s.html" ] || fail "skep flame"
	idle
	load
	must perf record -q -a -g -F 999 -e cpu-clock -B -o "$TMP/p.data" -- sleep "$T"
	idle
	start=$(ms)
	perf script -i "$TMP/p.data" >"$TMP/p.txt" 2>/dev/null && [ -s "$TMP/p.txt" ] || fail "perf script"
	echo $(($(ms) - start)) >>"$TMP/script"
	start=$(ms)
	must "$SKEP" -q flame -i "$TMP/p.data" -o "$TMP/q.html"
	echo $(($(ms) - start)) >>"$TMP/file"
done
compare live ms "skep flame" "$(median "$TMP/live")" "perf script" "$(median "$TMP/script")"
compare "same file" ms "skep flame -i" "$(median "$TMP/file")" "perf script" "$(median "$TMP/script")"
row "stop to finished picture, $T s of the machine" ms '`flame -a`' "$(median "$TMP/live")" '`perf script`' "$(median "$TMP/script")"
row "a picture from a file of perf" ms '`flame -i`' "$(median "$TMP/file")" '`perf script`' "$(median "$TMP/script")"
