#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A bats file as TAP. What failed has two more tries, and that is told: "again: ok 1 NAME". Machines that measure shares of
# CPU time are shared with others, and an emulated CPU may stand still for seconds; a defect fails three times.
# usage: tests/bats.sh FILE SECONDS [TAG,...]: the tests that have one of the tags are left out
set -u
log=$(mktemp) || exit 1
timeout -s KILL "$2" bats --tap --timing ${3:+--filter-tags "!${3//,/,!}"} "$1" </dev/null 2>&1 | tee "$log"
sed -n 's/^not ok [0-9]* \(.*\) in [0-9]*ms.*/\1/p' "$log" | while read -r name; do
	pattern=$(printf '%s' "$name" | sed 's/[][().*^$+?{}|\\]/./g')
	for try in 2 3; do
		timeout -s KILL $(($2 / 3)) bats --tap -f "^$pattern\$" "$1" </dev/null >"$log.again" 2>&1
		status=$?
		if [ $status = 0 ] || [ $try = 3 ]; then sed 's/^/again: /' "$log.again"; fi
		[ $status != 0 ] || break
	done
done
rm -f "$log" "$log.again"
