#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# skep report on a terminal, in tmux: the rows of its text, callers and callees, each key, and what stays text.
# bats file_tags=user-space
load ../lib.bash
load ../screen.bash

report() { # report OPTION...
	type_line "'$SKEP' report $*; echo status \$?"
}

@test "the rows are those of the text; the keys do what the help says" {
	"$SKEP" -q record -o x.data -- "$WORK/stacks_O2" 2 >/dev/null
	"$SKEP" report -i x.data --stdio --percent-limit 1 >text
	terminal 120 150
	report -i x.data --percent-limit 1
	shows ' skep report +x.data +[a-z-]+ +[0-9]+ samples, 0 lost' 'Children +Self +Command +Shared Object +Symbol' 'Enter Calls.*a Annotate'
	grep '^ *[0-9]' text | head -n 20 | awk '{ $1 = $1; print }' >rows
	awk '{ $1 = $1; print }' now >shown
	[ "$(grep -cxFf rows shown)" = "$(wc -l <rows)" ]
	keys / b u r n Enter
	shows '^ filter: burn ' '\[\.\] burn$'
	keys Enter
	shows ' burn: [0-9.]+% of all samples, [0-9.]+% in itself' '^called by' '[-+ ] room$'
	keys Escape
	keys +
	shows '%  *[-+ ] room$'
	keys -- -
	eventually gone '%  *[-+ ] room$'
	keys a
	shows 'instructions of burn' '[0-9.]+ +.*(add|sub|cmp|mov|lea|j[a-z]+) '
	keys q
	keys f
	shows 'wrote skep-report-[0-9]{8}-[0-9]{6}.html'
	grep -q way_alloca skep-report-*.html
	keys h
	shows '^keys' '^  e +the next event'
	keys q Escape q
	left
}

@test "s sums by other keys; t and d choose the row's thread and object, and all again; what cannot be says so" {
	"$SKEP" -q record -o x.data -- sh -c "'$WORK/shares' 1; '$WORK/stacks_O2' 1" >/dev/null
	terminal 120 40
	report -i x.data --no-children
	shows '^ +[0-9.]+% +shares +shares +\[\.\] hot$' 'stacks_O2 .*\[\.\] burn$'
	all=$(sed -n 's/.* \([0-9]*\) samples.*/\1/p' now)
	keys / h o t Enter t
	shows ' \[shares\]$' '\[\.\] hot$'
	few=$(sed -n 's/.* \([0-9]*\) samples.*/\1/p' now)
	[ "$few" -lt "$all" ] && [ "$few" -gt $((all / 4)) ]
	keys Escape d
	shows ' \[shares\]  \[.*/shares\]$'
	eventually gone ' \[k\] '
	keys t
	shows '[0-9] lost  \[.*/shares\]$'
	keys d s C-u c o m m Enter
	shows '^ +[0-9.]+% +shares *$' '^ +[0-9.]+% +stacks_O2 *$'
	[ "$(sed -n 's/.* \([0-9]*\) samples.*/\1/p' now)" = "$all" ]
	keys s C-u n o t h i n g Enter
	shows "there is none named 'nothing'"
	keys s C-u s y m _ f r o m Enter
	shows "sort key 'symbol_from': the samples in 'x.data' have no branch stacks" '^ +[0-9.]+% +shares *$'
	keys q
	left
	[ "$(grep -c '^samples: ' now)" -le 1 ]
}

@test "several events: e goes from one to the next" {
	"$SKEP" -q record -e cpu-clock -e page-faults/period=1,name=page-faults/ -o x.data -- "$WORK/shares" 1 >/dev/null
	terminal 100 24
	report -i x.data
	shows 'cpu-clock \(1 of 2\)' '\[\.\] hot$'
	keys e
	shows 'page-faults \(2 of 2\)'
	keys e
	shows 'cpu-clock \(1 of 2\)' '\[\.\] hot$'
	keys q
	left
}

@test "text stays text: --stdio, a pipe, a file, other formats; what cannot be read is an error" {
	"$SKEP" -q record -o x.data -- "$WORK/shares" 1 >/dev/null
	terminal 100 30
	report -i x.data --stdio --top 3
	shows '^# +Children' '^status 0'
	type_line clear
	report -i x.data "| cat | tail -n 3"
	shows '^status 0'
	type_line clear
	report -i x.data --json "| head -c 10"
	shows '"title"|^\{' 'status'
	type_line clear
	report -i no.data
	shows "no.data" '^status 1'
	gone 'Enter Calls'
}

@test "skep top --store: the same screen, of what an agent keeps; it is read again, but not while callers are open" {
	background "$WORK/shares" "$(times 60)"
	background "$SKEP" -q agent --store store --every 1s -F 99
	agent=$BG
	has_one() { ls store/*.pb.gz >listed 2>&1; }
	eventually has_one
	terminal 120 40
	type_line "'$SKEP' top --store store --since 5m -d 500ms; echo status \$?"
	shows '^ skep top  store since 5m  cpu-clock  [0-9]+ samples, 0 lost' ' \[\.\] hot$'
	seen() { sed -n 's/^ skep top .* \([0-9]*\) samples, .*/\1/p' now; }
	grows() { on_screen ' samples, ' && [ "$(seen)" -gt "$before" ]; }
	before=$(seen)
	eventually grows
	keys s C-u u n i t , c o m m Enter
	shows '^ +[0-9.]+% +[^ ]+ +shares *$'
	keys s C-u c o m m , s y m Enter
	shows '^ +[0-9.]+% +shares +\[\.\] hot$'
	before=$(seen)
	eventually grows
	on_screen ' \[\.\] hot$'
	keys / h o t Enter
	shows '^ +[0-9.]+% +shares +\[\.\] hot$'
	keys Enter
	shows ' hot: [0-9.]+% of all samples' '^called by'
	before=$(seen)
	sleep 2
	on_screen ' hot: '
	[ "$(seen)" = "$before" ]
	keys Escape Escape
	eventually grows
	keys q
	left
	type_line "clear; '$SKEP' top --store store --since 5m -d 500ms; echo status \$?"
	shows '^ skep top  store since 5m  cpu-clock' ' \[\.\] hot$'
	kill -INT "$agent"
	wait "$agent"
	rm -r store
	shows "cannot (open|read) .*store"
	keys q
	left
}
