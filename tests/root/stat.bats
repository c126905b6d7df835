#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Counts are exact, and in perf's words.
load ../lib.bash
bats_require_minimum_version 1.5.0

# value EVENT FILE: of a CSV
value() {
	awk -F, -v e="$1" '$3 == e { print $1 }' "$2"
}

# by KIND FILE: the last number of a line of tests/work/usage
by() {
	awk -v k="$1" '$1 == k { n = $2 } END { print n }' "$2"
}

# bats test_tags=measuring
@test "page faults, children included, and own context switches are those of getrusage" {
	mkfifo go
	for flag in "" -i; do
		"$WORK/usage" 40 <go >truth 3>&- &
		BACKGROUND+=($!)
		exec 9>go
		eventually grep -q ready truth
		"$SKEP" stat -x, $flag -o "a$flag.csv" -e page-faults,context-switches -p $! -- \
			sh -c 'echo go >&9; until [ "$(grep -c faults truth)" = 2 ]; do sleep 0.05; done; sleep 0.1'
		exec 9>&-
		cp truth "was$flag"
	done
	tail -n 6 was was-i a.csv a-i.csv
	# a fault that the kernel has to try twice is one to getrusage; nothing does that here but an emulated CPU
	off=$(($(value page-faults a.csv) - $(by faults was)))
	[ $off -ge 0 ] && [ $off -lt "${SKEP_SLOW:-1}" ]
	# it may be preempted behind its last look
	more=$(($(value context-switches a-i.csv) - $(by switches was-i)))
	[ $more -ge 0 ] && [ $more -le 2 ]
}

@test "separators of thousands are the locale's: none in C" {
	run --separate-stderr env LC_ALL=C "$SKEP" stat -e raw_syscalls:sys_enter -- dd if=/dev/zero of=/dev/null bs=1 count=2000 status=none
	[[ "$stderr" =~ \ +[4-9][0-9][0-9][0-9]\ +raw_syscalls:sys_enter ]]
	need localedef
	localedef -i en_US -f UTF-8 ./en_US.UTF-8 2>said || skip "no sources of locales here"
	localedef -i de_DE -f UTF-8 ./de_DE.UTF-8
	export LOCPATH=$PWD
	run --separate-stderr env LC_ALL=en_US.UTF-8 "$SKEP" stat -e raw_syscalls:sys_enter -- dd if=/dev/zero of=/dev/null bs=1 count=2000 status=none
	[[ "$stderr" =~ \ +[4-9],[0-9][0-9][0-9]\ +raw_syscalls:sys_enter ]]
	run --separate-stderr env LC_ALL=de_DE.UTF-8 "$SKEP" stat -e raw_syscalls:sys_enter,task-clock -- dd if=/dev/zero of=/dev/null bs=1 count=2000 status=none
	[[ "$stderr" =~ \ +[4-9]\.[0-9][0-9][0-9]\ +raw_syscalls:sys_enter ]] && [[ "$stderr" =~ [0-9],[0-9][0-9]\ msec\ task-clock ]]
	[[ "$stderr" =~ [0-9],[0-9]{9}\ seconds\ time\ elapsed ]]
	# Programs read these
	LC_ALL=de_DE.UTF-8 "$SKEP" stat -x';' -o a.csv -e raw_syscalls:sys_enter,task-clock -- dd if=/dev/zero of=/dev/null bs=1 count=2000 status=none
	grep -qE '^[4-9][0-9]{3};;raw_syscalls' a.csv && grep -qE '^[0-9]+\.[0-9]+;msec;task-clock' a.csv
	LC_ALL=de_DE.UTF-8 "$SKEP" stat -j -o a.json -e raw_syscalls:sys_enter,task-clock -- true
	jq -se 'length == 2' a.json
}

@test "several -e add up, in stat, record, flame and probe" {
	"$SKEP" stat -x, -o a.csv -e page-faults -e task-clock,context-switches -- true
	[ "$(cut -d, -f3 a.csv | tr '\n' ' ')" = "page-faults task-clock context-switches " ]
	run "$SKEP" record -c 100000 -e cpu-clock -e page-faults -e minor-faults -o a.data -- "$WORK/shares" 0.1
	[[ "$output" == *"samples of 3 events"* ]]
	"$SKEP" flame -c 1 -e page-faults -o a.folded -- ls / >out
	"$SKEP" probe -e "u:$WORK/hitrate:hit" -e "u:$WORK/hitrate:main" --count -o a -- "$WORK/hitrate" 10
	[ "$(wc -l <a)" = 3 ]
	run -2 "$SKEP" record -e cpu-clock -e nosuchevent -o a.data -- true
	[[ "$output" == *"cpu-clock,nosuchevent"*"          ^"* ]]
}

# bats test_tags=measuring
@test "task-clock is the CPU time of the program" {
	"$SKEP" stat -x, -o a.csv -e task-clock -- "$WORK/shares" 1 >/dev/null
	cat a.csv
	awk -F, '{ ok = $1 > 1000 && $1 < 1500 } END { exit !ok }' a.csv
}

