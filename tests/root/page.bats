#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the HTML picture has of a recording: all events, and of each its sums by time, thread and CPU. The page itself: tests/browser.
# bats file_tags=user-space
load ../lib.bash

# The JSON of a page.
page_data() { # page_data FILE
	sed -n '/^<script type="application\/json" id="data">/,/<\/script>$/p' "$1" | sed '1s/.*id="data">//; $s/<\/script>$//'
}

setup_file() {
	[ "$(id -u)" = 0 ] || return 0
	cd "$BATS_FILE_TMPDIR" || return
	"$SKEP" record -F 999 -g -e cpu-clock,page-faults/period=20,name=page-faults/ --off-cpu -o all.data -- sh -c "'$WORK/shares' 0.5; sleep 0.5" >/dev/null 2>recorded
	"$SKEP" flame -i all.data -o all.html 2>said
	page_data all.html >all.json
}

@test "flame -i -o X.html: each event of the file is a view, which stands for what the file has of it" {
	need_root
	need jq
	cd "$BATS_FILE_TMPDIR"
	jq -r '., .more[] | "\(.event) \(.kept)"' all.json
	cat recorded said
	[ "$(jq -r '., .more[] | .event' all.json | tr '\n' ' ')" = "cpu-clock page-faults offcpu-time " ]
	jq -r '., .more[] | "\(.event) \(.kept)"' all.json | sort >page
	"$SKEP" report -i all.data --json | jq -r '., .other_events[] | "\(.event) \(.kept)"' | sort | diff page -
	grep -q "samples of 3 events: each is a tab of the page" said
	"$SKEP" flame -i all.data --event-index 1 -o one.html
	[ "$(page_data one.html | jq -r '.event, has("more")' | tr '\n' ' ')" = "page-faults false " ]
}

@test "flame -i -o X.html: slices add up to the tree, node by node, and lie in the time of the run" {
	need_root
	need jq
	cd "$BATS_FILE_TMPDIR"
	jq -e '[., .more[] | .scale as $scale | .slices as $s |
		(reduce range($s.node | length) as $i ({}; .[$s.node[$i] | tostring] += ($s.weight[$i]? // ($s.count[$i] * $scale)))) as $of |
		((.self // [.count[] * $scale]) as $self | [range($self | length) | select($self[.] != ($of[tostring] // 0))] | length == 0)
		and $s.left_out == 0 and ($s.in_bin | add) == ($s.node | length)] | all' all.json
	jq -c '., .more[] | [.event, .slices.span_ns, [.slices.comm[]]]' all.json
	# half a second of work, then half a second of sleep, whose time begins before its sample
	jq -e '.slices | .span_ns > 0.3e9 and (.in_bin | length) > 100' all.json
	jq -e '.more[1].slices | .span_ns > 0.8e9 and ([.comm[]] | index("sleep")) != null' all.json
}

@test "the page has the call that it was made with: of a live run quoted for a shell, of a file what makes the view" {
	need_root
	need jq
	cd "$BATS_TEST_TMPDIR"
	local all="$BATS_FILE_TMPDIR/all.data"
	"$SKEP" flame -q --by pid -o 'live pid.html' -- sh -c "'$WORK/shares' 0.2 >/dev/null; printf '%s\n' \"a  b\" 'c'" >first
	page_data 'live pid.html' | jq -r .title >call
	cat call
	mv 'live pid.html' former.html
	sed "s|^skep|'$SKEP'|" call >again.sh
	bash again.sh >second # it makes the same page, by a command that prints the same
	diff first second
	[ "$(page_data 'live pid.html' | jq -r .title)" = "$(cat call)" ]
	"$SKEP" flame -q -i "$all" --off-cpu --by pid --inline --no-kernel -o off.html
	[ "$(page_data off.html | jq -c '[.input, .by, .event_index, .options]')" = "[\"$all\",\"pid\",2,[\"--inline\",\"--no-kernel\"]]" ]
	"$SKEP" flame -q -i "$all" -o plain.html
	[ "$(page_data plain.html | jq -c '[has("by"), has("options")]')" = '[false,false]' ]
}
