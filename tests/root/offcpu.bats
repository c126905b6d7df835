#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Time off the CPUs is the wall time less what the kernel says was run, which the workloads print; each of it is where it was spent.
load ../lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# same KIND N SECONDS: of each task all time off a CPU is wall - run within 1 %, and what it waited for a CPU is the kernel's run_delay;
# and what its beginning takes, which the workload cannot tell: some ms, many where all is slow
same() {
	local before
	before=$(stolen)
	"$SKEP" flame --off-cpu --by pid --format folded -o off.folded -- "$WORK/tasks" "$@" >truth 2>said
	cat said
	awk -v n="$2" -v slow="${SKEP_SLOW:-1}" -v stolen=$(($(stolen) - before)) '
		function far(a, b, room) { return a - b > 0.01 * b + room || b - a > 0.01 * b + room }
		NR == FNR { run[$1] = $3; wait[$1] = $5; wall[$1] = $11; next }
		{
			match($0, /\([0-9]+\)/)
			pid = substr($0, RSTART + 1, RLENGTH - 2)
			off[pid] += $NF
			if ($0 ~ /;\[(run queue|preempted)\] [0-9]+$/) queued[pid] += $NF
		}
		END {
			room = (slow > 1 ? 80e6 : 5e6) + stolen
			for (pid in wall) {
				found += pid in off
				if (far(off[pid], wall[pid] - run[pid], room) || far(queued[pid], wait[pid], room)) {
					print pid ": truth off " wall[pid] - run[pid] " queued " wait[pid] ", skep off " off[pid] " queued " queued[pid]
					bad = 1
				}
			}
			print found " of " n " tasks"
			exit bad || found != n
		}' truth off.folded
}

# near NS TRUTH: within 1 % and a ms; where the CPUs are emulated these are away by times, which is neither run nor wait
near() {
	awk -v a="$1" -v b="$2" -v slow="${SKEP_SLOW:-1}" 'BEGIN {
		room = (slow > 1 ? 0.1 : 0.01) * b + 1e6 * slow
		print a, b
		exit !(a - b < room && b - a < room)
	}'
}

# sum FILE [PATTERN]: ns of a folded file's lines
sum() {
	awk -v p="${2:-}" '$0 ~ p { n += $NF } END { printf "%.0f\n", n }' "$1"
}

# bats test_tags=measuring
@test "off-CPU time is wall - run: sleepers, writers to the disk, more runnable tasks than CPUs" {
	same sleep 10 "$(times 1)"
	same disk 4 "$(times 1)"
	same spin 6 "$(times 1)"
}

# bats test_tags=measuring,user-space
@test "off-CPU time of tasks that wake each other, by pipes and futexes" {
	same pipe 6 "$(times 1)"
	same futex 6 "$(times 1)"
}

# bats test_tags=newest,measuring
@test "off-CPU time is in the functions that waited, by thread" {
	for how in fp eh; do
		"$SKEP" flame --off-cpu --call-graph $how --by tid --format folded -o off.folded -- "$WORK/waits" "$(times 2)" >truth
		cut -c1-300 off.folded
		while read -r _ name ns; do
			got=$(sum off.folded ";$name;")
			echo "$name: truth $ns, skep $got"
			near "$got" "$ns"
		done <truth
		# both threads from the start to the end of what they call
		grep -q ';main;timed;sleep_3ms;' off.folded
		grep -q ';server;serve;' off.folded
		run ! grep -E 'bpf_|__traceiter' off.folded
		# In turn at three places: what is remembered of one is never taken for another
		run ! grep -E ';sleep_3ms;.*(poll|pipe)' off.folded
		run ! grep -E ';poll_1ms;.*(nanosleep|pipe)' off.folded
		run ! grep -E ';ask_server;.*(nanosleep|poll)' off.folded
	done
}