# bats test_tags=measuring
@test "-p: a process with threads, until COMMAND ends; -t: one of them; --per-thread: a row each" {
	busy "$WORK/threads" 900
	sleep 0.3
	"$SKEP" stat -x, -o a.csv -e task-clock -p $BG -- sleep 0.5
	tid=$(grep -l '^t5$' /proc/$BG/task/*/comm | cut -d/ -f5)
	"$SKEP" stat -x, -o b.csv -e task-clock -t "$tid" -- sleep 0.5
	"$SKEP" stat -x, -o c.csv -e task-clock --per-thread -p $BG -- sleep 0.5
	cat a.csv b.csv c.csv
	awk -v a="$(value task-clock a.csv)" -v b="$(value task-clock b.csv)" 'BEGIN { exit !(a > 2 * b && b > 0) }'
	[ "$(wc -l <c.csv)" = "$(ls /proc/$BG/task | wc -l)" ]
	grep -q "^t5-$tid," c.csv
}

# bats test_tags=user-space
@test "--per-core, --per-die, --per-socket, --per-node: sums of the CPUs that are one, as perf prints them" {
	need perf
	for o in core die socket node; do
		perf stat -a --per-$o -x, -e cpu-clock -- sleep 0.05 2>perf.csv
		"$SKEP" stat -a --per-$o -x, -e cpu-clock,cpu-clock:k -o skep.csv -- sleep 0.05
		# the same names and numbers of CPUs, in the same order; each counted all the time
		diff <(cut -d, -f1,2 perf.csv) <(grep ',cpu-clock,' skep.csv | cut -d, -f1,2)
		[ "$(awk -F, '{ n += $2 } END { print n }' perf.csv)" = "$(nproc)" ]
		awk -F, '/,cpu-clock,/ && ($3 / $2 < 45 || $3 / $2 > 500) { exit 1 }' skep.csv
	done
	"$SKEP" stat -a --per-core -j -e cpu-clock -o skep.json -- true
	[ "$(jq -s 'map(.["aggregate-number"]) | add' skep.json)" = "$(nproc)" ]
	"$SKEP" stat -a --per-core -I 50 -e cpu-clock -- sleep 0.12 2>text
	grep -qE '^# +time core +cpus +counts unit events$' text
	grep -qE '^ +[0-9.]+ S[0-9]+-D[0-9]+-C[0-9]+ +[1-9][0-9]* +[0-9.]+ msec cpu-clock' text
	# in the order of their numbers, also where one CPU of several is chosen
	"$SKEP" stat -C 0 --per-socket -x, -e cpu-clock -o skep.csv -- true
	[ "$(cut -d, -f2 skep.csv)" = 1 ]
	"$SKEP" stat -a --per-cache=L1 -x, -e cpu-clock -o skep.csv -- true
	grep -qE '^S[0-9-]+-D[0-9]+-L(1-ID[0-9]+|-1-ID-1),[0-9]+,' skep.csv # no cache is seen in an emulated machine
	[ "$(awk -F, '{ n += $2 } END { print n }' skep.csv)" = "$(nproc)" ]
	"$SKEP" stat -a --per-cluster -x, -e cpu-clock -o skep.csv -- true
	grep -qE '^S[0-9-]+-D[0-9]+-CLS[0-9-]+,[0-9]+,' skep.csv
	run -2 "$SKEP" stat -a --per-cache=x -- true
	[[ "$output" == *"bad value 'x' of '--per-cache'"* ]]
	run -2 "$SKEP" stat --per-core -- true
	[[ "$output" == *"--per-core needs -a, -C or -G"* ]]
	run -2 "$SKEP" stat -a --per-core --per-die -- true
}

@test "--per-thread -a: every thread that ran, the one of COMMAND with what it used" {
	"$SKEP" stat -a --per-thread -x, -e task-clock -o a.csv -- "$WORK/shares" 0.3 >/dev/null
	cat a.csv
	awk -F, '/^(skep|shares)-/ && $2 > most { most = $2 } END { exit !(most > 150) }' a.csv
	run ! grep 'not counted' a.csv
}

# bats test_tags=measuring
@test "-a: every CPU all the time; -A: a row for each; -C: those" {
	cpus=$(nproc --all)
	"$SKEP" stat -x, -o a.csv -e cpu-clock -a -- sleep 0.3
	"$SKEP" stat -x, -o b.csv -e cpu-clock -a -A -- sleep 0.3
	"$SKEP" stat -x, -o c.csv -e cpu-clock -C 0 -- sleep 0.3
	cat a.csv b.csv c.csv
	awk -F, -v n="$cpus" '{ ok = $1 >= 300 * n && $6 > 0.95 * n && $6 < 1.05 * n } END { exit !ok }' a.csv
	[ "$(grep -c '^CPU[0-9]*,' b.csv)" = "$(ls -d /sys/devices/system/cpu/cpu[0-9]* | wc -l)" ]
	awk -F, '{ ok = $6 > 0.95 && $6 < 1.05 } END { exit !ok }' c.csv
}

# bats test_tags=measuring,user-space
@test "duration_time, user_time, system_time: of the run and of COMMAND, as in the lines below the table" {
	need perf
	for p in perf "$SKEP"; do
		LC_ALL=C "$p" stat -e duration_time,user_time,system_time -- "$WORK/shares" 0.3 2>"text.${p##*/}" >/dev/null
		awk '$3 ~ /_time$/ && $2 == "ns" { gsub(",", "", $1); ns[$3] = $1 }
			/seconds time elapsed/ { ok += ns["duration_time"] == $1 * 1e9 } /seconds user/ { ok += ns["user_time"] - $1 * 1e9 < 1 }
			END { exit !(ok == 2 && ns["duration_time"] > 3e8 && ns["user_time"] > 1e8) }' "text.${p##*/}"
		# in one row, whatever the rows are; the times of COMMAND when it has ended
		"$p" stat -a -A -x, -e duration_time,user_time,cpu-clock -o a.csv -- sleep 0.1
		cut -d, -f1,3,4 a.csv | grep -v '^#' | grep . >"fields.${p##*/}"
		"$p" stat -I 100 -x, -e duration_time -o a.csv -- "$WORK/shares" 0.25 >/dev/null
		grep -v '^#' a.csv | grep . | awk -F, '{ print $2 ~ /^[0-9]+$/ ? "number" : $2, $3, $4 }' | sort -u >>"fields.${p##*/}"
	done
	diff fields.perf fields.skep
	"$SKEP" stat -I 100 -x, -e user_time -o a.csv -- "$WORK/shares" 0.25 >/dev/null
	[ "$(grep -c 'not counted' a.csv)" = "$(($(wc -l <a.csv) - 1))" ] && tail -n 1 a.csv | grep -qE '^ +[0-9.]+,[0-9]{8,},ns,user_time,'
	"$SKEP" stat -D 300 -x, -e duration_time -o a.csv -- sleep 0.6
	awk -F, '{ exit !($1 > 2.5e8 && $1 < 5e8) }' a.csv
	run -2 "$SKEP" record -e duration_time -o a.data -- true
	[[ "$output" == *"'duration_time' has no samples"* ]]
	run -2 "$SKEP" stat -e '{cycles,duration_time}' -- true
}

