#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# io_uring in skep trace: the workload prints the line of each operation that it has had done, and how many there were of each kind.
load ../lib.bash

need_uring() {
	"$WORK/operations" many >many || skip "$(head -n 1 many)"
}

# traced WHAT [OPTION...]: its operations in ./lines, as the workload's ./truth has them
traced() {
	local what=$1
	shift
	"$SKEP" trace --strict -e io_uring -e signal=none "$@" -o t.txt -- "$WORK/operations" "$what" >truth
	sed 's/) *= /) = /; s/^\[pid *[0-9]*\] //; /^+++/d' t.txt >lines
}

same_lines() {
	diff <(sed -n 's/^line //p' truth) lines
}

@test "each operation has its line: its descriptor, memory, flags, result" {
	need_uring
	traced each
	same_lines
	[ "$(wc -l <lines)" = 12 ]
	"$SKEP" trace -o t.txt -- "$WORK/operations" each >truth
	sed 's/) *= /) = /; s/^\[pid *[0-9]*\] //' t.txt | grep -A1 '^io_uring: IORING_OP_TIMEOUT(' | grep -q '^io_uring_enter(.*IORING_ENTER_GETEVENTS'
	[ "$(grep -c '^io_uring_enter(' t.txt)" -ge 12 ]
	grep '^io_uring: ' t.txt | sed 's/) *= /) = /' >lines
	same_lines
}

@test "a thread of the kernel submits: its operations are the process's" {
	need_uring
	need jq
	"$WORK/operations" polled >/dev/null || skip "no IORING_SETUP_SQPOLL here"
	traced polled
	same_lines
	"$SKEP" trace -e io_uring --format json -o t.json -- "$WORK/operations" polled >truth
	[ "$(jq -r 'select(.kind == "io_uring") | "\(.pid) \(.tid) \(.comm)"' t.json | sort -u | wc -l)" = 1 ]
	[ "$(jq -r 'select(.kind == "io_uring") | .pid == .tid and .comm == "operations"' t.json | sort -u)" = true ]
}

@test "many at once, and one with many results" {
	need_uring
	traced many
	same_lines
	[ "$(wc -l <lines)" = 100 ]
	traced repeated
	diff <(sed -n 's/^line //p' truth | sort) <(sort lines)
	[ "$(grep -c 'IORING_CQE_F_MORE)$' lines)" = 3 ]
}

@test "an operation that does not end, in its line and in a note of -c" {
	need_uring
	"$SKEP" trace -e io_uring -e signal=none --duration 0.5 -o t.txt -- "$WORK/operations" pending >truth
	grep '^io_uring' t.txt >lines
	diff <(sed -n 's/^line \(.*\)/\1 = ?/p' truth) <(sed 's/) *= /) = /' lines)
	"$SKEP" trace -c -e io_uring --duration 0.5 -o t.txt -- "$WORK/operations" pending 2>said >truth
	grep -q '1 operation of io_uring had not completed' said
}

@test "two with the same user_data at a time: never mixed up" {
	need_uring
	traced same -T
	cat lines
	[ "$(wc -l <lines)" = 2 ]
	if grep -q IORING_OP_NOP lines; then # the kernel says which request has ended
		diff <(sed -n 's/^line //p' truth) <(sed 's/ <[0-9.]*>$//' lines)
		grep -q 'TIMEOUT.* <0\.0[5-9]' lines
	else
		diff lines - <<-'end'
			io_uring: IORING_OP_???(user_data=0x77) = 0
			io_uring: IORING_OP_???(user_data=0x77) = -1 ETIME (Timer expired)
		end
	fi
}

@test "operations that the kernel refuses at once" {
	need_uring
	traced refused
	cat lines
	same_lines
	[ "$(wc -l <lines)" = 3 ]
}

@test "operations without completions: no result" {
	need_uring
	"$WORK/operations" silent >many || skip "$(head -n 1 many)"
	traced silent
	diff <(sed -n 's/^line //p' truth | sort) <(sort lines)
	[ "$(grep -c ' = ?$' lines)" = 4 ]
}

@test "an operation that was submitted before the run: no time" {
	need_uring
	traced same
	grep -q IORING_OP_NOP lines || skip "the kernel does not say which operation has ended"
	background "$WORK/operations" late >truth
	eventually [ -s truth ]
	"$SKEP" trace -T -p "$BG" -e io_uring -e signal=none --duration 5 -o t.txt
	grep '^io_uring' t.txt | sed 's/) *= /) = /' | diff <(sed -n 's/^line //p' truth) -
}