# bats test_tags=newest,measuring
@test "asleep since before the start: the part inside the run, and a frame in place of the unknown stack" {
	background sleep 60
	sleep 0.2
	"$SKEP" flame --off-cpu -p "$BG" --duration "$(times 0.5)" --format folded -o off.folded 2>said
	cat off.folded said
	[ "$(wc -l <off.folded)" = 1 ]
	grep -qE '^sleep;\[truncated: asleep before the start\];.*nanosleep [0-9]+$' off.folded
	grep -q 'slept since before the start' said
	awk -v want="$(times 0.5)" -v slow="${SKEP_SLOW:-1}" '{ exit !($NF >= want * 0.99e9 && $NF < want * 1.02e9 + 20e6 * slow) }' off.folded
	# a kernel thread has no user stack to miss
	"$SKEP" flame --off-cpu --comm kthreadd -a --duration 200ms --format folded -o off.folded
	cat off.folded
	grep -qE '^kthreadd;ret_from_fork[^[]*kthreadd[^[]* [0-9]+$' off.folded
}

@test "a thread that the kernel made for a process (io_uring) has no user stack" {
	"$WORK/uring" 0 || skip "no io_uring here"
	"$SKEP" flame --off-cpu --format folded -o off.folded -- "$WORK/uring" 0.5
	cat off.folded
	"$WORK/uring" 0 | grep -q '^iou-sqp' || skip "the kernel makes a thread of its own"
	grep -q '^iou-sqp' off.folded
	run ! grep -vE '^iou-sqp[^;]*;(ret_from_fork[^;]*;)+io_sq_thread' <(grep '^iou-sqp' off.folded)
}

# bats test_tags=user-space
@test "sleepers by user, name and cgroup" {
	background "$WORK/tasks" sleep 1 60
	sleep 0.3
	for who in "-u root --comm tasks" "--comm tasks" "-p $BG" "-t $BG"; do
		# shellcheck disable=SC2086
		"$SKEP" flame --off-cpu $who --duration 300ms --format folded -o off.folded
		cat off.folded
		[ "$(sum off.folded '^tasks;')" -ge 270000000 ] # of 300 ms, and it runs, too
		[ "$(sum off.folded)" = "$(sum off.folded '^tasks;')" ]
	done
	# The task is not the current one when its cgroup is asked after
	cgroup=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
	if [ -n "$cgroup" ] && mkdir "$cgroup/skep-off-$$" 2>/dev/null; then
		mkdir "$cgroup/skep-off-$$/below"
		echo "$BG" >"$cgroup/skep-off-$$/below/cgroup.procs"
		"$SKEP" flame --off-cpu -G "$cgroup/skep-off-$$" --duration 300ms --format folded -o off.folded
		echo "$BG" >"$cgroup/cgroup.procs"
		rmdir "$cgroup/skep-off-$$/below" "$cgroup/skep-off-$$"
		cat off.folded
		[ "$(sum off.folded '^tasks;')" -ge 290000000 ]
		[ "$(sum off.folded)" = "$(sum off.folded '^tasks;')" ]
	fi
}

# bats test_tags=user-space
@test "--off-part: blocked, queued or preempted alone" {
	"$SKEP" flame --off-cpu --format folded -o all.folded -- "$WORK/tasks" pipe 4 "$(times 0.5)" >truth
	grep -q ';\[run queue\] ' all.folded
	for part in blocked queued preempted; do
		"$SKEP" flame --off-cpu --off-part $part --format folded -o $part.folded -- "$WORK/tasks" pipe 4 "$(times 0.5)" >truth
	done
	run ! grep -E '\[(run queue|preempted)\] ' blocked.folded
	run ! grep -vE '\[run queue\] ' queued.folded
	run ! grep -vE '\[preempted\] ' preempted.folded
}

# bats test_tags=user-space
@test "stacks beyond --max-stacks keep their part" {
	for part in blocked queued preempted; do
		"$SKEP" flame --off-cpu --off-part $part --max-stacks 1 --format folded -o $part.folded -- "$WORK/tasks" pipe 4 "$(times 0.5)" >truth
		cat $part.folded
	done
	grep -qE '^\[other\] [0-9]+$' blocked.folded
	grep -qE '^\[other\];\[run queue\] [0-9]+$' queued.folded
	run ! grep -E '\[(run queue|preempted)\] ' blocked.folded
	run ! grep -vE '\[run queue\] ' queued.folded
	run ! grep -vE '\[preempted\] ' preempted.folded
	"$SKEP" flame --wall --max-stacks 1 --format folded -o wall.folded -- "$WORK/tasks" pipe 4 "$(times 0.5)" >truth
	grep -qE '^\[other\];\[blocked\] [0-9]+$' wall.folded
	grep -qE '^\[other\];\[run queue\] [0-9]+$' wall.folded
}

