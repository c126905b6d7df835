#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# skep diff of recordings whose change is known: what perf diff says of the same files, what is not chance, each format, the screen.
# bats file_tags=user-space
load ../lib.bash
load ../screen.bash

# run_of FILE A B: A seconds of shares, B of stacks_O2
run_of() {
	"$SKEP" -q record -F 999 -g -o "$1" -- sh -c "'$WORK/shares' $2; '$WORK/stacks_O2' $3" >/dev/null
}

value() { # value COMM MEMBER <JSON lines
	jq -r --arg c "$1" --arg m "$2" 'select(.comm == $c) | .[$m]'
}

@test "shares and their change are those of perf diff; a change that is large is no chance, one in nothing is" {
	run_of a.data 0.5 0.5
	run_of b.data 1.5 0.5
	[ "$("$SKEP" -q diff -s comm a.data b.data --top 2 | wc -l)" = 4 ] # options may come after the files
	"$SKEP" -q diff -s comm --format json a.data b.data >rows
	cat rows
	[ "$(value shares significant <rows) $(value stacks_O2 significant <rows)" = "true true" ]
	jq -se '[.[] | select(.comm) | .delta_points] | add | . < 0.01 and . > -0.01' rows
	jq -se 'map(select(.comm == "shares"))[0] | .delta_points > 15 and .delta_points < 35 and (.ratio - .after_pct / .before_pct | . < 0.001 and . > -0.001)' rows
	if has perf; then
		perf diff -s comm a.data b.data 2>/dev/null | awk '$NF == "shares" || $NF == "stacks_O2" { gsub("%", ""); print $NF, $1, $2 }' >theirs
		cat theirs
		[ "$(wc -l <theirs)" = 2 ]
		while read -r comm before delta; do
			awk -v a="$before" -v b="$(value "$comm" before_pct <rows)" -v d="$delta" -v e="$(value "$comm" delta_points <rows)" \
				'BEGIN { exit !(a - b < 0.02 && b - a < 0.02 && d - e < 0.02 && e - d < 0.02) }'
		done <theirs
	fi
	# The ledger and the receipt are of both files
	jq -se --argjson a "$("$SKEP" report -i a.data --json | jq .kept)" --argjson b "$("$SKEP" report -i b.data --json | jq .kept)" '.[-1].end | .kept == $a + $b and .receipt.own_cpu_ns > 0 and .event == "'"$(jq -r 'select(.end).end.event' rows)"'"' rows
	# The same file twice
	"$SKEP" -q diff --format json a.data a.data >same
	jq -se 'map(select(.comm)) | length > 3 and all(.delta_points == 0 and .ratio == 1 and .p == 1 and .significant == false)' same
}

@test "several runs on each side: what differs between runs anyhow is no change; --fail-above" {
	run_of a1.data 0.3 0.3
	run_of a2.data 0.6 0.3
	run_of a3.data 0.2 0.3
	run_of b1.data 0.5 0.3
	run_of b2.data 0.3 0.3
	"$SKEP" -q diff -s comm --format json --fail-above 1 a1.data a2.data a3.data -- b1.data b2.data >rows
	cat rows
	[ "$(value shares significant <rows)" = false ]
	jq -se --argjson n "$(for f in a1 a2 a3; do "$SKEP" report -i $f.data --format json --no-children -s comm | jq '[.rows[].samples] | add'; done | jq -s add)" \
		'map(.before_samples // 0) | add == $n' rows
	# One run of each, which are far apart
	run -1 "$SKEP" -q diff -s comm --fail-above 5 a3.data a2.data
	[[ "$output" == *"1 row grew by more than 5 points, most of all shares: from "* ]]
	"$SKEP" -q diff -s comm --fail-above 90 a3.data a2.data
}

