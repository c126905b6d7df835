#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The kernel's walks of stacks without frame pointers, frame by frame beside the C library's.
load ../lib.bash
load probe_rows.bash # need_feature
load rooted.bash

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
@test "rows that the kernel lacks: walked in user space, from a copy of the stack" { same asks 9; }
@test "rows that were replaced are requested again, and found when they are back" { same evicted 8; }
@test "code without a file: walked by frame pointers, requested, or given up" { same unmapped 4; }
# bats test_tags=measuring
@test "any instruction that a clock interrupts" { same interrupts 500; }

# probed_ok FOLDED: nearly all is rooted but for what was interrupted while the kernel has put its trampoline, and not yet, or no longer, what
# was in its place into its list: that nobody can tell, and it is little. What has no mark has main().
probed_ok() {
	awk '
		{ n = $NF; all += n }
		/^returns;(level|twice|padded)/ { wrong += n; line[$0] }
		/;\[truncated: / { if (/;(asm_exc_int3|entry_SYSCALL_64)/) window += n; else { cut += n; line[$0] } }
		END {
			printf "%d of %d samples cut, %d of them while the kernel was at it\n", cut + window, all, window
			for (l in line) print l
			exit !(all >= 500 && cut * 100 <= all && window * 10 <= all && wrong * 500 <= all)
		}' "$1"
}

# of LEAF FOLDED: of 100 samples those in it, called by six level()
of() {
	awk -v way="main$(printf ';level%.0s' {1..6});$1" '{ all += $NF } index($0, way) { n += $NF } END { printf "%d\n", 100 * n / all }' "$2"
}

# bats test_tags=measuring,slow,user-space
@test "the cost of probes is in the probed functions, out of line or at the trampoline" {
	[ "$(uname -m)" = x86_64 ] || skip "only on x86-64"
	need_feature uprobe
	sets=("u:twice" "u:padded5" "u:padded10" "ur:twice" "u:level ur:level ur:twice")
	for probes in "${sets[@]}"; do
		leaf=${probes##*:}
		# shellcheck disable=SC2086
		"$SKEP" probe --count ${probes//:/:$WORK/returns:} -- \
			"$SKEP" flame --call-graph eh -F $HZ -o got.folded -- "$WORK/returns" "$(lasting 1)" >truth || [ "$leaf" = padded10 ]
		cat truth
		# Of 10 bytes, with its prefixes, a kernel takes it that makes a call of it
		[ "$leaf" != padded10 ] || grep -q ":$leaf " truth || continue
		[ "$(awk -v leaf="$leaf" '$1 ~ ":" leaf "$" { print $2 }' truth)" = "$(sed -n 's/^calls //p' truth)" ]
		probed_ok got.folded
		[ "$(of "$leaf" got.folded)" -ge 5 ]
	done
	grep -q 'main;level.*;\[uprobes\]' got.folded
}
