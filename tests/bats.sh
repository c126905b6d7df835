#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A bats file as TAP, when it has ended or was killed after SECONDS. What failed has another try, alone: the machines of CI are busy, and an
# emulated CPU stands still for seconds. Tests with the tag `measuring`, which compare shares of CPU time, durations or rates with the truth,
# have two. The TAP says so ("again: ok 1 NAME"), and tests/run.sh prints at its end what needed it: a test that is not `measuring` and needs
# it more than once is to be mended.
# usage: tests/bats.sh FILE SECONDS [TAG,...]: tests that have one of the tags are left out
set -u
log=$(mktemp) || exit 1
trap 'rm -f "$log" "$log.again"' EXIT
# Into a file: a process that outlives its test would hold a pipe open
timeout -s KILL "$2" bats --tap --timing ${3:+--filter-tags "!${3//,/,!}"} "$1" </dev/null >"$log" 2>&1
cat "$log"
[ "$(grep -c '^not ok' "$log")" -le 5 ] || exit # chance does not fail that many
sed -n 's/^not ok [0-9]* \(.*\) in [0-9]*ms.*/\1/p' "$log" | while read -r name; do
	one=(-f "^$(printf '%s' "$name" | sed 's/[][().*^$+?{}|\\]/./g')\$" "$1")
	last=2
	[ "$(bats --count --filter-tags measuring "${one[@]}" 2>/dev/null </dev/null)" != 1 ] || last=3
	for try in $(seq 2 $last); do
		timeout -s KILL $(($2 / 3)) bats --tap "${one[@]}" </dev/null >"$log.again" 2>&1
		status=$?
		if [ $status = 0 ] || [ "$try" = $last ]; then sed 's/^/again: /' "$log.again"; fi
		[ $status != 0 ] || break
	done
done
