#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# skep top as tables and as JSON lines: what it says is what the workload did, and no refresh loses what the next one does not have.
load ../lib.bash

setup() {
	need_root
	need jq
	cd "$BATS_TEST_TMPDIR"
}

# times_of FILE: of the refreshes in a --json file, how many there were
times_of() {
	jq -s '[.[].time_ns // empty] | unique | length' "$1"
}

@test "refreshes add up: each of a million system calls is in one of them, and in one only" {
	n=$(($(times 1000000) / (${SKEP_SLOW:-1} > 1 ? 20 : 1)))
	"$SKEP" top -e syscalls:sys_enter_getppid -c 1 -d 20ms -s comm --json -- "$WORK/callrate" "$n" >out 2>err
	grep '^{' out >a.json
	[ "$(times_of a.json)" -ge 5 ]
	[ "$(jq -s 'map(select(.comm == "callrate").now) | add' a.json)" = "$n" ]
	jq -s 'map(select(.comm == "callrate")) | last | .self == '"$n"' and .samples == '"$n" a.json | grep -qx true
	tail -n 1 a.json | jq -e ".end | .seen == $n and .kept == $n and .weight == $n"
}

@test "refreshes add up, of samples on all CPUs by thread and function: to what the ledger says" {
	busy "$WORK/shares" 20
	"$SKEP" top -a -d 100ms -n 10 -s pid,tid,sym -F "$(hz 4999)" --json >a.json
	[ "$(times_of a.json)" = 10 ]
	jq -s '(map(select(has("now"))) | group_by([.pid, .tid, .sym]) | map(max_by(.time_ns).samples) | add) == (last.end.kept)' a.json | grep -qx true
	jq -s '(map(select(has("now")).now) | add) == last.end.weight' a.json | grep -qx true
}

# bats test_tags=user-space
@test "shares are those of the workload" {
	"$SKEP" top -s sym -d 500ms -F "$(hz 4999)" --json -- "$WORK/shares" "$(times 3)" >out
	grep -v '^{' out >truth
	grep '^{' out | jq -r 'select(.sym == "hot" or .sym == "cold") | "\(.sym) \(.samples)"' | awk '{ n[$1] = $2 } END { for (f in n) print f, n[f] }' >folded
	shares_ok truth folded
}