# bats test_tags=measuring
@test "--wakers: the stack of the waker" {
	"$SKEP" flame --off-cpu --wakers --format folded -o off.folded -- "$WORK/waits" "$(times 1)" >truth
	grep ask_server off.folded
	# The server writes the answer: leaf next to leaf, its root on top
	grep -qE ';ask_server;.*__schedule;\[woken by waits\];(\[kernel.kallsyms\];bpf_trace_run[0-9];)?try_to_wake_up;.*write.*;serve;server' off.folded
	# Who sleeps is woken by a timer, whoever was interrupted by it
	grep -qE ';sleep_3ms;.*;\[woken by [^;]*\];.*hrtimer' off.folded
	run ! grep -E ';\[woken by [^;]*\];(bpf_|__bpf|__traceiter)' off.folded
	got=$(sum off.folded ';timed;ask_server;')
	near "$got" "$(awk '$2 == "ask_server" { print $3 }' truth)"
}

# bats test_tags=user-space,measuring
@test "--wall: all of the time of each task" {
	for kind in spin sleep; do
		"$SKEP" flame --wall -F 1999 --by pid --format folded -o wall.folded -- "$WORK/tasks" $kind 4 "$(times 1)" >truth 2>said
		awk -v slow="${SKEP_SLOW:-1}" '
			NR == FNR { wall[$1] = $11; next }
			{ match($0, /\([0-9]+\)/); got[substr($0, RSTART + 1, RLENGTH - 2)] += $NF }
			END {
				for (pid in wall) {
					off = got[pid] / wall[pid] - 1
					print pid, wall[pid], got[pid], off
					bad = bad || off > 0.03 || off < -0.03 * (slow > 1 ? 4 : 1) # an emulated CPU is taken away, which is neither
				}
				exit bad
			}' truth wall.folded
	done
	grep -q ';\[blocked\] ' wall.folded
	grep -q ';\[run queue\] ' wall.folded
}

# bats test_tags=user-space
@test "the same stacks without CAP_SYSLOG" {
	nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps "-all,+bpf,+perfmon" --ambient-caps "-all,+bpf,+perfmon")
	"${nobody[@]}" true || skip "the kernel has no such capabilities"
	cp "$SKEP" "$WORK/waits" .
	chmod 755 . skep waits
	background sleep 60
	sleep 0.2
	for how in "" --wakers; do
		# shellcheck disable=SC2086
		"${nobody[@]}" ./skep flame --off-cpu $how --format folded -o - -- ./waits "$(times 0.3)" >off.folded
		cut -c1-400 off.folded
		grep -qE ';poll_1ms;.*;__schedule[ ;]' off.folded
		run ! grep -E ';(__schedule|\[woken by [^;]*\]);(bpf_|__bpf|__traceiter)' off.folded
	done
	# No hook has walked who was asleep before: nothing is to be dropped
	"$SKEP" flame --off-cpu -p "$BG" --duration 100ms --format folded -o all.folded
	"${nobody[@]}" ./skep flame --off-cpu -a --comm sleep --duration 100ms --format folded -o - >few.folded
	cat all.folded few.folded
	leaf=$(sed -n 's/.*;\([^;]*\) [0-9]*$/\1/p' all.folded)
	grep -q ";$leaf [0-9]*$" few.folded
}

# bats test_tags=user-space
@test "every format has the time" {
	"$SKEP" flame --off-cpu -o a.json -- "$WORK/tasks" sleep 2 0.5 >truth
	jq -e '.unit == "ns" and .event == "off-CPU time" and .seen == .kept and .weight == .tree.value and .weight > 1.4e9' a.json
	"$SKEP" flame --off-cpu -o a.svg -- "$WORK/tasks" sleep 2 0.5 >truth
	grep -qE 'off-CPU time: [12]\.[0-9]+ s of threads in 0\.[0-9]+ s' a.svg
	grep -qE '^[0-9]+\.[0-9]{3} ms, ' a.svg
	"$SKEP" flame --off-cpu -o a.html --top 3 -- "$WORK/tasks" sleep 2 0.5 >truth
	grep -q '"unit":"ns"' a.html
}