@test "--cputype: the one kind of CPUs; cpu/EVENT/ also where no counters are; a CPU that is not online" {
	kind=$(cd /sys/bus/event_source/devices && ls -d */cpus 2>/dev/null | cut -d/ -f1 | tail -n 1)
	[ "$(ls -d /sys/bus/event_source/devices/*/cpus 2>/dev/null | wc -l)" -lt 2 ] || skip "CPUs of several kinds"
	"$SKEP" stat --cputype "${kind:-cpu}" -x, -e cpu-clock,"${kind:-cpu}/instructions/" -o a.csv -- true
	[ "$(cut -d, -f3 a.csv | tail -n 1)" = "${kind:-cpu}/instructions/" ]
	run -2 "$SKEP" stat --cputype=123 -- true
	[[ "$output" == *"no kind of CPUs is called so"*"hint: the kinds here: "* ]]
	run ! "$SKEP" stat -C 60000 -- true
	[[ "$output" == *"CPU 60000 is not online"*"No supported events found."* ]]
}

# counts TEXT: value and event of each row, in order
counts() {
	grep -v '^#' "$1" | awk 'NF { gsub(",", ""); for (i = 1; i <= NF; i++) if ($i == "#") NF = i - 1; $1 = $1; print }'
}

# bats test_tags=user-space
@test "stat record: perf stat report and perf script show the same counts as skep, of files of either" {
	need perf
	export LC_ALL=C
	"$SKEP" stat record -a -o skep.data -e cpu-clock,page-faults,context-switches,raw_syscalls:sys_enter,duration_time -- sleep 0.1 2>table
	grep -q 'Performance counter stats for' table
	perf stat record -a -o perf.data -e cpu-clock,page-faults,context-switches,duration_time -- sleep 0.1 2>said
	"$SKEP" stat record -o skep-own.data -e task-clock,page-faults -- true 2>said
	perf stat record -o perf-own.data -e task-clock,page-faults -- true 2>said
	"$SKEP" stat record -a -I 100 -o skep-rounds.data -e cpu-clock,page-faults -- sleep 0.25 2>said
	perf stat record -a -I 100 -o perf-rounds.data -e cpu-clock,page-faults -- sleep 0.25 2>said
	for f in skep perf skep-own perf-own skep-rounds perf-rounds; do
		for o in "" -A --per-core --per-socket; do
			[ -z "$o" ] || [[ "$f" != *own ]] || continue
			# perf needs the topology of CPUs in the file
			[[ "$o" != --per* ]] || [[ "$f" = perf* ]] || continue
			perf stat report $o -i $f.data 2>perf.text
			"$SKEP" stat report $o -i $f.data 2>skep.text
			# a time of the run is in one row, of one CPU; perf does not always know which events are such
			[ -z "$o" ] && t="<not counted> ns" || t=duration_time
			diff <(counts perf.text | grep -v "$t") <(counts skep.text | grep -v "$t")
		done
		perf script -i $f.data >perf.text
		"$SKEP" script -i $f.data >skep.text 2>said
		diff perf.text skep.text
		[ "$(wc -l <skep.text)" -gt 2 ]
	done
	# what was printed is what was kept
	"$SKEP" stat report -i skep.data 2>again
	diff <(counts table | tail -n +2) <(counts again | tail -n +2)
	"$SKEP" stat report -i skep.data --per-core -x, -o a.csv
	[ "$(grep -c ',cpu-clock,' a.csv)" = "$(perf stat -a --per-core -x, -e cpu-clock -- true 2>&1 | wc -l)" ]
	# -A of all events is the sum
	"$SKEP" stat report -i skep.data -x, -o all.csv && "$SKEP" stat report -i skep.data -A -x, -o each.csv
	[ "$(value page-faults all.csv)" = "$(awk -F, '$4 == "page-faults" { n += $2 } END { print n }' each.csv)" ]
	"$SKEP" stat report -i perf-rounds.data -j -o a.json
	[ "$(jq -s 'map(.interval) | unique | length' a.json)" = 3 ]
}

# stat_threads STREAM FILE: FILE is STREAM with 1.1 MB more of the record of threads
stat_threads() {
	python3 - "$@" <<'EOF'
import struct, sys
b = open(sys.argv[1], "rb").read()
at = struct.unpack_from("<Q", b, 8)[0]
while True:
    kind, misc, n = struct.unpack_from("<IHH", b, at)
    if kind == 73:
        break
    at += n
many = struct.pack("<IHHQ", 73, 0, 16 + 24 * 2700, 2700) + struct.pack("<q16s", -1, b"") * 2700
open(sys.argv[2], "wb").write(b[:at + n] + many * 17 + b[at + n:])
EOF
}

