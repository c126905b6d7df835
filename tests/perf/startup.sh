#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Claim: skep flame of a short COMMAND takes at most 30 ms and the time that the kernel waits before a program's tables are there (putting a map
# into a map takes an RCU grace period), at most 1/5 of bpftrace's start-up without a COMMAND.
. "$(dirname "$0")/lib.sh"
echo "start-up: with a shell that counts to 500 (true may be gone before its first sample)"
short=(sh -c 'i=0; while [ $i -lt 500 ]; do i=$((i + 1)); done')
if command -v bpftrace >/dev/null; then
	for ((i = 0; i < RUNS; i++)); do
		timed "$TMP/flame" "$SKEP" -q flame -F 9999 -o "$TMP/a.html" -- "${short[@]}" || exit 1
		timed "$TMP/bpftrace" bpftrace -e 'BEGIN { exit() }' || exit 1
		build/perf/floor -r >>"$TMP/wait" || fail "floor -r"
		timed "$TMP/bpftrace" bpftrace -e 'BEGIN { exit() }' || exit 1
	done
	wait=$(median "$TMP/wait")
	compare wall s "skep flame" "$(median "$TMP/flame")" "a map into a map" "$wait"
	compare wall s "skep flame" "$(median "$TMP/flame")" "bpftrace BEGIN" "$(median "$TMP/bpftrace")"
	compare CPU s "skep flame" "$(median "$TMP/flame" 2)" "bpftrace BEGIN" "$(median "$TMP/bpftrace" 2)"
	row "start to end of a short run (in which the kernel waits before the program's tables are there: $(shown "$wait" s))" s '`flame`' \
		"$(median "$TMP/flame")" "\`bpftrace -e 'BEGIN { exit() }'\`" "$(median "$TMP/bpftrace")"
else
	echo "  no bpftrace here to compare with"
fi
pair "skep record" "perf record -g" "$SKEP" -q record -F 9999 -o "$TMP/a.data" -- "${short[@]}" ::: \
	perf record -q -g -e cpu-clock -F 9999 -o "$TMP/p.data" "${short[@]}"
row "the same, recorded" s '`record`' "$(median "$TMP/a")" '`perf record -g`' "$(median "$TMP/b")"
