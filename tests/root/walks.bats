#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The kernel's walks of stacks without frame pointers, frame by frame beside the C library's.
load ../lib.bash

setup_file() {
	[[ "$(uname -m)" == @(x86_64|aarch64) ]] || skip "only on x86-64 and arm64"
}

# same CASE WALKS: so many at least, none of which differs
same() {
	"$WORK/unwind" "$1" | tee said
	awk -v least="$2" 'END { exit !($2 >= least && $7 == 0) }' said
}

@test "recursion to any depth, by functions that keep their registers in different ways" { same depths 102; }
@test "a callback of the C library" { same callback 2; }
@test "a signal's handler: on the same stack, on another one, of a fault" { same signals 3; }
@test "a thread" { same thread 1; }
@test "what the kernel does not know is walked in user space, out of the stack's copy" { same asks 9; }
@test "rows that made way for others are asked for, and found again when they are back" { same evicted 8; }
@test "code without a file: by frame pointers, or asked for, or given up" { same unmapped 4; }
@test "wherever a clock interrupts" { same interrupts 500; }
