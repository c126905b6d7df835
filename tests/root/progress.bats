#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A sign of life: how a run goes, on a terminal as standard error, gone when it ends.
# bats file_tags=user-space
load ../lib.bash

# on_terminal COMMAND...: what a terminal of 100 columns gets, in ./log
on_terminal() {
	script -qec "stty cols 100; TERM=xterm $*" log </dev/null >/dev/null
}

# drawn: the lines that were drawn in the place of one another; the last one is none
drawn() {
	tr '\r' '\n' <log | sed -n $'s/^\033\\[K\\(.*\\)$/\\1/p'
}

@test "record, flame, sched, net on a terminal: one line, redrawn, with time, events and what is lost, and at the end none" {
	background "$WORK/shares" 60
	on_terminal "'$SKEP' record -p $BG -o x.data --duration 3"
	[ "$(drawn | grep -cE '^[0-9.]+ s \[#*\.*\] of 3\.0 s, [0-9]+ events, [0-9]+ lost, [0-9.]+ MB$')" -ge 2 ]
	[[ "$(drawn | tail -n 1)" == "wrote x.data"* ]]
	on_terminal "'$SKEP' flame -p $BG -o x.html -- sleep 3"
	[ "$(drawn | grep -cE '^[0-9.]+ s, [0-9]+ events, [0-9]+ lost$')" -ge 2 ]
	[[ "$(drawn | tail -n 1)" == "wrote x.html"* ]]
	for command in sched net; do
		on_terminal "'$SKEP' $command -p $BG --duration 3"
		[ "$(drawn | grep -cE '^[0-9.]+ s \[')" -ge 2 ]
		[[ "$(drawn | tail -n 1)" != *" s ["* ]]
	done
}

@test "it is not drawn in pipes, with -q, on a dumb terminal, where rows are printed as they come, nor over COMMAND's own output" {
	background "$WORK/shares" 60
	"$SKEP" record -p "$BG" -o x.data --duration 1 2>log
	run ! grep -q $'\r' log
	on_terminal "'$SKEP' -q record -p $BG -o x.data --duration 1"
	run ! grep -q $'\033\\[K' log
	on_terminal "TERM=dumb '$SKEP' record -p $BG -o x.data --duration 1"
	run ! grep -q $'\033\\[K' log
	on_terminal "'$SKEP' record -o x.data -- '$WORK/shares' 1"
	run ! grep -q $'\033\\[K' log
	grep -q '^share hot' log
	on_terminal "'$SKEP' sched -p $BG -I 300 --duration 1"
	drawn >lines
	run ! grep -qE '^[0-9.]+ s \[' lines
}
