#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What skep report prints of a recording.
# bats file_tags=user-space
load ../lib.bash

setup_file() {
	[ "$(id -u)" = 0 ] || return 0
	ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	"${SKEP:-$ROOT/build/skep}" record -F "$(hz 4999)" -o "$BATS_FILE_TMPDIR/a.data" -- "${WORK:-$ROOT/build/work}/shares" 1
}

setup() {
	need_root
	cd "$BATS_FILE_TMPDIR"
}

@test "--json is JSON, with and without callers" {
	need node
	for args in "" -g "-s comm" "--percent-limit 100 -s dso,sym"; do
		"$SKEP" report -i a.data --json $args >a.json
		node -e 'const r = JSON.parse(require("fs").readFileSync("a.json", "utf8"));
			if (!Array.isArray(r.rows) || r.kept < 1000) process.exit(1)'
	done
}

@test "-s event shows the event's name" {
	"$SKEP" report -i a.data -s event >a.txt
	grep -qE '^ +100.00% +100.00%  (cpu-clock|cycles)' a.txt
	"$SKEP" report -i a.data -s event --json | grep -qE '"event":"(cpu-clock|cycles)[^"]*"}'
}

@test "no sample of the event, but of another: which, and how to have it" {
	"$SKEP" record --off-cpu -e cpu-clock -c 10000000000 -o off.data -- sleep 0.2
	for c in report "flame -o off.svg"; do
		# shellcheck disable=SC2086
		run "$SKEP" $c -i off.data
		echo "$output"
		[ "$status" = 1 ]
		[[ "$output" == *"no samples of 'cpu-clock' in 'off.data'"*"hint: --event-index 1: it has samples of 'offcpu-time'"* ]]
	done
	"$SKEP" report -i off.data --event-index 1 | grep -q 'sleep'
}

@test "--json tells the kind of code of each row" {
	"$SKEP" report -i a.data --json -s sym | grep -q '"sym":"hot","kind":"user"'
}