@test "a program in two folders is one, as in perf diff; also in one file" {
	mkdir v1 v2
	cp "$WORK/slower" v1
	cp "$WORK/slower" v2
	"$SKEP" -q record -F 1999 -o a.data -- v1/slower 0.5 1 >shares
	"$SKEP" -q record -F 1999 -o b.data -- v2/slower 0.5 1 >>shares
	"$SKEP" -q record -F 1999 -o c.data -- v2/slower 0.5 4 >>shares
	"$SKEP" -q record -F 1999 -o both.data -- sh -c 'v1/slower 0.3 1; v2/slower 0.3 1' >>shares
	for file in b both; do
		"$SKEP" -q diff --json a.data $file.data >rows
		cat rows
		jq -se 'map(select(.dso == "slower" and (.sym == "first" or .sym == "second" or .sym == "third"))) | length == 3 and all(.before_pct > 20 and .after_pct > 20)' rows
		"$SKEP" -q diff -s dso --json a.data $file.data | jq -se 'map(select(.dso == "slower")) | length == 1 and .[0].ratio > 0.8'
		"$SKEP" -q diff --fail-above 20 a.data $file.data >said
	done
	run -1 "$SKEP" -q diff --fail-above 10 a.data c.data
	[[ "$output" =~ "1 row grew by more than 10 points, most of all second: from "[2-4][0-9.]+" % to "[5-8] ]]
	if has perf; then
		"$SKEP" -q diff --json a.data c.data >rows
		perf diff -s dso,sym a.data c.data 2>/dev/null | awk 'NF > 3 && $(NF - 2) == "slower" { gsub("%", ""); print $NF, $1, $2 }' >theirs
		cat theirs
		[ "$(grep -cE '^(first|second|third) ' theirs)" = 3 ]
		while read -r sym before delta; do
			jq -se --arg s "$sym" --argjson b "$before" --arg d "$delta" 'def near($x): . - $x | . < 0.02 and . > -0.02;
				map(select(.sym == $s))[0] | (.before_pct | near($b)) and (.delta_points | near($d | ltrimstr("+") | tonumber))' rows
		done < <(grep -E '^(first|second|third) ' theirs)
	fi
}

@test "text, CSV, chosen columns, the order; perf's file names; what cannot be compared" {
	run_of perf.data.old 0.4 0.2
	run_of perf.data 0.2 0.4
	"$SKEP" -q diff -s comm,sym --top 3 >text
	cat text
	[ "$(head -1 text | xargs)" = "Command Symbol before % after % delta ratio p changed" ]
	[ "$(wc -l <text)" = 5 ]
	grep -qE '^shares +hot +[0-9.]+ +[0-9.]+ +-[0-9.]+ +0\.[0-9]+ +[0-9.]+  yes$' text
	"$SKEP" -q diff -s comm -c delta --format csv >rows.csv
	[ "$(head -1 rows.csv)" = "before_pct,after_pct,delta_points,ratio,p,q,significant,before_samples,after_samples,comm" ]
	sed -n 2p rows.csv | grep -q ',stacks_O2$'
	"$SKEP" -q diff -s comm --fields comm,delta_points,after_samples --filter 'after_samples > 100 && q < 0.05 && delta_points > 1.5 && comm ~ "s*"' >fields
	[ "$(head -1 fields | xargs)" = "Command delta after_samples" ]
	grep -qE '^stacks_O2 +\+[0-9.]+ +[0-9]+$' fields
	[ "$(wc -l <fields)" = 2 ]
	"$SKEP" -q diff -s comm --fields comm,changed --filter 'delta_points > 1.5' >fields
	[ "$(sed -n 2p fields | xargs)" = "stacks_O2 yes" ]
	# Numbers are numbers
	"$SKEP" -q diff -s comm,pid,tid,cpu --json >rows
	jq -se 'map(select(.comm)) | length > 3 and all((.pid | type) == "number" and (.tid | type) == "number" and (.cpu | type) == "number")' rows
	pid=$(jq -s 'map(select(.comm == "shares"))[0].pid' rows)
	"$SKEP" -q diff -s pid --json --filter "pid == $pid" | jq -se --argjson p "$pid" 'length == 2 and .[0].pid == $p'
	# What lies in the ending of a name
	"$SKEP" -q diff -s comm,sym --top 3 -o rows.txt
	diff text rows.txt
	run -2 "$SKEP" diff -o rows.png
	[[ "$output" == *"unknown format of 'rows.png'"*"hint: use a name that ends in .html, "* ]]
	[ ! -e rows.png ]
	"$SKEP" -q diff -s comm,sym --top 3 -o rows.png --format text
	diff text rows.png
	run -2 "$SKEP" diff perf.data
	[[ "$output" == *"1 file: two are compared"* ]]
	run -1 bash -c "cat perf.data.old | '$SKEP' diff - perf.data"
	[[ "$output" == *"cannot be read from a pipe"*"hint: write it to a file first"* ]]
	run -2 "$SKEP" diff perf.data perf.data perf.data
	run -1 "$SKEP" diff -e nothing perf.data perf.data
	[[ "$output" == *"'perf.data' has no event 'nothing'"* ]]
	run -1 "$SKEP" diff --comms nobody perf.data perf.data
	[[ "$output" == *"perf.data"* ]]
	run -1 "$SKEP" diff perf.data none.data
	# No recording is written over, no run counts twice
	run -2 "$SKEP" diff -o perf.data perf.data.old perf.data
	[[ "$output" == *"would overwrite a file that is compared"* ]]
	run -2 "$SKEP" diff perf.data.old ./perf.data.old -- perf.data
	[[ "$output" == *"is given twice on one side"* ]]
	run -2 "$SKEP" diff -s mem perf.data.old perf.data
	[[ "$output" == *"sort key 'mem' is not one of skep diff"* ]]
	run -2 "$SKEP" diff perf.data --
	[[ "$output" == *"1 file: two are compared"* ]]
	run -2 "$SKEP" diff perf.data -- perf.data --top 2
	[[ "$output" == *"'--top': options come before '--'"* ]]
	run -2 "$SKEP" diff -- perf.data
	[[ "$output" == *"no file before '--'"* ]]
	run -2 "$SKEP" diff perf.data -- perf.data -- perf.data
	[[ "$output" == *"only one '--' separates the files"* ]]
	run -2 "$SKEP" diff --fail-above -1 perf.data perf.data
	run -2 "$SKEP" diff -s nothing perf.data perf.data
	run -2 "$SKEP" diff -c nothing perf.data perf.data
}

