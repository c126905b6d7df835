#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Files for other programs' viewers: each is read by its own reader, or checked by the format's rules, and that has the heaviest functions of skep report.
# bats file_tags=user-space
load ../lib.bash

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	[ "$(id -u)" = 0 ] || return 0
	local root=$BATS_TEST_DIRNAME/../..
	"$root/build/skep" -q record -F 1999 -g -o cpu.data -- bash -c "$root/build/work/threads 0.2; find /usr/lib | sort" >/dev/null
	[ ! -r /sys/kernel/tracing/events/sched ] || "$root/build/skep" -q record -a -g -e cpu-clock -e sched:sched_switch -o switches.data -- "$root/build/work/shares" 0.1 >/dev/null
	[ ! -e switches.data ] || "$root/build/skep" -q script -i switches.data --json | grep -c '"event":"sched:sched_switch"' >switches.count
}

# package NAME: where npm put it (tools/packages.sh); or the test is skipped
package() {
	need node
	PACKAGE=$ROOT/build/npm/node_modules/$1
	[ -d "$PACKAGE" ] || skip "no $1 of npm here: tools/packages.sh test"
}

recording() { # recording NAME: of setup_file
	[ -e "$BATS_FILE_TMPDIR/$1.data" ] || skip "no recording: tracefs is not mounted"
	ln -s "$BATS_FILE_TMPDIR/$1.data" .
}

# "WEIGHT NAME" of the 20 heaviest functions
heaviest() { LC_ALL=C sort -k1,1nr -k2 | head -20; }

# table FILE [OPTION...]: of skep report, in a file "want"
table() {
	local file=$1
	shift
	"$SKEP" -q report -i "$file" --no-children -s sym --json "$@" >table.json
	jq -r '.rows[] | select(.self > 0) | "\(.self) \(.sym)"' table.json >rows
	awk '{ w = $1; sub(/^[0-9]+ /, ""); sum[$0] += w } END { for (name in sum) printf "%d %s\n", sum[name], name }' rows | heaviest >want
	[ -s want ]
}

@test "speedscope's importer: its own format, of a recording and of sums; folded stacks and Chrome's format of skep, too" {
	package speedscope
	recording cpu
	table cpu.data
	"$SKEP" -q flame -i cpu.data -o a.speedscope.json
	node "$ROOT/tests/viewers/speedscope.js" "$PACKAGE" a.speedscope.json 2>profiles | heaviest >got
	diff want got
	[ "$(jq '.profiles | length' a.speedscope.json)" = "$(wc -l <profiles)" ]
	# in the order of time, and none is missing
	[ "$(jq '[.profiles[].samples | length] | add' a.speedscope.json)" = "$("$SKEP" -q script -i cpu.data --json | wc -l)" ]
	jq -e '[.profiles[] | (.endValue == (.weights | add)) and (.samples | length) == (.weights | length)] | all' a.speedscope.json
	tid=$(jq -r '.profiles[0].name | capture("[(/](?<tid>[0-9]+)[)]").tid' a.speedscope.json)
	"$SKEP" -q script -i cpu.data -G -F tid,ip,sym | awk -v tid="$tid" '$1 == tid { sub(/^ *[0-9]+ +[0-9a-f]+ /, ""); print }' >leaves
	jq -r '.shared.frames as $f | .profiles[0].samples[] | $f[.[-1]].name' a.speedscope.json >shown
	paste leaves shown | awk -F '\t' '$1 == $2 { same++ } $1 != $2 && $1 != "[unknown]" { print; bad = 1 } END { exit bad || same < 10 }'
	"$SKEP" -q flame -i cpu.data -o sums.pb.gz
	"$SKEP" -q flame -i sums.pb.gz -o sums.speedscope.json
	node "$ROOT/tests/viewers/speedscope.js" "$PACKAGE" sums.speedscope.json 2>/dev/null | heaviest | diff want -
	# folded stacks are counts, or periods
	"$SKEP" -q script -i cpu.data --format folded >a.folded
	node "$ROOT/tests/viewers/speedscope.js" "$PACKAGE" a.folded 2>/dev/null | heaviest | diff want -
	# slices end where the next sample begins: within 2 % of the whole
	"$SKEP" -q flame -i cpu.data -o a.trace.json
	node "$ROOT/tests/viewers/speedscope.js" "$PACKAGE" a.trace.json 2>said | heaviest >got
	run ! grep Tried said
	awk 'NR == FNR { name = $0; sub(/^[0-9]+ /, "", name); want[name] = $1; all += $1; next }
		{ name = $0; sub(/^[0-9]+ /, "", name); got[name] = $1 * 1000 }
		END { for (n in want) { d = got[n] - want[n]; if (want[n] > all / 20 && (d > all / 50 || d < -all / 50)) { print n, got[n], want[n]; bad = 1 } } exit bad }' want got
}