# bats test_tags=user-space
@test "stat record: the thread of the counts is COMMAND, also in a stream and in a file that was cut" {
	need perf python3
	"$SKEP" stat record -o own.data -e page-faults -- sh -c 'echo $$ >file.pid; ls >ls.out' 2>said
	"$SKEP" stat record -o - -e page-faults -- sh -c 'echo $$ >stream.pid; ls >ls.out' 2>said >own.stream
	perf stat record -o - -e page-faults -- sh -c 'echo $$ >perf.pid; ls >ls.out' 2>said >perf.stream
	# as of a recording that was killed: no size of the data, and nothing after it
	python3 - own.data cut.data <<'EOF'
import struct, sys
b = bytearray(open(sys.argv[1], "rb").read())
at, size = struct.unpack_from("<QQ", b, 40)
struct.pack_into("<Q", b, 48, 0)
open(sys.argv[2], "wb").write(b[:at + size])
EOF
	for f in own.data:file own.stream:stream perf.stream:perf cut.data:file; do
		"$SKEP" script -i - <"${f%:*}" >skep.text 2>said
		cat skep.text
		[ "$(awk 'NR > 1 { print $2 }' skep.text)" = "$(cat "${f#*:}.pid")" ]
		case $f in
		*.stream:*) perf script -i - <"${f%:*}" | diff - skep.text ;;
		own.data:*) perf script -i own.data | diff - skep.text ;;
		esac
	done
	"$SKEP" stat report --per-thread -i - -x, -o a.csv <own.stream
	cat a.csv
	grep -qE -- "-$(cat stream.pid),[0-9]+,,page-faults" a.csv
	# of more threads than are kept, the record is counted
	stat_threads own.stream many.stream
	run "$SKEP" script -i - <many.stream
	echo "$output"
	[ "$status" = 0 ] && [[ "$output" == *" $(cat stream.pid) "*"1  records of the file skipped"* ]]
	# of everything there is no thread
	"$SKEP" stat record -a -o all.data -e page-faults -- true 2>said
	[ "$("$SKEP" script -i all.data | awk 'NR > 1 { print $2 }' | sort -u)" = -1 ]
}

# stat_patch IN OUT: OUT is IN with counts of an id that no event has
stat_patch() {
	python3 - "$@" <<'EOF'
import struct, sys
b = bytearray(open(sys.argv[1], "rb").read())
at, size = struct.unpack_from("<QQ", b, 40)
end = at + size
while at < end:
    kind, misc, n = struct.unpack_from("<IHH", b, at)
    if kind == 76:
        struct.pack_into("<Q", b, at + 8, 0x1234567)
    at += n
open(sys.argv[2], "wb").write(b)
EOF
}

# bats test_tags=user-space
@test "script and stat report: counts of no event are counted as lost" {
	need python3
	"$SKEP" stat record -o a.data -e task-clock,page-faults -- true 2>said
	stat_patch a.data ids.data
	for what in script "stat report"; do
		# shellcheck disable=SC2086
		run "$SKEP" $what -i ids.data
		echo "$output"
		[[ "$output" == *"2  records of the file skipped: they are damaged"* ]]
		# shellcheck disable=SC2086
		run ! "$SKEP" $what --strict -i ids.data
	done
}

# bats test_tags=user-space
@test "stat record --per-socket, --per-die: reported so on the machine that it is of, as perf does, and refused on another" {
	need perf
	for how in --per-socket --per-die; do
		"$SKEP" stat record $how -a -o rows.data -e cpu-clock -- sleep 0.1 2>/dev/null
		perf stat report -i rows.data 2>&1 | awk '/ msec cpu-clock / { print $1, $2, $3 }' >want
		grep -q ^S0 want
		"$SKEP" stat report -i rows.data 2>&1 | awk '/ msec cpu-clock / { print $1, $2, $3 }' | diff want -
		run -1 unshare -u sh -c 'hostname other; exec "$@"' _ "$SKEP" stat report -i rows.data
		[[ "$output" == *"$how needs the machine that the file is of"* ]]
	done
}

# bats test_tags=user-space
@test "stat record: streams, both ways; what is no file of counts; a damaged one" {
	need perf
	for w in perf "$SKEP"; do
		for r in perf "$SKEP"; do
			"$w" stat record -o - -e task-clock,page-faults -- true 2>said | "$r" stat report -i - >text 2>&1
			grep -q "Performance counter stats for 'pipe':" text && grep -qE '[1-9][0-9]* +page-faults' text
			"$w" stat record -o - -e task-clock,page-faults -- true 2>said | "$r" script -i - >text 2>&1
			grep -qE '^CPU +THREAD +VAL +ENA +RUN +TIME +EVENT$' text && [ "$(grep -cE ' (task-clock|page-faults)$' text)" = 2 ]
		done
	done
	"$SKEP" stat record -o a.data -e page-faults -- true 2>said
	run ! "$SKEP" report -i a.data
	[[ "$output" == *"has counts, not samples"*"skep stat report"* ]]
	"$SKEP" record -o b.data -e cpu-clock -c 100000 -- "$WORK/shares" 0.05 >said 2>&1
	run ! "$SKEP" stat report -i b.data
	[[ "$output" == *"has no counts"* ]]
	"$SKEP" stat record -o - -e page-faults -- true 2>said >whole
	head -c $(($(stat -c %s whole) - 1)) whole >cut
	run ! "$SKEP" stat report -i cut
	[[ "$output" == *"'cut' ends in the middle, before its counts are complete" ]]
	run -2 "$SKEP" stat record -r 3 -o c.data -- true
	run -2 "$SKEP" stat record --latency -o c.data -- true
	[ ! -e c.data ]
	# wherever it is cut, or a byte of its records is another one: an answer, not a crash
	size=$(stat -c %s a.data)
	for at in $(seq 8 40 "$size"); do
		head -c "$at" a.data >cut.data
		run "$SKEP" stat report -i cut.data
		[ "$status" -le 1 ]
		cp a.data bad.data
		printf '\377' | dd of=bad.data bs=1 seek="$at" conv=notrunc status=none
		run "$SKEP" stat report -i bad.data
		[ "$status" -le 1 ]
		run "$SKEP" script -i bad.data
		[ "$status" -le 1 ]
	done
}