@test "the screen: what changed most first, callers, instructions, a flame graph of what is new" {
	run_of a.data 0.8 0.3
	run_of b.data 0.3 0.8
	terminal 110 30
	type_line "'$SKEP' diff a.data b.data; echo status \$?"
	shows ' skep diff +[a-z-]+ +a.data to b.data +[0-9]+ samples, 0 lost' '^ +Change +Overhead +Command +Shared Object +Symbol' \
		'^ +-[0-9.]+ \* +[0-9.]+% +[0-9.]+% +shares +shares +\[\.\] hot$' '^ +\+[0-9.]+ \* +[0-9.]+% +[0-9.]+% +stacks_O2 +stacks_O2 +\[\.\] burn$'
	keys / b u r n Enter Enter
	shows ' burn: [1-9][0-9.]+% of all samples, [1-9][0-9.]+% in itself' '^called by' ' way_[a-z]+$'
	keys Escape a
	shows 'instructions of burn'
	keys q f
	shows 'wrote skep-diff-[0-9]{8}-[0-9]{6}.html'
	grep -q way_alloca skep-diff-*.html
	grep -q '"hot"' skep-diff-*.html # of all stacks after the change
	keys Escape d
	shows 'by the share after the change'
	keys q
	shows '^samples: [0-9]+ seen' '^status 0$' # the ledger comes after the screen
	gone 'skep diff '
}

