#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Claim: skep flame of a short COMMAND takes at most 50 ms, at most 1/5 of bpftrace's start-up without one.
. "$(dirname "$0")/lib.sh"
echo "start-up: with a shell that counts to 500 (true may be gone before its first sample)"
short=(sh -c 'i=0; while [ $i -lt 500 ]; do i=$((i + 1)); done')
if command -v bpftrace >/dev/null; then
	pair "skep flame" "bpftrace BEGIN" "$SKEP" -q flame -F 9999 -o "$TMP/a.html" -- "${short[@]}" ::: bpftrace -e 'BEGIN { exit() }'
	row "start to end of a short run" s '`flame`' "$(median "$TMP/a")" "\`bpftrace -e 'BEGIN { exit() }'\`" "$(median "$TMP/b")"
else
	echo "  no bpftrace here to compare with"
fi
pair "skep record" "perf record -g" "$SKEP" -q record -F 9999 -o "$TMP/a.data" -- "${short[@]}" ::: \
	perf record -q -g -e cpu-clock -F 9999 -o "$TMP/p.data" "${short[@]}"
row "the same, recorded" s '`record`' "$(median "$TMP/a")" '`perf record -g`' "$(median "$TMP/b")"