@test "speedscope's schema" {
	package speedscope
	recording cpu
	"$SKEP" -q flame -i cpu.data --format speedscope >a.json
	# of the schema: what has to be there, and the words that are constants
	jq -e --slurpfile s "$PACKAGE/dist/release/file-format-schema.json" '($s[0].definitions) as $d |
		($d["FileFormat.File"].required - keys == []) and .["$schema"] == $d["FileFormat.File"].properties["$schema"].const and
		([.profiles[] | ($d["FileFormat.SampledProfile"].required - keys == []) and .type == $d["FileFormat.SampledProfile"].properties.type.const and
			([.unit] - $d["FileFormat.ValueUnit"].enum == [])] | all) and
		([.shared.frames[] | ($d["FileFormat.Frame"].required - keys == []) and (keys - ($d["FileFormat.Frame"].properties | keys) == [])] | all)' a.json
}

@test "Firefox's processed format: threads with their times; packed; of sums; perf's word for it" {
	need node
	recording cpu
	table cpu.data
	"$SKEP" -q flame -i cpu.data -o a.firefox.json.gz
	node "$ROOT/tests/viewers/firefox.js" a.firefox.json.gz 2>/dev/null | heaviest | diff want -
	gzip -dc a.firefox.json.gz >a.json
	"$SKEP" -q script -i cpu.data --json >lines.json
	[ "$(jq -c '[.threads[] | {tid, n: .samples.length}] | sort' a.json)" = "$(jq -sc 'group_by([.pid, .tid]) | map({tid: .[0].tid, n: length}) | sort' lines.json)" ]
	jq -e --slurpfile l lines.json '[.threads[].samples.time[]] | (min == 0) and (max - ($l[-1].time_ns - $l[0].time_ns) / 1e6 | fabs < 0.001)' a.json
	jq -e '.libs | map(select(.codeId)) | length > 0' a.json
	"$SKEP" -q script -i cpu.data --format gecko >gecko.json
	[ "$(jq -c .threads gecko.json)" = "$(jq -c .threads a.json)" ]
	"$SKEP" -q flame -i cpu.data -o sums.pb.gz
	"$SKEP" -q flame -i sums.pb.gz --format firefox >sums.json
	node "$ROOT/tests/viewers/firefox.js" sums.json 2>/dev/null | heaviest | diff want -
}

@test "Firefox's markers: what tracepoints say, and what threads did" {
	need node
	recording switches
	table switches.data --event-index 0
	"$SKEP" -q flame -i switches.data -o a.firefox.json
	node "$ROOT/tests/viewers/firefox.js" a.firefox.json cpu-clock 2>markers | heaviest | diff want -
	cat markers
	[ "$(awk '$3 == "sched:sched_switch" { print $2 }' markers)" = "$(cat "$BATS_FILE_TMPDIR/switches.count")" ]
	for state in running blocked preempted; do grep -q " $state\$" markers; done
	# the workload never sleeps: it ran, or another had its CPU
	jq -r '.shared.stringArray as $s | [.threads[] | select(.processName == "shares" and .isMainThread)][0].markers | range(.length) as $i |
		select(.phase[$i] == 1) | "\($s[.name[$i]]) \(.endTime[$i] - .startTime[$i])"' a.firefox.json |
		awk '{ sum[$1] += $2; all += $2 } END { print sum["running"], sum["preempted"], sum["blocked"]; exit !(all > 0 && sum["running"] + sum["preempted"] > all / 2) }'
	jq -e '.threads[].markers.data[] | select(.type == "sched:sched_switch") | .text and .next_comm and .prev_state != null and .cause.stack != null' a.firefox.json >/dev/null
}

@test "Perfetto's format: samples with their stacks, events of tracks, switches" {
	package protobufjs
	recording cpu
	table cpu.data
	"$SKEP" -q flame -i cpu.data -o a.pftrace
	node "$ROOT/tests/viewers/perfetto.js" "$PACKAGE" a.pftrace 2>counts | heaviest | diff want -
	"$SKEP" -q script -i cpu.data -o a.perfetto-trace.gz
	node "$ROOT/tests/viewers/perfetto.js" "$PACKAGE" a.perfetto-trace.gz 2>/dev/null | heaviest | diff want -
	recording switches
	table switches.data --event-index 0
	"$SKEP" -q flame -i switches.data --format perfetto >b.pftrace
	node "$ROOT/tests/viewers/perfetto.js" "$PACKAGE" b.pftrace cpu-clock 2>counts | heaviest | diff want -
	cat counts
	n=$(cat "$BATS_FILE_TMPDIR/switches.count")
	for what in "samples sched:sched_switch" "event sched:sched_switch" switches; do grep -qx "$n $what" counts; done
	# one event of the file alone
	"$SKEP" -q flame -i switches.data --event-index 0 -o c.pftrace
	node "$ROOT/tests/viewers/perfetto.js" "$PACKAGE" c.pftrace 2>counts | heaviest | diff want -
	run ! grep -q sched counts
}

@test "npm's pprof-format has the 20 heaviest functions of skep's profile, in nanoseconds and in samples" {
	package pprof-format
	recording cpu
	table cpu.data
	"$SKEP" -q flame -i cpu.data -o a.pb.gz
	node "$ROOT/tests/viewers/pprof.js" "$PACKAGE" a.pb.gz | heaviest | diff want -
	jq -r '.rows[] | select(.self > 0) | "\(.samples) \(.sym)"' table.json | awk '{ w = $1; sub(/^[0-9]+ /, ""); sum[$0] += w } END { for (n in sum) print sum[n], n }' | heaviest >want
	node "$ROOT/tests/viewers/pprof.js" "$PACKAGE" a.pb.gz samples | heaviest | diff want -
}

