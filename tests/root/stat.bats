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
	[ "$(value page-faults a.csv)" = "$(by faults was)" ]
	# it may be preempted behind its last look
	more=$(($(value context-switches a-i.csv) - $(by switches was-i)))
	[ $more -ge 0 ] && [ $more -le 2 ]
}

@test "task-clock is the CPU time of the program" {
	"$SKEP" stat -x, -o a.csv -e task-clock -- "$WORK/shares" 1 >/dev/null
	cat a.csv
	awk -F, '{ exit !($1 > 1000 && $1 < 1500) }' a.csv
}

@test "-p: a process with threads, until COMMAND ends; -t: one of them; --per-thread: a row each" {
	background "$WORK/threads" 60
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

@test "-a: every CPU all the time; -A: a row for each; -C: those" {
	cpus=$(nproc --all)
	"$SKEP" stat -x, -o a.csv -e cpu-clock -a -- sleep 0.3
	"$SKEP" stat -x, -o b.csv -e cpu-clock -a -A -- sleep 0.3
	"$SKEP" stat -x, -o c.csv -e cpu-clock -C 0 -- sleep 0.3
	cat a.csv b.csv c.csv
	awk -F, -v n="$cpus" '{ exit !($1 >= 300 * n && $6 > 0.95 * n && $6 < 1.05 * n) }' a.csv
	[ "$(grep -c '^CPU[0-9]*,' b.csv)" = "$(ls -d /sys/devices/system/cpu/cpu[0-9]* | wc -l)" ]
	awk -F, '{ exit !($6 > 0.95 && $6 < 1.05) }' c.csv
}

@test "-G: a cgroup" {
	mount=$(awk '/ - cgroup2 / { print $5; exit }' /proc/self/mountinfo)
	[ -n "$mount" ] || skip "no cgroup v2"
	mkdir -p "$mount/skep-stat-$$" || skip "cannot make a cgroup"
	background sh -c "echo \$\$ > $mount/skep-stat-$$/cgroup.procs; exec $WORK/shares $(times 2)"
	sleep 0.2
	run "$SKEP" stat -x, -G "skep-stat-$$" -e task-clock --timeout 500
	stop $BG
	rmdir "$mount/skep-stat-$$"
	echo "$output"
	[ "$status" = 0 ]
	awk -F, '/task-clock/ { exit !($1 > 100) }' <<<"$output"
}

@test "-I: the intervals add up to the whole" {
	"$SKEP" stat -x, -I "$(times 100)" -o a.csv -e page-faults -- sh -c 'for i in 1 2 3 4 5 6 7 8; do ls /usr >/dev/null; sleep 0.05; done' 
	"$SKEP" stat -x, -o b.csv -e page-faults -- sh -c 'for i in 1 2 3 4 5 6 7 8; do ls /usr >/dev/null; sleep 0.05; done'
	cat a.csv b.csv
	[ "$(wc -l <a.csv)" -ge 3 ]
	awk -F, 'FILENAME == "a.csv" { sum += $2; next } { d = sum - $1; exit !(d < 0.05 * $1 && d > -0.05 * $1) }' a.csv b.csv
}

@test "-r: as many runs, their mean and error" {
	run "$SKEP" stat -r 4 -x, -e page-faults -- sh -c 'echo run >>runs'
	echo "$output"
	[ "$(wc -l <runs)" = 4 ]
	[[ "$output" =~ ^[0-9]+,,page-faults,[0-9.]+%,[0-9]+,100.00, ]]
}

@test "exit status of COMMAND; a command that cannot run; what is missing is said in perf's words" {
	run "$SKEP" stat -e task-clock -- sh -c 'exit 7'
	[ "$status" = 7 ]
	run -127 "$SKEP" stat -- ./no-such-program
	run "$SKEP" stat -x, -e cycles -- true
	[ "$status" = 0 ]
	[[ "$output" == "<not supported>,,cycles,0,100.00,,"* ]] || [[ "$output" =~ ^[0-9]+,,cycles, ]]
}

@test "CSV and JSON: perf's fields, for perf's own parser's eyes" {
	need perf
	need jq
	for o in "" "-r 3" "-a -A" "-I 1000"; do
		skep_o=$o
		"$SKEP" stat $skep_o -x, -o s.csv -e task-clock,page-faults,cycles -- true
		perf stat $o -x, -o p.csv -e task-clock,page-faults,cycles -- true
		"$SKEP" stat $skep_o -j -o s.json -e task-clock,page-faults,cycles -- true
		perf stat $o -j -o p.json -e task-clock,page-faults,cycles -- true
		echo "options: $o"
		for f in p s; do
			# the number of fields, and what is in those that are words
			grep -v '^#' $f.csv | grep . | awk -F, '{ printf "%d:", NF; for (i = 1; i <= NF; i++) printf " %s", $i ~ /^ *[0-9.]+%?$/ ? "N" : $i; print "" }' |
				sed 's/[KMG]\/sec/\/sec/' >$f.shape
			# perf leaves out "variance" and "metric" values at times; keys must come in perf's order
			grep '^{' $f.json | jq -r 'keys_unsorted | join(" ")' >$f.keys
		done
		diff p.shape s.shape
		diff p.keys s.keys
	done
}
