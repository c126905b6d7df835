#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Options of perf record that change what is recorded, or how.
load ../lib.bash

# of_comms FILE: the commands of its samples
of_comms() {
	"$SKEP" -q script -i "$1" -F comm | sort -u | tr -d ' '
}

# bats test_tags=user-space
@test "record -i: no child, with privileges and without" {
	# burns for half a second itself, and then by a child
	cat >both.sh <<-EOF
		end=\$((\$(date +%s%N) / 1000000 + 500))
		while [ \$((\$(date +%s%N) / 1000000)) -lt \$end ]; do for i in 1 2 3 4 5 6 7 8 9; do :; done; done
		$WORK/shares 0.3 >/dev/null
	EOF
	"$SKEP" record -F "$(hz 4999)" -o all.data -- bash both.sh
	of_comms all.data | grep -qx shares
	"$SKEP" record -i -F "$(hz 4999)" -o one.data -- bash both.sh
	[ "$(of_comms one.data)" = bash ]
	chmod 777 .
	cp "$SKEP" .
	setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all --inh-caps -all \
		./skep record -i -F "$(hz 4999)" -o user.data -- bash both.sh 2>said || { cat said; [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 2 ] && skip "perf_event_paranoid"; false; }
	grep -q 'without BPF' said
	[ "$(of_comms user.data)" = bash ]
}

# pages_ok FILE: each page that ./truth names is the address of one sample, in perf's words
pages_ok() {
	local word from to page addr
	perf script -f -i "$1" -F event,addr 2>/dev/null | while read -r _ addr _; do echo $((0x$addr / 4096)); done | sort >got
	while read -r word from to; do
		[[ "$word" =~ ^(memory|given)$ ]] || continue
		for ((page = from / 4096; page < to / 4096; page++)); do echo $page; done
	done <truth | sort >want
	[ "$(wc -l <want)" -ge 300 ]
	awk 'NR == FNR { want[$1]; next } $1 in want' want got | diff want - # one line for each sample
}

# bats test_tags=user-space
@test "record -d: the address of each page fault, with privileges and without" {
	need perf
	"$SKEP" record -d -c 1 -e page-faults -o a.data -- "$WORK/faults" 300 >truth
	pages_ok a.data
	"$SKEP" record -c 1 -e page-faults -o b.data -- "$WORK/faults" 300 >truth
	run ! "$SKEP" -q script -i b.data -F event,addr
	chmod 777 .
	cp "$SKEP" "$WORK/faults" .
	setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all --inh-caps -all \
		./skep record -d -c 1 -e page-faults:u --call-graph none -o user.data -- ./faults 300 >truth || { [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 2 ] && skip "perf_event_paranoid"; false; }
	sed -i /given/d truth # the kernel touched it, of which this user sees nothing
	pages_ok user.data
}

@test "record -r: skep has the priority, COMMAND has not" {
	need chrt
	chrt -f 5 true || skip "no real-time priority here"
	"$SKEP" record -r 5 -F "$(hz 999)" -o a.data -- sh -c "chrt -p \$PPID; chrt -p \$\$; $WORK/shares 0.2" >said
	cat said
	sed -n 1,2p said | grep -q 'SCHED_FIFO'
	sed -n 2p said | grep -q ': 5$'
	sed -n 3p said | grep -q 'SCHED_OTHER'
}

# bats test_tags=user-space
@test "record -k, -r, callchains: what is refused" {
	for line in "-k boottime|clock 'boottime' is not available: times are CLOCK_MONOTONIC" "-r 0|bad value '0' of '--realtime': expected 1 to 99" \
		"--kernel-callchains --user-callchains|exclude each other: they leave nothing"; do
		# shellcheck disable=SC2086
		run -2 "$SKEP" record ${line%|*} -- true
		[[ "$output" == *"${line#*|}"* ]] || { echo "$output"; false; }
	done
}