# bats test_tags=user-space
@test "stacks beyond --max-stacks: their time is kept, and --strict fails" {
	"$SKEP" flame --off-cpu --max-stacks 2 --by pid --format folded -o off.folded -- "$WORK/waits" "$(times 0.5)" >truth 2>said
	cat said off.folded
	grep -q 'stacks beyond --max-stacks' said
	run ! grep -e --max-keys said
	awk -v want="$(times 0.5)" -v slow="${SKEP_SLOW:-1}" '{ n += $NF } END { exit !(n >= 2 * (slow > 1 ? 0.85e9 : 0.97e9) * want) }' off.folded
	run "$SKEP" flame --off-cpu --strict --max-stacks 2 --format folded -- "$WORK/waits" 0.3
	[ "$status" = 1 ]
}

# bats test_tags=newest
@test "in a container: pids of the namespace" {
	unshare --pid --fork --kill-child --mount --mount-proc sh -c \
		"'$SKEP' flame --off-cpu --by pid --format folded -o off.folded -- '$WORK/tasks' sleep 2 0.5 >truth"
	cut -c1-200 off.folded
	awk '{ print $1 }' truth | while read -r pid; do grep -q "^tasks ($pid);" off.folded; done
}

# bats test_tags=user-space,measuring
@test "record --off-cpu: each wait is in the file, for skep and for perf" {
	"$SKEP" record --off-cpu -F 1999 -o a.data -- "$WORK/waits" "$(times 1)" >truth
	"$SKEP" flame --off-cpu -i a.data --by tid --format folded -o off.folded
	cut -c1-200 off.folded
	while read -r _ name ns; do
		got=$(sum off.folded ";$name;")
		echo "$name: truth $ns, skep $got"
		near "$got" "$ns"
	done <truth
	# With the clock's samples: all of the time of both threads
	"$SKEP" flame --wall -i a.data --by tid --format folded -o wall.folded
	awk -v want="$(times 1)" -v slow="${SKEP_SLOW:-1}" '{ match($0, /\([0-9/]+\)/); t[substr($0, RSTART, RLENGTH)] += $NF }
		END { for (i in t) { n++; print i, t[i]; bad = bad || t[i] < want * (slow > 1 ? 0.85e9 : 0.97e9) || t[i] > want * 1.03e9 + 5e6 } exit bad || n != 2 }' wall.folded
	# The same marks as of a live run
	"$SKEP" record --off-cpu -o b.data -- "$WORK/tasks" pipe 4 "$(times 0.5)" >truth
	"$SKEP" flame --wall -i b.data --format folded -o wall.folded
	for mark in blocked 'run queue' preempted; do grep -q ";\[$mark\] " wall.folded; done
	"$SKEP" flame --off-cpu -i b.data --format folded -o off.folded
	[ "$(sum wall.folded ';\[run queue\] ')" = "$(sum off.folded ';\[run queue\] ')" ]
	[ "$(sum wall.folded ';\[blocked\] ')" = "$(sum off.folded '[^]] [0-9]*$')" ]
	run "$SKEP" flame --wall -i a.data --event-index 0
	[ "$status" = 2 ]
	# an event that counts no time is left out, and said
	"$SKEP" record --off-cpu -e cpu-clock -e page-faults/period=1,name=page-faults/ -o b.data -- "$WORK/shares" 0.3
	run -0 "$SKEP" flame --wall -i b.data --format folded -o wall.folded
	[[ "$output" == *"'page-faults' counts no time, and is not in this sum"* ]]
	[ "$(sum wall.folded '')" = "$("$SKEP" report -i b.data --json | jq '[., .other_events[] | select(.event != "page-faults") | .weight] | add')" ]
	"$SKEP" record --off-cpu -e page-faults -o b.data -- "$WORK/shares" 0.2
	run -1 "$SKEP" flame --wall -i b.data
	[[ "$output" == *"has 0 clocks beside 'offcpu-time': --wall needs one"* ]]
	for e in cpu-clock:u cpu-clock:k task-clock:u; do
		"$SKEP" record --off-cpu -e $e -o b.data -- "$WORK/shares" 0.2
		run "$SKEP" flame --wall -i b.data
		echo "$output"
		[ "$status" = 1 ]
		[[ "$output" == *"'$e' counts "*": --wall cannot add it up"* ]]
	done
	"$SKEP" record -o b.data -- "$WORK/shares" 0.3
	run "$SKEP" flame --off-cpu -i b.data
	[ "$status" = 1 ]
	[[ "$output" == *"has no event 'offcpu-time'"* ]]
	need perf
	perf script -i a.data -F comm,event,period,ip,sym 2>/dev/null | awk '/offcpu-time/ { n++; ns += $2 } END { print n, ns; exit !(n > 100 && ns > 1e9) }'
	perf report -i a.data --stdio --no-children -g none 2>/dev/null | grep -A9 "event 'offcpu-time'" | grep -q __schedule
}

