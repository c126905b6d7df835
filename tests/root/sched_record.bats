#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# skep sched record: perf sched's readers take the file, and its switches are those that the kernel counts for the workload.
# bats file_tags=user-space
load ../lib.bash

setup() {
	BACKGROUND=()
	cd "$BATS_TEST_TMPDIR" || return
	need_root
	need perf
	[ -r /sys/kernel/tracing/events/sched ] || [ -r /sys/kernel/debug/tracing/events/sched ] || skip "tracefs is not mounted"
}

@test "sched record: each switch of the workload, with the idle task's and skep's own" {
	idle=$(awk '/^cpu / { print $5 }' /proc/stat) # a machine that is busy with other things does not idle
	"$SKEP" sched record -o s.data -- "$WORK/tasks" sleep 2 0.3 >truth 2>said
	idle_since=$(awk '/^cpu / { print $5 }' /proc/stat)
	cat truth said
	# What task left its CPU asleep is what the kernel counts as voluntary; its end is not in its own count any more
	perf script -i s.data -F event,trace 2>/dev/null | grep 'sched:sched_switch' >switches
	n=0
	while read -r pid _ _ _ _ _ voluntary _; do
		got=$(grep -cE "prev_pid=$pid .*prev_state=[SD]" switches)
		echo "task $pid: truth $voluntary, recorded $got"
		[ "$got" -ge $((voluntary - 2)) ] && [ "$got" -le $((voluntary + 10)) ]
		n=$((n + 1))
	done < <(grep -E '^[0-9]+ ' truth)
	[ $n = 2 ]
	grep -q 'prev_comm=skep ' switches
	[ "$idle_since" = "$idle" ] || grep -q 'prev_comm=swapper' switches
	# A task of the workload that gets a CPU is the next that leaves it
	perf script -i s.data -F cpu,event,trace 2>/dev/null | awk 'NR == FNR { if ($1 ~ /^[0-9]+$/) ours[$1] = 1; next } /sched:sched_switch/ {
		match($0, /prev_pid=[0-9]+/); from = substr($0, RSTART + 9, RLENGTH - 9); match($0, /next_pid=[0-9]+/); to = substr($0, RSTART + 9, RLENGTH - 9)
		if (on[$1] in ours) { n++; bad += on[$1] != from }
		on[$1] = to } END { print n " switches, " bad + 0 " do not follow"; exit !(n && !bad) }' truth -
}

@test "sched record: perf sched latency, timehist, map and script read it" {
	"$SKEP" sched record --no-inherit -R -o s.data -- "$WORK/tasks" sleep 2 0.3 >truth 2>&1
	perf sched latency -i s.data 2>&1 | grep -q '  tasks:'
	perf sched timehist -i s.data 2>&1 | grep -q ' tasks\['
	perf sched map -i s.data 2>&1 | grep -q '=> tasks:'
	[ "$(perf sched script -i s.data 2>/dev/null | wc -l)" = "$("$SKEP" -q script -i s.data | wc -l)" ]
	# The same events as perf's own recording
	perf sched record -o p.data true >/dev/null 2>&1 || skip "perf sched record does not run here"
	diff <(perf evlist -i p.data 2>/dev/null | grep '^sched:' | sort) <(perf evlist -i s.data 2>/dev/null | grep '^sched:' | sort)
	"$SKEP" -q sched record -g -o g.data -- "$WORK/tasks" sleep 1 0.1
	perf sched timehist -i g.data 2>&1 | grep -q ' <- '
}