# bats test_tags=user-space
@test "JSON and CSV: the kind, and the result as a number" {
	need_uring
	need jq
	"$SKEP" trace --format json -o t.json -- "$WORK/operations" each >truth
	jq -r 'select(.kind == "io_uring") | "line io_uring: \(.name)(\(.args)) = \(.result)"' t.json | diff <(grep '^line' truth) -
	[ "$(jq -r 'select(.name == "IORING_OP_TIMEOUT") | "\(.errno) \(.ret)"' t.json)" = "ETIME -62" ]
	[ "$(jq -r 'select(.name == "IORING_OP_TIMEOUT") | .duration_ns >= 1e8 and .duration_ns < 5e9' t.json)" = true ]
	ends t.json
	[ "$(wc -l <t.json)" = "$(jq .kept t.json.end)" ]
	"$SKEP" -q trace --format csv -e io_uring --fields kind,name,ret -o t.csv -- "$WORK/operations" each >truth
	grep -qx 'io_uring,IORING_OP_WRITE,102' t.csv
}

# bats test_tags=user-space
@test "what is selected: with calls, alone, left out; by results" {
	need_uring
	run -0 "$SKEP" -q trace -e '!io_uring' -o - -- "$WORK/operations" each
	[[ "$output" == *"io_uring_enter("* ]]
	run ! grep '^io_uring: ' <<<"$output"
	run -0 "$SKEP" -q trace -e read,%io_uring -e signal=none -o t.txt -- "$WORK/operations" each
	[ "$(grep -c '^io_uring: ' t.txt)" = 12 ]
	[ "$(grep -cv '^io_uring: \|^read(\|+++' t.txt)" = 0 ]
	run -0 "$SKEP" -q trace -e read -o t.txt -- "$WORK/operations" each
	[ "$(grep -c '^io_uring: ' t.txt)" = 0 ]
	traced each -Z
	diff <(sed -n 's/^line //p' truth | grep -- ' = -1') lines
	traced each -z
	diff <(sed -n 's/^line //p' truth | grep -v -- ' = -1') lines
	traced each --errno ETIME
	diff <(sed -n 's/^line //p' truth | grep ETIME) lines
	traced each --min-duration 60ms
	diff <(sed -n 's/^line //p' truth | grep ETIME) lines
}

@test "a ring that is there: operations from now on" {
	need_uring
	background sh -c "while :; do '$WORK/operations' each; sleep 0.1; done" >/dev/null
	"$SKEP" trace -p "$BG" -e io_uring --duration 1 -o t.txt
	[ "$(sed 's/^\[pid *[0-9]*\] //' t.txt | grep -c '^io_uring: IORING_OP_TIMEOUT(.*ETIME')" -ge 1 ]
	run -0 "$SKEP" -q trace -e io_uring -p $$ --duration 0.3 -o t2.txt -- sleep 0.1 || [ "$status" = 1 ]
	run ! grep -q '^io_uring' t2.txt
}

@test "a thread that the kernel made for a ring waits in no call" {
	need_uring
	background "$WORK/uring" 30
	"$SKEP" -q trace -p "$BG" --duration 1.2 -o t.txt
	cat t.txt
	[[ "$(cat t.txt)" =~ ^(clock_)?nanosleep\(.*\<unfinished\ ...\>$ ]]
}

@test "skep stat counts them by their tracepoints" {
	need_uring
	[ -r /sys/kernel/tracing/events/io_uring ] || [ -r /sys/kernel/debug/tracing/events/io_uring ] || skip "tracefs is not mounted"
	"$SKEP" stat -x, -e io_uring:io_uring_complete -o c.csv -- "$WORK/operations" many >truth
	grep -q '^100,,io_uring:io_uring_complete' c.csv
	events=$(echo /sys/kernel/tracing/events/io_uring/io_uring_submit_*)
	grep -q op_str "$events/format" || skip "the tracepoint has no names of operations here"
	"$SKEP" stat -x, --by 'args->op_str' -e "io_uring:$(basename "$events")" -o c.csv -- "$WORK/operations" many >truth
	cat c.csv
	grep -qE '(^|,)NOP(,|$)' c.csv && grep -qE '(^|,)100(,|$)' c.csv
}

# bats test_tags=user-space
@test "-c: a row for each kind of operation" {
	need_uring
	need jq
	for what in each polled many repeated; do
		"$SKEP" trace -c --format json -o c.json -- "$WORK/operations" $what >truth
		jq -r 'select(.syscall != null and (.syscall | startswith("io_uring:"))) | "count \(.syscall[9:]) \(.calls) \(.errors)"' c.json | sort >got
		diff <(grep '^count' truth | sort) got
		[ "$(wc -l <got)" -ge 1 ]
	done
	"$SKEP" trace -c -o c.txt -- "$WORK/operations" each >truth
	grep -qE ' +3 +2 io_uring:READ$' c.txt
	grep -qE ' io_uring_enter$' c.txt
	"$SKEP" trace -c -e io_uring --by comm,syscall,errno -o c.txt -- "$WORK/operations" each >truth
	grep -qE '^operations +io_uring:TIMEOUT +ETIME +1 +1 ' c.txt
	"$SKEP" trace -c -e '!io_uring' -o c.txt -- "$WORK/operations" each >truth
	run ! grep -q 'io_uring:' c.txt
	run -2 "$SKEP" trace -c -e io_uring --by comm -- true
	[[ "$output" == *"--by comm,syscall"* ]]
}