# bats test_tags=user-space
@test "record --off-cpu: a note of stacks that are not in the file, when it is written and when it is read" {
	run "$SKEP" record --off-cpu --max-stacks 1 -o a.data -- "$WORK/waits" 0.3
	echo "$output"
	[ "$status" = 0 ]
	[[ "$output" == *"stacks beyond --max-stacks"* ]]
	run "$SKEP" record --off-cpu --strict --max-stacks 1 -o a.data -- "$WORK/waits" 0.3
	[ "$status" = 1 ]
	"$SKEP" flame --off-cpu -i a.data --format folded -o off.folded 2>said
	cat said off.folded
	grep -q '^waits;\[truncated: no room for the stack\]' off.folded
	grep -q 'stacks beyond --max-stacks' said
	run "$SKEP" flame --off-cpu --strict -i a.data --format folded
	[ "$status" = 1 ]
	run "$SKEP" flame --off-cpu --strict --no-user -i a.data -o off.folded
	[ "$status" = 1 ]
	grep -q '^waits;\[truncated: no room for the stack\]' off.folded
	# Who was asleep before has no user stack in the file either
	background sleep 60
	sleep 0.2
	"$SKEP" record --off-cpu -p "$BG" --duration "$(times 0.3)" -o b.data
	"$SKEP" flame --off-cpu -i b.data --format folded -o off.folded
	cat off.folded
	grep -qE '^sleep;\[truncated: asleep before the start\];.*nanosleep ' off.folded
}

# bats test_tags=newest
@test "record of the scheduler's tracepoint: a stack for each switch" {
	[ -r /sys/kernel/tracing/events/sched ] || [ -r /sys/kernel/debug/tracing/events/sched ] || skip "tracefs is not mounted"
	"$SKEP" record -g -e sched:sched_switch -o a.data -- "$WORK/waits" 0.5 >truth
	"$SKEP" flame -i a.data --format folded -o a.folded
	grep -q ';timed;sleep_3ms;.*__schedule' a.folded
	need perf
	perf script -i a.data 2>/dev/null >script.txt
	head -20 script.txt
	grep -q 'sched:sched_switch' script.txt
	grep -qE '__schedule\+0x[0-9a-f]+ ' script.txt
	grep -qE 'sleep_3ms\+0x[0-9a-f]+ ' script.txt
}

# bats test_tags=user-space
@test "options that exclude each other" {
	for o in "-e cycles" "-F 99" "-c 1000" "--idle" "-C 0" "--wall" "-m 64" "--wakers --off-part queued" "--off-part x"; do
		# shellcheck disable=SC2086
		run "$SKEP" flame --off-cpu $o -a -- true
		echo "$o: $status $output"
		[ "$status" = 2 ]
	done
	for o in "--wakers" "--off-part blocked" "--wall -e cycles" "--wall -C 0"; do
		# shellcheck disable=SC2086
		run "$SKEP" flame $o -a -- true
		echo "$o: $status $output"
		[ "$status" = 2 ]
	done
	run "$SKEP" flame --off-cpu --comm nosuchname -a --duration 200ms
	echo "$output"
	[ "$status" = 1 ]
	[[ "$output" == *"was off a CPU"* ]]
}