@test "go tool pprof has the same 20" {
	need go
	recording cpu
	table cpu.data
	"$SKEP" -q flame -i cpu.data -o a.pb.gz
	PPROF_TMPDIR=. GOFLAGS= HOME=$PWD GOCACHE=$ROOT/build/gocache go tool pprof -top -nodecount=40 -nodefraction=0 -unit=ns a.pb.gz >top
	awk 'on && $1 + 0 { w = $1; sub(/ns$/, "", w); for (i = 0; i < 5; i++) sub(/^ *[^ ]+ +/, ""); print w, $0 } $1 == "flat" { on = 1 }' top | heaviest >got
	# of those that weigh the same as the last, any may be among them
	diff <(cut -d' ' -f1 want) <(cut -d' ' -f1 got)
	last=$(tail -1 want | cut -d' ' -f1)
	diff <(awk -v l="$last" '$1 > l' want) <(awk -v l="$last" '$1 > l' got)
}

@test "live runs are written as they go, in the order of time; time off the CPUs, too" {
	need node
	"$SKEP" -q flame -F 999 -o a.firefox.json -- "$WORK/shares" 0.3 >truth
	node "$ROOT/tests/viewers/firefox.js" a.firefox.json 2>/dev/null >got
	head -3 got
	[ "$(head -1 got | cut -d' ' -f2)" = hot ]
	jq -e '[.threads[].samples.time[]] | length > 50 and max > 100' a.firefox.json
	"$SKEP" -q flame --off-cpu -o b.speedscope.json -- sleep 0.2
	jq -e '[.profiles[].weights[]] | add > 2e8 and add < 5e9' b.speedscope.json
	"$SKEP" -q flame -F 999 -o c.pftrace -- "$WORK/shares" 0.2 >truth
	[ -s c.pftrace ]
}

@test "what cannot be written, and the names that can" {
	recording cpu
	"$SKEP" -q flame -i cpu.data -o sums.pb.gz
	for format in chrome perfetto; do
		run -2 "$SKEP" flame -i sums.pb.gz --format $format -o x
		[[ "$output" == *"'sums.pb.gz' has sums of stacks, without the times that --format $format shows"*"hint: --format speedscope and firefox show sums, too" ]]
	done
	run -2 "$SKEP" flame -i cpu.data -o x.doc
	for ending in .html .pb.gz .speedscope.json .firefox.json .chrome.json .trace.json .perfetto-trace .pftrace; do [[ "$output" == *"$ending"* ]]; done
	for other in pprof speedscope firefox chrome perfetto gecko; do # words of --format, not endings
		run -2 "$SKEP" flame -i cpu.data -o x.$other
		[[ "$output" == *"unknown format of 'x.$other'"* ]]
	done
	run -2 "$SKEP" flame -i cpu.data --by tid -o x.pftrace
	[[ "$output" == *"--by is not available with --format perfetto"* ]]
	run -2 "$SKEP" script -i cpu.data --format gecko -F comm
	[[ "$output" == *"the fields of other formats are fixed"* ]]
	for what in "-F comm" -D --header; do
		run -2 "$SKEP" script -i cpu.data $what -o x.firefox.json
		[[ "$output" == *"-o 'x.firefox.json' is a file for a viewer"*"hint: --format text writes text into a file of any name" ]]
		[ ! -e x.firefox.json ]
	done
	# a temporary file has no room
	TMPDIR=/proc/self run -1 "$SKEP" flame -i "$(many_samples)" -o x.speedscope.json
	[[ "$output" == *"cannot write a temporary file in '/proc/self'"*"hint: TMPDIR names another directory" ]]
	[ ! -e x ] && [ ! -e x.speedscope.json ]
}

# A recording of one thread whose samples are more than a block of the temporary file
many_samples() {
	[ -e many.data ] || "$SKEP" -q record -F 4999 -o many.data -- "$WORK/shares" 0.3 >/dev/null
	echo many.data
}

@test "hotspot's parser reads every sample of a recording" {
	local parser
	parser=$(ls /usr/lib/*/libexec/hotspot-perfparser 2>/dev/null) || skip "no hotspot here"
	recording cpu
	"$parser" --input cpu.data --output events 2>said
	# After the head and a version: a size, then as many bytes, of which the first says what it is; 13 is a sample (perfdata.h, QPERFSTREAM 19)
	python3 -c '
import struct
data = open("events", "rb").read()
at, samples = 16, 0
assert data[:11] == b"QPERFSTREAM"
while at < len(data):
	size, = struct.unpack("<I", data[at:at + 4])
	samples += data[at + 4] == 13
	at += 4 + size
print(samples)' >got
	"$SKEP" -q script -i cpu.data --json | wc -l | diff got -
	table cpu.data
	while read -r _ name; do grep -aqF "${name%@@*}" events; done < <(head -5 want)
}