@test "record -e {a,b}: both events are sampled, and the file says that they are a group" {
	need perf
	"$SKEP" record -e '{cpu-clock,task-clock},page-faults' -o group.data -- "$WORK/shares" 0.5
	perf evlist -g -i group.data >list
	printf '%s\n' '{cpu-clock,task-clock}' page-faults | diff - list
	"$SKEP" report -n -s event --no-children -i group.data --format csv | tee rows
	# Both clocks tick together
	awk -F, '/cpu-clock/ { a = $5 } /task-clock/ { b = $5 } END { exit !(a > 200 && b > a * 0.9 && b < a * 1.1) }' <(tr -d '"' <rows)
}

@test "the header of a recording, in a file and through a pipe: as perf prints it" {
	need perf
	"$SKEP" record -e '{cpu-clock,page-faults}' -o head.data -- "$WORK/shares" 0.2
	perf report --header-only -I -i head.data >theirs
	"$SKEP" report --header-only -I -i head.data | diff theirs -
	for line in 'cpuid : ' 'sibling threads : 0' 'CPU 0: Core ID 0, Die ID' 'pmu mappings: .*software = 1' 'group: {cpu-clock,page-faults}'; do
		grep -q "^# $line" theirs
	done
	"$SKEP" record -o - -- "$WORK/shares" 0.2 | "$SKEP" report --header-only -I -i - >piped
	grep -q '^# captured on    : ' piped
	# Of the same machine
	diff <(grep -E '^# (cpuid|sibling|CPU|pmu|nrcpus)' theirs) <(grep -E '^# (cpuid|sibling|CPU|pmu|nrcpus)' piped)
}

# bats test_tags=measuring
@test "record --switch-events: threads are off their CPUs for as long as they say; perf script prints the same" {
	need perf
	"$SKEP" record --switch-events -o switch.data -- "$WORK/waits" 0.5 >truth
	"$SKEP" -q script --show-switch-events -i switch.data | grep PERF_RECORD_SWITCH >ours
	perf script --show-switch-events -i switch.data 2>/dev/null | grep PERF_RECORD_SWITCH | diff - ours
	# waits PID [CPU] TIME: PERF_RECORD_SWITCH OUT; of the first thread, whose number is the least
	"$SKEP" -q script -F tid,time --show-switch-events -i switch.data | awk '
		/PERF_RECORD_SWITCH/ { tid = $1; t = $2 + 0; if (!first || tid < first) first = tid }
		/SWITCH OUT  / { left[tid] = t }
		/SWITCH OUT preempt/ { left[tid] = 0 }
		/SWITCH IN/ { if (left[tid]) off[tid] += t - left[tid]; left[tid] = 0 }
		END { print off[first] }' >seconds
	awk 'NR == FNR { said += $3 / 1e9; next } { print said, $1; exit !($1 > said * 0.95 && $1 < said * 1.05 + 0.01) }' <(grep '^off ' truth) seconds
	# Both threads of each switch, everywhere
	"$SKEP" record -a --switch-events -o wide.data -- sh -c "grep '^cpu ' /proc/stat; '$WORK/waits' 0.1; grep '^cpu ' /proc/stat" >truth
	"$SKEP" -q script --show-switch-events -i wide.data | grep PERF_RECORD_SWITCH >ours
	perf script --show-switch-events -i wide.data 2>/dev/null | grep PERF_RECORD_SWITCH | diff - ours
	# The idle task has its turns, where the machine was idle for two ticks
	grep -qE '^swapper .*PERF_RECORD_SWITCH_CPU_WIDE OUT' ours || awk '/^cpu / { idle = $5 + $6 - idle } END { print "idle", idle; exit idle > 1 }' truth
	grep -qE '^waits .*PERF_RECORD_SWITCH_CPU_WIDE IN +prev pid/tid:' ours
}