@test "a picture of the change: each side's stacks, in html, svg and folded; files of two folders; the same file" {
	mkdir old new
	cp "$WORK/shares" "$WORK/stacks_O2" old
	cp "$WORK/shares" "$WORK/stacks_O2" new
	"$SKEP" -q record -F 999 -g -o a.data -- sh -c 'old/shares 0.8; old/stacks_O2 0.3' >/dev/null
	"$SKEP" -q record -F 999 -g -o b.data -- sh -c 'new/shares 0.3; new/stacks_O2 0.8' >/dev/null
	"$SKEP" -q diff a.data b.data -o d.folded
	# Two numbers a stack, which add up to the samples of each file, and are those of its own picture
	for side in a b; do "$SKEP" -q flame -i $side.data -o $side.folded; done
	awk '{ a += $(NF - 1); b += $NF } END { print a, b }' d.folded >sums
	[ "$(cat sums)" = "$(awk '{ n += $NF } END { print n }' a.folded) $(awk '{ n += $NF } END { print n }' b.folded)" ]
	awk '{ n = $NF; sub(" [0-9]+$", ""); sub(" [0-9]+$", ""); if (n) print $0, n }' d.folded | sort >of_b
	sort b.folded | diff - of_b
	[ "$("$SKEP" -q diff a.data b.data --format folded | grep -c '^shares;')" = "$(grep -c '^shares;' d.folded)" ]
	if has flamegraph.pl; then flamegraph.pl d.folded >/dev/null; fi
	# The page has both weights of each frame, the SVG colours of the change
	"$SKEP" -q diff -o d.html a.data b.data
	"$SKEP" -q diff -o d.svg a.data b.data
	python3 - <<-'END'
		import json, re
		data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', open("d.html").read(), re.S).group(1))
		assert len(data["before"]) == len(data["node"]) and sum(data["before"]) == data["before_weight"], data["before_weight"]
		assert sum(data.get("self") or [c * data["scale"] for c in data["count"]]) == data["weight"]
		assert data["names_of_sides"] == ["a.data", "b.data"]
		svg = open("d.svg").read()
		classes = {}
		for name, cls in re.findall(r"<title>([^\n<]*)\n.*?<rect class=\"(\w+)\"", svg, re.S): classes.setdefault(name, set()).add(cls)
		assert classes["hot"] == {"l3"} and classes["burn"] <= {"g0", "g1", "g2", "g3"}, classes
	END
	# What a picture says of samples and time is of the files after the change; the rows' ledger is of all files
	for side in a b; do "$SKEP" -q report -i $side.data --json >$side.json; done
	"$SKEP" -q diff --json a.data b.data | jq -c 'select(.end).end' >end
	jq -se 'map([.kept, .weight, .duration_ns]) | [.[0], .[1]] as [$a, $b] | .[2] == [$a[0] + $b[0], $a[1] + $b[1], $a[2] + $b[2]] and $a[2] > 0' a.json b.json end
	python3 - <<-'END'
		import json, re
		page = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', open("d.html").read(), re.S).group(1))
		b = json.load(open("b.json"))
		assert [page[k] for k in ("seen", "kept", "weight", "duration_ns")] == [b[k] for k in ("seen", "kept", "weight", "duration_ns")], page["kept"]
		head = re.search(r">event ([^ ]+), (\d+) samples, ([0-9.]+) s<", open("d.svg").read())
		assert int(head.group(2)) == b["kept"] and abs(float(head.group(3)) - b["duration_ns"] / 1e9) < 0.001, head.groups()
	END
	# What the files before it lost is a note
	head -c $(($(stat -c %s a.data) / 2)) a.data >cut.data
	"$SKEP" -q diff cut.data b.data -o cut.svg
	grep -q '>before the change: 1 ' cut.svg
	"$SKEP" -q diff b.data cut.data -o cut.svg
	run ! grep -q 'before the change' cut.svg
	# Nothing has changed
	"$SKEP" -q diff --format folded a.data a.data >same.folded
	awk '$NF != $(NF - 1) { bad = 1 } END { exit bad || NR < 5 }' same.folded
	"$SKEP" -q diff --format svg a.data a.data >same.svg
	[ "$(grep -c '<rect class="e"' same.svg)" -gt 20 ]
	[ "$(grep -c '<rect class="[gl]' same.svg)" = 4 ] # of the legend
}

@test "counts of skep stat and perf stat: Welch's test of several runs; one run of each has none; what is no JSON" {
	for i in 1 2 3; do
		"$SKEP" stat --json -e task-clock,page-faults -- "$WORK/shares" 0.1 2>a$i.json >/dev/null
		"$SKEP" stat --json -e task-clock,page-faults -- "$WORK/shares" 0.2 2>b$i.json >/dev/null
	done
	"$SKEP" diff --json a1.json a2.json a3.json -- b1.json b2.json b3.json >rows
	cat rows
	jq -se 'map(select(.event == "task-clock"))[0] | .ratio > 1.7 and .ratio < 2.3 and .significant and .unit == "msec" and .change_pct > 70' rows
	want=$(jq -s '[.[] | select(.event == "task-clock") | .["counter-value"] | tonumber] | add / 3' a1.json a2.json a3.json)
	jq -se --argjson want "$want" 'map(select(.event == "task-clock"))[0] | .before - $want | . < 0.01 and . > -0.01' rows
	"$SKEP" -q diff --json --filter 'before > 50 && after < 1000 && event == "task-clock"' a1.json a2.json a3.json -- b1.json b2.json b3.json | jq -se 'length == 2 and .[0].after > .[0].before'
	printf '{"event":"e","counter-value":"12345678901234567.0"}\n' >large.json
	"$SKEP" -q diff large.json large.json --format csv | grep -q '12345678901234568,12345678901234568,'
	run -0 "$SKEP" diff --receipt a1.json b1.json
	[[ "$output" =~ "cost: skep "[0-9.]*[1-9][0-9.]*" ms CPU, "[0-9.]*[1-9][0-9.]*" MB peak" ]]
	jq -se '.[-1].end.receipt | .own_cpu_ns > 0 and .wall_ns > 0 and .cpus > 0 and .peak_rss_bytes > 0' rows
	mkfifo pipe
	background cp b1.json pipe
	run -1 "$SKEP" diff a1.json pipe
	[[ "$output" == *"counts cannot be read from a pipe"*"hint: write them to a file first"* ]]
	run -0 "$SKEP" diff a1.json b1.json
	[[ "$output" == *"of one file on a side it is not known what is chance"* ]]
	"$SKEP" -q diff --format csv a1.json b1.json >few
	[ "$(wc -l <few)" -gt 1 ]
	run ! grep -q ',true' few
	run -1 "$SKEP" -q diff --fail-above 50 a1.json a2.json a3.json -- b1.json b2.json b3.json
	[[ "$output" == *"1 event grew by more than 50 %, most of all task-clock: by "* ]]
	"$SKEP" -q diff --fail-above 50 b1.json b2.json -- a1.json a2.json
	if has perf; then
		perf stat -j -e task-clock -o perf.json -- "$WORK/shares" 0.1
		"$SKEP" -q diff --json perf.json a1.json | jq -se '.[0] | .event == "task-clock" and .ratio > 0.8 and .ratio < 1.25'
	fi
	echo '{"event" : "x", "counter-value" : "<not counted>"}' >none.json
	run -1 "$SKEP" diff none.json a1.json
	[[ "$output" == *"'none.json' has no counts"* ]]
	printf '{"event" : "x", "counter-value" : "1"}\n{"event' >cut.json
	run -1 "$SKEP" diff cut.json a1.json
	[[ "$output" == *"line 2 is not JSON"* ]]
	run -2 "$SKEP" diff -o x.html a1.json b1.json
	run -1 "$SKEP" diff a1.json none.data
}

@test "periods, shares of all samples, files of two machines and rates" {
	run_of a.data 0.4 0.2
	run_of b.data 0.2 0.4
	"$SKEP" -q diff -s comm,sym -c wdiff:1,2 --json --top 1 a.data b.data >row
	cat row
	if has perf; then
		perf diff -s comm,sym -c wdiff:1,2 a.data b.data 2>/dev/null | awk '/^ +[0-9]/ { print $2; exit }' >theirs
		[ "$(jq -r 'select(.sym).wdiff' row | sed 's/\..*//')" = "$(cat theirs)" ]
	fi
	"$SKEP" -q diff -s sym --comms shares --json a.data b.data >shown
	jq -se 'map(.before_pct // 0) | add | . > 99.9 and . < 100.1' shown
	"$SKEP" -q diff -s sym --comms shares --percentage absolute --json a.data b.data >all
	part=$("$SKEP" -q diff -s comm --json a.data b.data | value shares before_pct)
	jq -se --argjson part "$part" 'map(.before_pct // 0) | add - $part | . < 0.1 and . > -0.1' all
	run -2 "$SKEP" diff -c wdiff:1 a.data b.data
	run -2 "$SKEP" diff --percentage half a.data b.data
	unshare -u sh -c "hostname other; '$SKEP' -q record -F 99 -g -o c.data -- '$WORK/shares' 0.2" >/dev/null
	run -0 "$SKEP" diff -s comm a.data c.data
	[[ "$output" == *"the files are of two machines, $(hostname) and other: shares are compared, not speeds"* ]]
	[[ "$output" == *"the files have samples at two rates, 999 Hz and 99 Hz: "* ]]
}

@test "runs of different lengths count alike in the picture, as in the table" {
	"$SKEP" -q record -F 4999 -o m1.data -- "$WORK/shares" 0.8 >shares
	"$SKEP" -q record -F 4999 -o m2.data -- "$WORK/slower" 0.2 1 >>shares
	"$SKEP" -q record -F 4999 -o n1.data -- "$WORK/shares" 0.2 >>shares
	"$SKEP" -q record -F 4999 -o n2.data -- "$WORK/slower" 0.8 1 >>shares
	"$SKEP" -q diff -s sym --json m1.data m2.data -- n1.data n2.data >rows
	"$SKEP" -q diff -o both.folded m1.data m2.data -- n1.data n2.data
	jq -r 'select(.before_pct > 5) | "\(.sym) \(.before_pct) \(.after_pct)"' rows >want
	[ "$(wc -l <want)" -ge 4 ]
	awk 'NR == FNR { before[$1] = $2; after[$1] = $3; next }
		{ k = split($0, f, /[; ]/); a += $(NF - 1); b += $NF; wa[f[k - 2]] += $(NF - 1); wb[f[k - 2]] += $NF }
		END { for (n in before) { x = 100 * wa[n] / a - before[n]; y = 100 * wb[n] / b - after[n]; print n, before[n], x, after[n], y
			if (x > 0.1 || x < -0.1 || y > 0.1 || y < -0.1) bad = 1 } exit bad }' want both.folded
}

@test "folded stacks of events at a rate have what they weigh, those of a clock samples" {
	"$SKEP" -q record -e page-faults -F 2999 -g -o faults.data -- sh -c 'for i in 1 2 3 4 5 6 7 8; do ls -l /usr/bin | sort; done' >said
	"$SKEP" -q report -i faults.data -s sym --no-children --json | jq -r '.rows[] | select(.self > 0) | "\(.sym) \(.self)"' | sort >want
	"$SKEP" -q flame -i faults.data -o a.folded
	awk '{ k = split($0, f, /[; ]/); n[f[k - 1]] += $NF } END { for (i in n) print i, n[i] }' a.folded | sort >got
	[ "$(wc -l <want)" -gt 5 ]
	diff want got
	"$SKEP" -q record -F 999 -o clock.data -- "$WORK/shares" 0.3 >said
	"$SKEP" -q flame -i clock.data -o b.folded
	[ "$(awk '{ n += $NF } END { print n }' b.folded)" = "$("$SKEP" -q script -i clock.data --json | wc -l)" ]
}

@test "events that differ in how precise they are; --summary beside intervals; options of the other kind are refused" {
	need perf
	perf record -q -F 999 -g -o theirs.data -- "$WORK/shares" 0.3 >said 2>&1
	"$SKEP" -q record -F 999 -g -o ours.data -- "$WORK/shares" 0.3 >said
	"$SKEP" -q diff -s sym --json theirs.data ours.data | jq -se 'any(.sym == "hot" and .before_pct > 40 and .after_pct > 40)'
	"$SKEP" -q diff -s sym --json ours.data theirs.data -e cpu-clock | jq -se 'any(.sym == "hot")'
	"$SKEP" -q stat -e task-clock --json -o whole.json -- "$WORK/shares" 0.2 >said
	"$SKEP" -q stat -e task-clock -I 50 --summary --json -o parts.json -- "$WORK/shares" 0.2 >said
	grep -c interval parts.json
	"$SKEP" -q diff --json whole.json parts.json | jq -se 'map(select(.event))[0] | .ratio > 0.5 and .ratio < 1.5'
	"$SKEP" -q diff --json -e task-clock whole.json parts.json | jq -se 'map(select(.event)) | length == 1 and .[0].event == "task-clock"'
	"$SKEP" -q record -e cpu-clock,emulation-faults -o none.data -- "$WORK/shares" 0.1 >said
	run -1 "$SKEP" diff -e emulation-faults none.data none.data
	[[ "$output" == *"no samples of 'emulation-faults' in 'none.data'"*"hint: it has samples of 'cpu-clock': -e chooses "* ]]
	run -1 "$SKEP" diff -e nosuch whole.json parts.json
	for o in "-s sym" "--percentage absolute" "-c wdiff:1,2" "--dsos x" --inline; do
		run -2 "$SKEP" diff $o whole.json parts.json
	done
	for o in "--top 1" "--filter q<1" "--fields sym" "-c ratio"; do
		run -2 "$SKEP" diff $o ours.data theirs.data -o x.svg
	done
	for o in x.pb.gz x.speedscope.json; do run -2 "$SKEP" diff ours.data theirs.data -o $o; done
	"$SKEP" -q diff -s sym ours.data theirs.data -o rows.json
	jq -se 'any(.sym == "hot")' rows.json
	"$SKEP" -q script -i ours.data -o rows.json
	jq -se 'length > 10' rows.json
	printf '{"event":"e","counter-value":"0"}\n' >none.json
	printf '{"event":"e","counter-value":"5"}\n' >some.json
	run -1 "$SKEP" diff --fail-above 200 none.json some.json
	[[ $output == *'from 0 to 5'* ]]
	"$SKEP" diff --fail-above 200 some.json some.json
}
