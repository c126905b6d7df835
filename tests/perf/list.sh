#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Claim: skep list 'k:tcp_*', with the types of every parameter, takes at most 50 ms; bpftrace needs more for the names.
. "$(dirname "$0")/lib.sh"
echo "list: kernel functions by a glob"
if [ "$(bpftrace -l 'kprobe:tcp_*' 2>/dev/null | wc -l)" -gt 0 ]; then
	pair "skep list k:tcp_*" "bpftrace -l kprobe:tcp_*" "$SKEP" -q list 'k:tcp_*' ::: bpftrace -l 'kprobe:tcp_*'
else
	# where ftrace's list is refused bpftrace has no names; the kernel's own time to print them is the floor then
	echo "  bpftrace has no such names here"
	pair "skep list k:tcp_*" "cat /proc/kallsyms" "$SKEP" -q list 'k:tcp_*' ::: cat /proc/kallsyms
fi
pair "skep list" "perf list" "$SKEP" -q list ::: perf list
