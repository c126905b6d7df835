#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Every test here is wrong and must fail on every kernel; if one passes, the matrix would not see a real failure.
load ../lib.bash

@test "a truth that is none" {
	"$SKEP" flame -F 4999 -o got.folded -- "$WORK/shares" "$(times 0.6)"
	printf 'share hot 20\nshare cold 80\n' >truth
	shares_ok truth got.folded
}

@test "a process that was not the target" {
	background "$WORK/recurse" 3 5
	"$SKEP" flame -F 4999 -o got.folded -- "$WORK/shares" 0.5
	grep -q '^recurse;' got.folded
}

@test "an exit status that is another" {
	run "$SKEP" -q flame -F 4999 -o got.folded -- sh -c "'$WORK/shares' 0.2 >/dev/null; exit 7"
	[ "$status" = 0 ]
}
