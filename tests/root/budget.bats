#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# skep trace and skep probe with --budget: what is left out is lost, and said; with the rest it is what the workload did.
# bats file_tags=user-space
load ../lib.bash

CALLS=3000000

# lost: how many of said were lost, for whatever reason
lost() {
	sed -n 's/^lost: \([0-9]*\) .*/\1/p' said | awk '{ n += $1 } END { print n + 0 }'
}

# over KEPT: some were left out, and it is said how far
over() {
	cat said
	echo "$1 kept, $(lost) lost"
	[ $(($1 + $(lost))) = $CALLS ]
	grep -qE '^lost: [0-9]+ +left out to keep to --budget$' said
	grep -qE '^note: a part was left out to keep to --budget: [0-9.]+ % is taken now, and was [0-9.]+ % at the lowest$' said
	[ "$1" -gt 0 ]
}

writes() {
	echo "dd if=/dev/zero of=/dev/null bs=1 count=$CALLS status=none"
}

@test "trace --budget: lines, sums, a recording" {
	"$SKEP" trace -e write --budget 1% -o t.txt -- $(writes) 2>said
	over "$(grep -c '^write(1, ' t.txt)"
	"$SKEP" trace -c -e write --budget 0.5% --format json -o c.json -- $(writes) 2>said
	over "$(jq -s 'map(select(.syscall == "write") | .calls) | add' c.json)"
	jq -s -e '.[-1].end | .seen == .kept + ([.losses[]] | add)' c.json
	"$SKEP" trace -e write --budget 1% --record x.log -- $(writes) 2>said
	"$SKEP" trace -i x.log 2>read >t.txt
	over "$(grep -c '^write(1, ' t.txt)"
	cat read
	grep -qE '^lost: [0-9]+ +left out to keep to --budget$' read
}

@test "trace --budget: what is not wanted is not lost" {
	"$SKEP" trace -Z -e write,close --budget 0.5% -o t.txt -- sh -c "$(writes); exec $WORK/refuse" 2>said || true
	cat said
	run ! grep -q '^lost: .*left out to keep' said
}

@test "probe --budget: lines, sums by key, a filter" {
	"$SKEP" probe t:syscalls:sys_enter_write --budget 1% -o p.txt -- $(writes) 2>said
	over "$(grep -c sys_enter_write p.txt)"
	"$SKEP" probe t:syscalls:sys_enter_write --budget 0.2% --by comm --format json -o p.json -- $(writes) 2>said
	over "$(jq -s 'map(.hits // 0) | add' p.json)"
	"$SKEP" probe 't:syscalls:sys_enter_write if fd == 1' --budget 1% -o p.txt -- $(writes) 2>said
	over "$(grep -c sys_enter_write p.txt)"
}

@test "record --budget of a tracepoint: its samples and what is lost" {
	"$SKEP" record -e syscalls:sys_enter_write --budget 1% -o x.data -- $(writes) 2>said
	over "$(sed -n 's/^samples: .* seen, \([0-9]*\) kept$/\1/p' said)"
}

@test "a budget that is large enough changes nothing; bad values" {
	"$SKEP" trace -e write --budget 50% -o t.txt -- dd if=/dev/zero of=/dev/null bs=1 count=2000 status=none 2>said
	cat said
	run ! grep -q budget said
	[ $(($(grep -c '^write(1, ' t.txt) + $(lost))) = 2000 ]
	for bad in 0 -1 101% x ""; do
		run -2 "$SKEP" trace --budget "$bad" -- true
		[[ "$output" == *"bad value '$bad' of '--budget'"* ]]
	done
	run -2 "$SKEP" trace --budget 1% -i x.log
	[[ "$output" == *"exclude each other"* ]]
}