# bats test_tags=measuring,user-space
@test "record --switch-events, stacks by tables: a switch wakes nobody at once, and is in order with the mappings" {
	need perf
	# seconds MODE: of 20000 turns of two processes with a pipe
	seconds() {
		"$SKEP" record --switch-events --call-graph "$1" -o "$1.data" -- perf bench sched pipe -l 20000 2>"said.$1" | awk '/Total time/ { print $3 }'
	}
	fp=$(seconds fp) eh=$(seconds eh)
	echo "fp $fp s, eh $eh s"
	awk "BEGIN { exit !($fp > 0 && $eh < 3 * $fp) }"
	[ "$("$SKEP" -q script --show-switch-events -i eh.data | grep -c PERF_RECORD_SWITCH)" -ge 40000 ]
	cat said.eh
	run ! grep dropped said.eh
	# each mapping and switch in its turn, in the file's rounds
	"$SKEP" record -a --switch-events --call-graph eh -o both.data -- bash -c 'for i in {1..100}; do sleep 0; done' 2>said
	perf script --show-switch-events --show-mmap-events --show-task-events -F time,event -i both.data >text 2>notes
	cat notes
	run ! grep -i 'out of order' notes
	grep -c PERF_RECORD_MMAP2 text
	[ "$(grep -c PERF_RECORD_SWITCH text)" -gt 200 ]
	awk 'match($0, /[0-9]+\.[0-9]{6}:/) { t = substr($0, RSTART, RLENGTH - 1) + 0; if (t && t < last) { print; exit 1 } last = t ? t : last }' text
}

@test "record --latency: as many threads run as perf counts: one from the exec of COMMAND on, less those that leave a CPU or exit" {
	echo "for i in 1 2 3 4 5 6 7 8; do /bin/true; done; $WORK/threads 0.3" >children.sh
	for command in "bash children.sh" "$WORK/waits 0.2"; do
		# shellcheck disable=SC2086
		"$SKEP" record --latency -o latency.data -- $command >truth
		"$SKEP" -q script -F tid,time --show-switch-events --show-task-events -i latency.data | awk -v least="$([ "$command" = "bash children.sh" ] && echo 17 || echo 2)" '
			/PERF_RECORD_COMM exec/ { begun = 1 }
			/PERF_RECORD_FORK/ { split($0, id, /[(:)]/); delete gone[id[3]] }
			/PERF_RECORD_SWITCH/ { bad += !begun || ($1 in gone); running += /SWITCH IN/ ? 1 : -1 }
			/PERF_RECORD_EXIT/ { gone[$1] = 1; exits++; running-- }
			END { print exits, running + 1, bad + 0; exit !(exits >= least && running + 1 == 0 && !bad) }'
	done
	run -2 "$SKEP" record --latency -a -o latency.data -- true
	[ "${lines[0]}" = "skep record: --latency and -a exclude each other: who runs when it begins is known of COMMAND only" ]
}

@test "record --namespaces: a task that is given a network of its own; as perf script prints it" {
	need perf
	"$SKEP" record --namespaces -o ns.data -- unshare -n sh -c 'stat -Lc %i /proc/self/ns/net; ls -lR /etc >/dev/null' >truth
	"$SKEP" -q script --show-namespace-events -i ns.data | grep -A2 PERF_RECORD_NAMESPACES >ours
	perf script --show-namespace-events -i ns.data 2>/dev/null | grep -A2 PERF_RECORD_NAMESPACES | diff - ours
	grep -q "0/net: [0-9]*/0x$(printf %x "$(cat truth)"), 1/uts: " ours
	# COMMAND before that, and those who ran before it
	grep -q "0/net: [0-9]*/0x$(printf %x "$(stat -Lc %i /proc/self/ns/net)"), 1/uts: " ours
	"$SKEP" record -a --namespaces -o all.data -- sleep 0.1
	"$SKEP" -q script --show-namespace-events -i all.data | grep -q "PERF_RECORD_NAMESPACES $$/$$ - nr_namespaces: 7"
	perf record -a -q --namespaces -o theirs.data -- sleep 0.1 >/dev/null 2>&1
	of() { "$SKEP" -q script --show-namespace-events -i "$1" | grep -A2 "PERF_RECORD_NAMESPACES $$/$$ -" | tail -2; }
	diff <(of theirs.data) <(of all.data)
	chmod 777 . && cp "$SKEP" skep
	run -3 setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all --inh-caps -all ./skep record --namespaces -o no.data -- true
	[[ "$output" == *"not permitted to record namespaces (needs CAP_PERFMON and CAP_BPF)"* ]]
}
