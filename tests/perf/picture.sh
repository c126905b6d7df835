#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Claim: from the end of 10 s of system-wide sampling to the finished picture takes at most 1/5 of perf script alone.
. "$(dirname "$0")/lib.sh"
T=${PICTURE_SECONDS:-10}
load() { # something with many symbols on all CPUs
	for ((i = 0; i < $(nproc); i++)); do (end=$((SECONDS + T + 2)); while [ $SECONDS -lt $end ]; do gcc -O2 -c tests/work/shares.c -Itests/work -o /dev/null; done) & done
}
ms() { echo $((${EPOCHREALTIME/./} / 1000)); }
echo "stop to picture, $T s system-wide at 999 Hz while gcc runs"
load
start=$(ms)
"$SKEP" -q flame -a -F 999 -o "$TMP/s.html" --duration $T
live=$(($(ms) - start - T * 1000))
wait
load
perf record -q -a -g -F 999 -e cpu-clock -B -o "$TMP/p.data" -- sleep $T 2>/dev/null
wait
start=$(ms)
perf script -i "$TMP/p.data" >"$TMP/p.txt" 2>/dev/null
script=$(($(ms) - start))
start=$(ms)
"$SKEP" -q flame -i "$TMP/p.data" -o "$TMP/q.html"
file=$(($(ms) - start))
awk -v l=$live -v f=$file -v s=$script 'BEGIN {
	printf "  live flame: %d ms (start-up included)   perf script: %d ms   ratio %.3f\n", l, s, l / s
	printf "  the same perf.data by skep flame -i: %d ms   ratio %.3f\n", f, s ? f / s : 0 }'
