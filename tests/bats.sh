#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A bats file as TAP, when it has ended or was killed after SECONDS. Tests with the tag `measuring` compare shares of CPU time, durations or
# rates with the truth: a busy machine, or an emulated CPU that stands still for seconds, can fail them without a defect. Such a test has two
# more tries, and the TAP says so: "again: ok 1 NAME". Every other test fails at once.
# usage: tests/bats.sh FILE SECONDS [TAG,...]: tests that have one of the tags are left out
set -u
log=$(mktemp) || exit 1
# Into a file: a process that outlives its test would hold a pipe open
timeout -s KILL "$2" bats --tap --timing ${3:+--filter-tags "!${3//,/,!}"} "$1" </dev/null >"$log" 2>&1
cat "$log"
sed -n 's/^not ok [0-9]* \(.*\) in [0-9]*ms.*/\1/p' "$log" | while read -r name; do
	one=(--filter-tags measuring -f "^$(printf '%s' "$name" | sed 's/[][().*^$+?{}|\\]/./g')\$" "$1")
	[ "$(bats --count "${one[@]}" 2>/dev/null </dev/null)" = 1 ] || continue
	for try in 2 3; do
		timeout -s KILL $(($2 / 3)) bats --tap "${one[@]}" </dev/null >"$log.again" 2>&1
		status=$?
		if [ $status = 0 ] || [ $try = 3 ]; then sed 's/^/again: /' "$log.again"; fi
		[ $status != 0 ] || break
	done
done
rm -f "$log" "$log.again"
