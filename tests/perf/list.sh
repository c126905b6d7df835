#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Claim: skep list 'k:tcp_*', with the types of every parameter, takes at most 50 ms; bpftrace needs more for the names.
. "$(dirname "$0")/lib.sh"
echo "list: kernel functions by a glob"
if command -v bpftrace >/dev/null; then
	pair "skep list k:tcp_*" "bpftrace -l kprobe:tcp_*" "$SKEP" -q list 'k:tcp_*' ::: bpftrace -l 'kprobe:tcp_*'
else
	echo "  no bpftrace here to compare with"
fi
pair "skep list" "perf list" "$SKEP" -q list ::: perf list