# bats test_tags=user-space
@test "text: a line says what a table is of; the tables are apart; as many as -n says; the last one has all" {
	busy "$WORK/shares" 20
	"$SKEP" top -p "$BG" -d 200ms -n 3 -F "$(hz 999)" >out 2>err
	[ "$(grep -cE "^# [0-9.]+ s: [0-9]+ samples of '[^']+' in [0-9.]+ s, [0-9]+ in all; 0 lost$" out)" = 3 ]
	[ "$(grep -c '^$' out)" -ge 2 ]
	[[ "$(grep -m 1 Overhead out)" =~ ^#\ +Now\ +Overhead\ +Command\ +Shared\ Object\ +Symbol ]]
	[ "$(grep -c '\[\.\] hot' out)" -ge 2 ] # 200 ms without a CPU are nothing special beside other loads
	[[ "$(grep ' in all' out | tail -n 1)" == *", $(sed -n 's/^samples: .* \([0-9]*\) kept.*/\1/p' err) in all; "* ]]
	# Each at once: the first is there long before the end
	"$SKEP" top -p "$BG" -d 100ms --duration 20 >now 2>/dev/null &
	BACKGROUND+=($!)
	eventually grep -q 'in all' now
	interrupt $!
	grep -q '\[\.\] hot' now
}

# bats test_tags=user-space
@test "-E, -z, -K, -U, -ns: as perf top's" {
	busy "$WORK/shares" 30
	"$SKEP" -q top -p "$BG" -d 500ms -n 2 -E 1 >out
	[ "$(grep -cE '^ +[0-9]' out)" = 2 ]
	grep -qE '^# [0-9]+ more rows? \(-E N shows N\)$' out
	"$SKEP" -q top -p "$BG" -d 500ms -n 3 -z -s pid --json >a.json
	jq -se 'map(select(has("now"))) | length > 0 and all(.now == .self and .now_pct == .self_pct)' a.json
	"$SKEP" -q top -d 500ms -n 1 -K --json >a.json
	jq -se 'map(select(has("kind"))) | length > 0 and all(.kind != "kernel")' a.json
	"$SKEP" -q top -d 500ms -n 1 -U --json >a.json
	jq -se 'map(select(has("kind"))) | length > 0 and all(.kind == "kernel")' a.json
	"$SKEP" -q top -d 500ms -n 1 -E 1 --json >a.json
	[ "$(jq -s 'map(select(has("now"))) | length' a.json)" = 1 ]
	run -2 "$SKEP" top --tui -n 2
	[[ "$output" == *"--tui does not go with -n N"* ]]
	"$SKEP" -q top -F 49 -d 500ms -ns comm --duration 1 >out
	[[ "$(grep -m 1 Overhead out)" =~ ^#\ +Now\ +Overhead\ +Samples\ +Command ]]
	run -2 "$SKEP" top -K -U
	[[ "$output" == *"they leave nothing"* ]]
}

# bats test_tags=user-space
@test "several events: a table each, or a column" {
	"$SKEP" -q top -e page-faults -e context-switches -c 1 -s comm -d 10s -- sh -c 'sleep 0.1; ls -R /etc >/dev/null 2>&1' >out
	grep -q "samples of 'page-faults'" out
	grep -q "samples of 'context-switches'" out
	"$SKEP" -q top -e page-faults -e context-switches -c 1 -s comm,event -d 10s --json -- sh -c 'sleep 0.1; ls -R /etc >/dev/null 2>&1' >a.json
	[ "$(jq -r 'select(has("now")) | .event' a.json | sort -u)" = $'context-switches\npage-faults' ]
}

cleanup() { remove_cgroups; }

@test "by cgroup: the shares of two of them" {
	two_cgroups
	"$SKEP" -q top -F "$(hz 999)" -s cgroup,comm --json -d 10s -- sh -c "echo 0 >cg/$a/cgroup.procs; $WORK/shares 0.9; echo 0 >cg/$b/cgroup.procs; $WORK/shares 0.3" >out
	grep '^{' out | jq -r 'select(.comm == "shares") | "\(.cgroup) \(.now)"' | tee rows
	awk -v a="/$a" -v b="/$b" '{ n += $2 } $1 == a { na += $2 } $1 == b { nb += $2 } END { exit !(n == na + nb && na / n > 0.65 && na / n < 0.85) }' rows
}

# bats test_tags=user-space
@test "what cannot be is refused, and says what can" {
	run -2 "$SKEP" top -s srcline
	[ "${lines[0]}" = "skep top: sort key 'srcline' is not one of skep top, which sums samples in the kernel" ]
	[ "${lines[1]}" = "hint: skep record, then skep report -s srcline" ]
	run -2 "$SKEP" top -d 1ms
	[[ "$output" == *"10 ms or more"* ]]
	run -2 "$SKEP" top -n 0 -a
	[[ "$output" == *"number of refreshes"* ]]
	run -2 "$SKEP" report -s now
	[[ "$output" == *"column 'now' is one of skep top"* ]]
	run -1 "$SKEP" top -e page-faults -c 100000000 -- true
	[[ "$output" == *"no samples"* ]]
}

# bats test_tags=user-space
@test "the target's end ends it, and its names stay" {
	background "$WORK/shares" "$(times 1)"
	"$SKEP" -q top -p "$BG" -d 100ms >out
	grep -q '\[\.\] hot' out
	"$SKEP" -q top -d 50ms -s comm,sym --json -- sh -c 'for i in 1 2 3 4 5; do "$0" 0.1; done' "$WORK/shares" >out
	[ "$(grep '^{' out | jq -r 'select(.comm == "shares") | .sym' | sort -u | grep -cxE 'hot|cold')" = 2 ]
}

@test "what stacks lack is in the ledger, as of flame" {
	background "$WORK/stacks_O2" 60
	"$SKEP" top -g --call-graph fp -F 499 -p "$BG" -d 500ms -n 2 --json >a.json
	"$SKEP" -q flame --call-graph fp -F 499 -p "$BG" --duration 1 --format json -o b.json
	part() { jq -s 'last | .end // . | .kept as $n | .losses | [.cut_no_root, .unnamed] | map(10 * . / $n | round) | @tsv' "$1"; }
	part a.json
	[ "$(part a.json)" = "$(part b.json)" ]
	jq -se 'last.end | .losses.cut_no_root > .kept / 2 and .losses.unnamed > 0' a.json
}

# bats test_tags=user-space
@test "-g: callers below each row, of all samples so far" {
	background "$WORK/stacks_O2" 60
	"$SKEP" -q top -g -s sym -d 500ms -n 2 -E 1 -p "$BG" >out
	[ "$(grep -c '\[\.\] burn' out)" = 2 ]
	[ "$(grep -c -- '---burn' out)" = 2 ]
	grep -qE '[- ]way_' out
}
