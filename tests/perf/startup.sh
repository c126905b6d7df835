#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Claim: `skep flame -- true` takes at most 50 ms, at most 1/5 of bpftrace's start-up.
. "$(dirname "$0")/lib.sh"
echo "start-up: skep flame -- true"
command -v bpftrace >/dev/null &&
	pair "skep flame -- true" "bpftrace BEGIN" "$SKEP" -q flame -F 4999 -o "$TMP/a.html" -- true ::: bpftrace -e 'BEGIN { exit() }'
pair "skep record -- true" "perf record -g true" "$SKEP" -q record -F 4999 -o "$TMP/a.data" -- true ::: \
	perf record -q -g -e cpu-clock -F 4999 -o "$TMP/p.data" true