# bats test_tags=measuring
@test "-M: what these need and only these figures; --metric-only: without the counts, a line for each key" {
	run --separate-stderr "$SKEP" stat -M page_faults_per_second,CPUs_utilized -- true
	[[ "$stderr" =~ [0-9]\ +page-faults\ +\#\ +[0-9.]+\ K?\ ?faults/sec\ \ page_faults_per_second ]]
	[[ "$stderr" =~ msec\ task-clock\ +\#\ +[0-9.]+\ CPUs\ utilized\ \ CPUs_utilized ]]
	# an event that is there is not added again, and has no figure that is not selected
	"$SKEP" stat -x, -e context-switches,faults -M page_faults_per_second -o a.csv -- true
	[ "$(cut -d, -f3 a.csv | tr '\n' ' ')" = "context-switches faults task-clock " ]
	[ "$(grep -c '/sec$' a.csv)" = 1 ]
	# the clocks of all CPUs run all the time
	"$SKEP" stat -a --metric-only -x, -M CPUs_utilized,cs_per_second -o a.csv -- sleep 0.5
	cat a.csv
	[ "$(head -n 1 a.csv)" = "CPUs  CPUs_utilized,cs/sec  cs_per_second," ]
	awk -F, -v n="$(nproc)" 'NR == 2 { ok = NF == 3 && $1 > 0.9 * n && $1 < 1.1 * n && $2 > 0 } END { exit !(ok && NR == 2) }' a.csv
	"$SKEP" stat -a -A --metric-only -j -M CPUs_utilized -I 100 -o a.json -- sleep 0.25
	[ "$(jq -s 'map(select(keys == ["CPUs  CPUs_utilized", "cpu", "interval"] and (.cpu | tonumber) >= 0)) | length | . >= 3 * '"$(nproc)"' and . % '"$(nproc)"' == 0' a.json)" = true ] # a slow machine has more intervals
	"$SKEP" stat -a --per-core --metric-only -x, -M page_faults_per_second -o a.csv -- true
	[ "$(head -n 1 a.csv)" = "core,cpus,faults/sec  page_faults_per_second," ]
	[ "$(awk -F, 'NR > 1 { n += $2 } END { print n }' a.csv)" = "$(nproc)" ]
	"$SKEP" stat -a --metric-only -j -M insn_per_cycle -o a.json -- true
	jq -e '.["instructions  insn_per_cycle"] | . == "none" or tonumber > 0' a.json
	run --separate-stderr "$SKEP" stat --metric-only -e raw_syscalls:sys_enter -- true
	[[ "$stderr" == *"--metric-only has no figures of these events"* ]]
	run -2 "$SKEP" stat -M IPC -- true
	[[ "$output" == *"unknown metric 'IPC'"*"hint: -M takes CPUs_utilized"* ]]
}

# bats test_tags=measuring
@test "-G: a cgroup" {
	mount=$(awk '/ - cgroup2 / { print $5; exit }' /proc/self/mountinfo)
	[ -n "$mount" ] || skip "no cgroup v2"
	mkdir -p "$mount/skep-stat-$$" || skip "cannot make a cgroup"
	background sh -c "echo \$\$ > $mount/skep-stat-$$/cgroup.procs; exec $WORK/shares $(times 2)"
	sleep 0.2
	run "$SKEP" stat -x, -G "skep-stat-$$" -e task-clock --timeout 500
	if [ "$status" = 3 ] && [[ "$output" == *"hint: enable one, such as: echo +pids"* ]] && [ -n "$SKEP_OWN_MACHINE" ]; then
		echo +pids >"$mount/cgroup.subtree_control"
		run "$SKEP" stat -x, -G "skep-stat-$$" -e task-clock --timeout 500
	fi
	stop $BG
	rmdir "$mount/skep-stat-$$"
	echo "$output"
	[ "$status" = 0 ]
	awk -F, '/task-clock/ { ok = $1 > 100 } END { exit !ok }' <<<"$output"
}

@test "-I: the intervals add up to the whole" {
	"$SKEP" stat -x, -I "$(times 100)" -o a.csv -e page-faults -- sh -c 'for i in 1 2 3 4 5 6 7 8; do ls /usr >/dev/null; sleep 0.05; done' 
	"$SKEP" stat -x, -o b.csv -e page-faults -- sh -c 'for i in 1 2 3 4 5 6 7 8; do ls /usr >/dev/null; sleep 0.05; done'
	cat a.csv b.csv
	[ "$(wc -l <a.csv)" -ge 3 ]
	awk -F, 'FILENAME == "a.csv" { sum += $2; next } { d = sum - $1; exit !(d < 0.05 * $1 && d > -0.05 * $1) }' a.csv b.csv
}

# bats test_tags=user-space
# bats test_tags=user-space
@test "-I: --interval-count, --summary and its word in CSV, --interval-clear" {
	"$SKEP" stat -e page-faults -I 100 --interval-count 2 --summary -x, -o out -- sleep 0.6
	cat out
	[ "$(wc -l <out)" = 3 ]
	[ "$(cut -d, -f1 out | tail -1)" = "         summary" ]
	"$SKEP" stat -e page-faults -I 100 --summary --no-csv-summary -x, -o out -- "$WORK/usage" 40 <<<go >/dev/null
	cat out
	[ "$(awk -F, 'NF == 8 { sum += $2 } NF == 7 { sum -= $1; all++ } END { print sum, all }' out)" = "0 1" ]
	# without COMMAND the run ends with the last interval
	timeout 20 "$SKEP" stat -a -e page-faults -I 100 --interval-count 3 --interval-clear -o out
	[ "$(grep -c page-faults out)" = 3 ]
	[ "$(grep -c $'\e\\[H\e\\[2J' out)" = 3 ]
}

# bats test_tags=user-space
@test "--pre, --post, --log-fd, -n and --table, --all-user" {
	"$SKEP" stat -n -r 3 --table --pre 'echo pre >>order' --post 'echo post >>order' --log-fd 3 -- sh -c 'echo run >>order' 3>out
	cat out
	[ "$(tr '\n' ' ' <order)" = "pre run post pre run post pre run post " ]
	[ "$(grep -c ' seconds, run [123]$' out)" = 3 ]
	run ! grep -q page-faults out
	run "$SKEP" stat --pre 'exit 3' -- touch ran
	[ "$status" = 1 ] && [ ! -e ran ]
	[ "$output" = "skep stat: the command of --pre failed: exit 3" ]
	run "$SKEP" stat --post false -e page-faults -x, -o kept -- true
	grep -q ,page-faults, kept
	[ "$status" = 1 ] && [ "$output" = "skep stat: the command of --post failed: exit 1" ]
	run "$SKEP" stat --log-fd 77 -- true
	[ "$status" = 2 ] && [ "${lines[1]}" = "hint: 77>FILE at the end of the line opens one" ]
	run "$SKEP" stat -x, --all-user -e page-faults,context-switches -- true
	[[ "$output" == *",page-faults:u,"* ]] && [ "${lines[1]%%,*}" = 0 ]
	run "$SKEP" stat --all-kernel -e page-faults:u -- true
	[ "$status" = 2 ]
}

@test "--filter: of the tracepoint before it" {
	# ten writes of one byte to standard output, in any kernel's words
	run "$SKEP" stat -x, -e syscalls:sys_enter_write --filter 'count == 7' -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do echo 123456; done >/dev/null; echo 1 >/dev/null'
	echo "$output"
	[ "${output%%,*}" = 10 ]
}

@test "-r: the number of runs, their mean and error" {
	run "$SKEP" stat -r 4 -x, -e page-faults -- sh -c 'echo run >>runs'
	echo "$output"
	[ "$(wc -l <runs)" = 4 ]
	[[ "$output" =~ ^[0-9]+,,page-faults,[0-9.]+%,[0-9]+,100.00, ]]
}

# calls_ok TRUTH CSV SIDE: every "call NAME N" and "compat NAME N" of TRUTH, to the unit; fewer only by what the kernel skipped
calls_ok() {
	awk -F'[ ,]' -v side="$3" -v skipped="$(skipped)" '
		NR == FNR { if ($1 == "call") want["syscalls:sys_" side "_" $2] = $3; if ($1 == "compat") want["syscalls:sys_" side "_" $2 ":compat"] = $3; next }
		{ for (i = 1; i < NF; i++) if ($i ~ /^syscalls:/) got[$i] = $1 }
		END {
			for (e in want) {
				n++; missing += want[e] - got[e]; bad += got[e] > want[e]
				if (got[e] != want[e]) print e ": truth " want[e] ", skep " got[e]
			}
			print n " system calls compared, " missing " calls missing, " skipped " skipped"
			exit bad || missing > skipped || n < 40
		}' "$1" "$2"
}

@test "system calls of 8 threads and 20 children, failing and 32-bit calls, too: exact" {
	"$SKEP" stat -x, -o a.csv -e 'syscalls:*' -- "$WORK/calls" 200 8 20 >truth 2>said
	calls_ok truth a.csv enter
	calls_ok truth a.csv exit
}

# bats test_tags=measuring,user-space
@test "system calls by one name, -p, -u, --comm; raw_syscalls is their sum; -A adds up" {
	"$SKEP" stat -x, -o a.csv -e syscalls:sys_enter_getpgid,syscalls:sys_exit_getsid -- "$WORK/calls" 500 >truth
	[ "$(value syscalls:sys_enter_getpgid a.csv)" = 500 ]
	[ "$(value syscalls:sys_exit_getsid a.csv)" = 501 ]
	"$SKEP" stat -x, -o b.csv -e 'syscalls:sys_enter_*,raw_syscalls:sys_enter' -- "$WORK/calls" 50 >truth
	awk -F, '$3 ~ /^syscalls/ { sum += $1 } $3 == "raw_syscalls:sys_enter" { raw = $1 } END { print sum, raw; exit !(sum == raw && raw > 2000) }' b.csv
	"$SKEP" stat -x, -A -o c.csv -e 'syscalls:sys_enter_getp*' -- "$WORK/calls" 500 >truth
	[ "$(awk -F, '$4 == "syscalls:sys_enter_getpgid" { n += $2 } END { print n }' c.csv)" = 500 ]
	chmod 755 .
	for who in "-u 54321" "--comm calls" -p; do
		background sh -c "sleep $(times 0.5); exec setpriv --reuid 54321 --clear-groups '$WORK/calls' 300"
		case $who in
		-p) "$SKEP" stat -x, -o f.csv -p $BG -e syscalls:sys_enter_getpgid ;;
		-u*) "$SKEP" stat -x, -o d.csv $who -e syscalls:sys_enter_getpgid --timeout "$(times 1200)" ;;
		*) "$SKEP" stat -x, -o e.csv $who -e syscalls:sys_enter_getpgid --timeout "$(times 1200)" ;;
		esac
	done
	cat d.csv e.csv f.csv
	[ "$(cat d.csv e.csv f.csv | cut -d, -f1 | xargs)" = "300 300 300" ]
}

@test "a loop of calls beside fork and exit of targets: the filter's cache is never stale" {
	"$SKEP" stat -x, -o a.csv -e syscalls:sys_enter_getpgid -- sh -c 'for i in 1 2 3 4 5; do "$0" 300 0 5 & done; wait' "$WORK/calls" >truth
	[ "$(value syscalls:sys_enter_getpgid a.csv)" = $((5 * 6 * 300)) ]
}

@test "tracepoints: forks and exits, exact, as in perf; a glob counts each of its tracepoints" {
	[ -r /sys/kernel/tracing/events/sched ] || [ -r /sys/kernel/debug/tracing/events/sched ] || skip "tracefs is not mounted"
	# its threads and children, and the child that tries the 32-bit entry
	"$SKEP" stat -x, -o a.csv -e sched:sched_process_fork,sched:sched_process_exit,sched:sched_process_exec -- "$WORK/calls" 3 8 20 >truth
	cat a.csv
	forks=$((8 + 20))
	[ "$(uname -m)" != x86_64 ] || forks=$((forks + 1))
	[ "$(value sched:sched_process_fork a.csv)" = $forks ]
	[ "$(value sched:sched_process_exit a.csv)" = $((forks + 1)) ]
	[ "$(value sched:sched_process_exec a.csv)" = 1 ]
	"$SKEP" stat -x, -o b.csv -e 'sched:sched_process_*' -- "$WORK/calls" 3 8 20 >truth
	[ "$(value sched:sched_process_fork b.csv)" = $forks ]
	"$SKEP" stat -x, -A -o c.csv -e sched:sched_process_fork -a -- "$WORK/calls" 3 8 20 >truth
	[ "$(awk -F, '{ n += $2 } END { print n }' c.csv)" -ge $forks ]
	need perf
	perf stat -x, -o p.csv -e sched:sched_process_fork,sched:sched_process_exit -- "$WORK/calls" 3 8 20 >truth
	[ "$(value sched:sched_process_fork p.csv)" = "$(value sched:sched_process_fork a.csv)" ]
}

@test "unknown tracepoints; no tracefs" {
	run "$SKEP" stat -e nosuch:thing -- true
	[ "$status" = 2 ] || [[ "$output" == *tracefs* ]]
	run unshare --mount sh -c "umount -l /sys/kernel/tracing /sys/kernel/debug/tracing 2>/dev/null; umount -l /sys/kernel/debug 2>/dev/null; '$SKEP' stat -e 'sched:*' -- true"
	echo "$output"
	[ "$status" = 3 ]
	[[ "$output" == *"tracefs is not mounted"*"hint: mount -t tracefs"* ]]
}

@test "--by and --latency: exact calls and errors, by name and by thread; consistent times" {
	"$SKEP" stat -x, --by syscall -o a.csv -e 'syscalls:*' -- "$WORK/calls" 200 8 20 >truth
	awk -F'[ ,]' 'NR == FNR { if ($1 == "call") want[$2] = $3; if ($1 == "compat") want[$2 ":compat"] = $3; next } { got[$2] = $1 }
		END { for (c in want) { n++; if (got[c] != want[c]) { print c ": truth " want[c] ", skep " got[c]; bad = 1 } } exit bad || n < 40 }' truth a.csv
	"$SKEP" stat -x, --latency --by syscall,errno -o b.csv -e 'syscalls:*' -- "$WORK/calls" 200 8 20 >truth
	# getresuid(0, ...) is EFAULT, fsync(-1) EBADF, getsid(0) succeeds
	awk -F, '$9 == "getresuid" { a = $1 == 29 * 204 && $2 == $1 && $10 == "EFAULT" } $9 == "fsync" { b = $1 == 29 * 217 && $2 == $1 && $10 == "EBADF" }
		$9 == "getsid" { c = $1 == 29 * 201 && $2 == 0 && $10 == "" } END { exit !(a && b && c) }' b.csv
	# mean between min and max; min <= p50 <= p99 <= max; the total is not more than all threads' time
	awk -F, 'NR > 1 && !($5 <= $4 && $4 <= $8 && $5 <= $6 && $6 <= $7 && $7 <= $8 && $3 >= $1 * $5 && $3 <= $1 * $8 + 1) { print; bad = 1 } END { exit bad || NR < 20 }' b.csv
	"$SKEP" stat -x, --by comm,tid -o c.csv -e syscalls:sys_enter_getpgid -- "$WORK/calls" 100 8 0 >truth
	[ "$(awk -F, 'NR > 1 && $1 == 100' c.csv | wc -l)" = 9 ]
	"$SKEP" stat -j --latency --by syscall -o d.json -e syscalls:sys_enter_clock_nanosleep -- sleep 0.2
	ends d.json
	cat d.json
	if type -P jq >/dev/null; then
		[ "$(jq '.calls == 1 and .total_ns >= 200000000 and .total_ns == .max_ns and .min_ns == .max_ns and .p50_ns == .max_ns and (.slots | map(.n) | add) == 1' d.json)" = true ]
	fi
}

@test "--by: keys beyond --max-keys are one row, with a loss; --top" {
	"$SKEP" stat -x, --by tid --max-keys 16 -o a.csv -e syscalls:sys_enter_getpgid -- "$WORK/calls" 10 8 40 >truth 2>said
	cat a.csv said
	[ "$(awk -F, 'NR > 1 { n += $1 } END { print n }' a.csv)" = 490 ]
	grep -q ',(other)$' a.csv
	grep -q "beyond --max-keys" said
	run "$SKEP" stat --by syscall --top 3 -- "$WORK/calls" 10
	[ "$(grep -cE '^[a-z0-9_]+ +[0-9]+$' <<<"$output")" = 3 ]
	[[ "$output" == *"more rows)"* ]]
}

@test "--latency: the same without task storage, by a hash of threads" {
	"$SKEP" -v stat -x, --latency --by syscall -o a.csv -e 'syscalls:*' -- "$WORK/calls" 50 8 5 >truth 2>said
	cat said
	if "$SKEP" doctor | grep -qE '^task storage +yes'; then
		run ! grep -q "no task storage here" said
	else
		grep -q "no task storage here.*a hash of threads instead" said
	fi
	[ "$(awk -F, '$9 == "getpgid" { print $1 }' a.csv)" = $((14 * 50)) ]
}

# bats test_tags=user-space
@test "exit status of COMMAND; a command that cannot run; <not supported> as in perf" {
	run "$SKEP" stat -e task-clock -- sh -c 'exit 7'
	[ "$status" = 7 ]
	run -127 "$SKEP" stat -- ./no-such-program
	run "$SKEP" stat -x, -e cycles -- true
	[ "$status" = 0 ]
	[[ "$output" == "<not supported>,,cycles,0,100.00,,"*"nothing could be counted"* || "$output" =~ ^[0-9]+,,cycles, ]]
	run "$SKEP" stat -x, -e cycles,task-clock -- true
	[ "$status" = 0 ]
}

# bats test_tags=user-space
@test "CSV and JSON: perf's fields, in perf's order" {
	need perf
	need jq
	for o in "" "-r 3" "-a -A" "-I 100"; do
		skep_o=$o
		"$SKEP" stat $skep_o -x, -o s.csv -e task-clock,page-faults,cycles -- sleep 0.15
		perf stat $o -x, -o p.csv -e task-clock,page-faults,cycles -- sleep 0.15
		"$SKEP" stat $skep_o -j -o s.json -e task-clock,page-faults,cycles -- sleep 0.15
		perf stat $o -j -o p.json -e task-clock,page-faults,cycles -- sleep 0.15
		echo "options: $o"
		for f in p s; do
			# the number of fields, and what is in those that are words
			grep -v '^#' $f.csv | grep . | awk -F, '{ printf "%d:", NF; for (i = 1; i <= NF; i++) printf " %s", $i ~ /^ *[0-9.]+%?$/ ? "N" : $i; print "" }' |
				sed 's/[KMG]\/sec/\/sec/; s/<not counted>/N/' | sort -u >$f.shape
			# perf leaves out "variance" and "metric" values at times; keys must come in perf's order
			grep '^{' $f.json | jq -r 'keys_unsorted | join(" ")' | sort -u >$f.keys
		done
		diff p.shape s.shape
		diff p.keys s.keys
	done
}

# bats test_tags=user-space
@test "--stack: each hit with its callers, exact; a flame graph and a file of a tracepoint" {
	"$SKEP" stat --stack -j -o a.json -e sched:sched_process_fork -- "$WORK/children" 20 0.1
	[ "$(jq '.rows | map(.samples) | add' a.json)" = 20 ]
	jq -e '[.rows[].sym] == ["kernel_clone"]' a.json >/dev/null
	"$SKEP" stat --stack --by comm -x, -o b.csv -e syscalls:sys_enter_getpgid -- "$WORK/calls" 300
	cat b.csv
	"$SKEP" stat -x, -o c.csv -e syscalls:sys_enter_getpgid -- "$WORK/calls" 300
	[ "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "samples") c = i; next } { n += $c } END { print n }' b.csv)" = "$(cut -d, -f1 c.csv)" ]
	"$SKEP" flame -e sched:sched_process_fork -o f.folded -- "$WORK/children" 20 0.1
	[ "$(awk '{ n += $NF } END { print n }' f.folded)" = 20 ]
	need perf
	"$SKEP" record -e sched:sched_process_fork -o r.data -- "$WORK/children" 20 0.1
	[ "$(perf script -i r.data -F event 2>/dev/null | grep -c sched_process_fork)" = 20 ]
	run "$SKEP" flame -F 99 -e sched:sched_process_fork -- true
	[ "$status" = 2 ]
	[[ "$output" == *"every time it happens"* ]]
	"$SKEP" stat --stack --by cpu,tid,event,comm -x, -o k.csv -e syscalls:sys_enter_getpgid -- "$WORK/calls" 3
	head -1 k.csv | grep -q ',comm,tid,cpu,event,sym$'
	for keys in user comm,cgroup syscall errno 'args->fd' nosuch comm,; do
		run "$SKEP" stat --stack --by "$keys" -e syscalls:sys_enter_getpgid -- true
		echo "$keys: $status $output"
		[ "$status" = 2 ]
		[[ "$output" == *"bad key"* ]]
	done
	run "$SKEP" stat --stack -e 'syscalls:*' -- true
	[ "$status" = 2 ]
	[[ "$output" == *"at most 64 events"* ]]
}

# bats test_tags=measuring
@test "a CPU goes off-line during the run and comes back: counts of the others stay" {
	[ -n "${SKEP_OWN_MACHINE:-}" ] || skip "would take a CPU from whoever else is on this machine"
	off=/sys/devices/system/cpu/cpu1/online
	[ -w $off ] || skip "no CPU here can go off-line"
	background sh -c "sleep 0.5; echo 0 >$off; sleep 0.3; echo 1 >$off"
	"$SKEP" stat -a -A -x, -e cpu-clock,page-faults,sched:sched_switch,raw_syscalls:sys_enter -o a.csv -- sleep 2
	wait $BG
	cat a.csv
	awk -F, '$1 == "CPU0" && $4 == "cpu-clock" { a = $2 } $1 == "CPU1" && $4 == "cpu-clock" { b = $2; seen = 1 } END { exit !(a > 1900 && seen && b < a + 100) }' a.csv
}

@test "-x: an event's name with the separator is one column, a thread's name with a newline is one line" {
	"$SKEP" stat -x, -e 'software/config=1,config1=0/' -o a.csv -- true
	"$SKEP" stat -x';' -e 'software/config=1,config1=0/' -o b.csv -- true
	cat a.csv b.csv
	grep -q ',"software/config=1,config1=0/",' a.csv
	grep -q ';software/config=1,config1=0/;' b.csv
	bad=$'t\033[31m\n1,"x'
	cp "$(type -P sleep)" "$bad"
	background "./$bad" 20
	sleep 0.2
	"$SKEP" stat -x, --per-thread -p $BG -e task-clock -o c.csv -- sleep 0.1
	cat -v c.csv
	[ "$(wc -l <c.csv)" = 1 ]
	run ! grep -q $'\033' c.csv
	grep -qF "\"t\\x1b[31m\\x0a1,\"\"x-$BG\"," c.csv
}

# bats test_tags=user-space
@test "a table fits the terminal: figures' names go first, then room between columns, then figures; elsewhere it is as wide as perf's" {
	type -P script >/dev/null || skip "no script"
	widest() {
		local columns=$1
		shift
		script -qec "stty cols $columns rows 40; '$SKEP' stat $* -- true" /dev/null </dev/null | tr -d '\r' >table
		cat table
		[ "$(wc -L <table)" -le "$columns" ]
	}
	widest 200 -a
	grep -qE 'cpu-clock +# +[0-9.]+ CPUs utilized  CPUs_utilized$' table
	widest 90 -a
	grep -qE 'cpu-clock +# +[0-9.]+ CPUs utilized$' table
	widest 70 -a
	grep -qE 'cpu-clock +# +[0-9.]+ CPUs utilized$' table
	widest 46 -a
	grep -qE 'msec cpu-clock$' table
	widest 80 -a -A
	widest 80 -r 3
	"$SKEP" stat -a -- true 2>&1 | grep -qE 'cpu-clock {24}# '
}
