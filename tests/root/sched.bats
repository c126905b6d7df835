#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# skep sched says of tasks what the kernel's own sums say of them (/proc/PID/schedstat, getrusage), which the workload prints.
load ../lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# same KIND N SECONDS: of each task waits and switches are as told by the kernel, its run and its sleep within 1 %; and what its end
# takes, which the workload cannot tell any more: some ms and switches, many where all is slow
same() {
	local before
	before=$(stolen)
	"$SKEP" sched --format json -o rows.json ${intervals:-} -- "$WORK/tasks" "$@" >truth 2>said
	ends rows.json
	cat said
	jq -rs 'group_by(.pid)[] | [.[0].pid] + ([map([.run_ns, .wait_ns, .voluntary, .involuntary, .sleep_ns + .blocked_ns + .stopped_ns]) |
		transpose[] | add]) | map(tostring) | join(" ")' rows.json |
		awk -v n="$2" -v slow="${SKEP_SLOW:-1}" -v stolen=$(($(stolen) - before)) '
			function far(a, b, over, under) { return a - b > 0.01 * b + over || b - a > 0.01 * b + under }
			NR == FNR { run[$1] = $3; wait[$1] = $5; vol[$1] = $7; inv[$1] = $9; wall[$1] = $11; next }
			!($1 in run) { next }
			{
				found++
				room = slow > 1 ? 80e6 : 5e6
				more = slow > 1 ? 10 : 3
				around = stolen + (slow > 1 ? 0.1 : 0.05) * wall[$1] # an emulated CPU is taken away, which is neither run nor wait
				if (far($2, run[$1], room, 1e6) || far($3, wait[$1], room, 1e6) || $4 < vol[$1] || $4 > vol[$1] + more || $5 < inv[$1] || $5 > inv[$1] + more ||
				    far($2 + $3 + $6, wall[$1], 2 * room, around)) {
					print $0 ": truth run " run[$1] " wait " wait[$1] " switches " vol[$1] " " inv[$1] " wall " wall[$1]
					bad = 1
				}
			}
			END { print found " of " n " tasks"; exit bad || found != n }' truth -
}

# bats test_tags=measuring
@test "run, wait, switches and sleep of tasks that spin, sleep, and write to the disk" {
	same spin 6 "$(times 1.5)"
	same sleep 10 "$(times 1)"
	same disk 4 "$(times 1)"
}

# bats test_tags=measuring,user-space
@test "run, wait, switches and sleep of tasks that wake each other, by pipes and futexes" {
	same pipe 6 "$(times 1)"
	same futex 6 "$(times 1)"
}

# bats test_tags=user-space,measuring
@test "run, wait, switches and sleep of fifty tasks" {
	same spin 50 "$(times 2)"
}

# bats test_tags=user-space
@test "thousands of short tasks: a row each" {
	n=$((5000 / ${SKEP_SLOW:-1} / ${SKEP_SLOW:-1}))
	"$SKEP" sched --format json -o rows.json -- "$WORK/tasks" many $n >truth 2>said
	ends rows.json
	cat said
	[ "$(cat truth)" = "many $n" ]
	wc -l rows.json
	[ "$(wc -l <rows.json)" = $((n + 1)) ]
	# A run that was all interrupts is none to the kernel
	[ "$(jq -s 'map(select(.run_ns > 0)) | length' rows.json)" -gt $((n * 9 / 10)) ]
}

# bats test_tags=measuring
@test "a task that sleeps all the time, one that runs all the time: the part inside the run" {
	sleep 60 &
	asleep=$!
	"$WORK/shares" 60 >/dev/null &
	runs=$!
	sleep 0.2
	"$SKEP" sched -p $asleep,$runs --duration "$(times 0.5)" --by pid --format json -o rows.json
	ends rows.json
	kill $asleep $runs
	cat rows.json
	jq -se --argjson p $asleep --arg s "$(times 0.5)" 'map(select(.pid == $p))[0] | .run_ns == 0 and .sleep_ns >= ($s | tonumber) * 0.97e9' rows.json
	jq -se --argjson p $runs --arg s "$(times 0.5)" 'map(select(.pid == $p))[0] |
		.sleep_ns == 0 and (.run_ns + .wait_ns - ($s | tonumber) * 1e9 | fabs) < ($s | tonumber) * 0.05e9' rows.json
}

# bats test_tags=measuring,user-space
@test "-I: run, wait and sleep of the intervals add up to the kernel's" {
	intervals="-I 20"
	same pipe 6 "$(times 1)"
	same spin 6 "$(times 1)"
	same sleep 10 "$(times 1)"
}

# bats test_tags=user-space
@test "-I: the intervals add up to the whole; rows by name are those by thread" {
	"$SKEP" sched -I 200 --by comm --format csv -o a.csv -- "$WORK/tasks" pipe 4 "$(times 1)" >truth
	head -4 a.csv
	[ "$(grep -c '^time' a.csv)" = 1 ]
	[ "$(tail -n +2 a.csv | cut -d, -f1 | sort -u | wc -l)" -ge 4 ]
	awk -F, 'NR == FNR { split($0, w, " "); want += w[7]; next } $NF == "tasks" { got += $7; n++ }
		END { print "switches: truth " want ", skep " got; exit got < want || got > want + 20 }' truth a.csv
	"$SKEP" sched --by comm --format json -o b.json -- "$WORK/tasks" spin 4 0.3 >truth
	ends b.json
	[ "$(jq -s length b.json)" = 1 ]
	jq -e --argjson n "$(awk '{ n += $9 } END { print n }' truth)" '.comm == "tasks" and .involuntary >= $n' b.json
}

@test "--fields and --filter: what is shown, and not what is summed" {
	"$SKEP" sched --by comm,tid --fields switches,comm,sleep,run --filter 'comm == "sleep" && sleep > 20ms' --format csv -o a.csv -- sh -c 'sleep 0.2; true' 2>said
	cat a.csv said
	[ "$(head -1 a.csv)" = switches,comm,sleep_ns,run_ns ]
	awk -F, 'NR > 1 && (NF != 4 || $2 != "sleep" || $3 <= 20e6) { bad = 1 } END { exit bad || NR != 2 }' a.csv
	grep -q '^note: [0-9]* rows* .*not shown: --filter$' said
	"$SKEP" sched timehist --filter 'run > 100s' --format json -o a.json -- "$WORK/tasks" spin 1 0.1 >truth 2>said
	cat said
	ends a.json
	[ ! -s a.json ]
	grep -q 'rows* .*not shown: --filter$' said
}

# bats test_tags=newest
@test "histograms have each wait, run and sleep" {
	"$SKEP" sched --hist --format json -o a.json -- "$WORK/tasks" sleep 2 0.5 >truth
	ends a.json
	jq -se 'all((.wait_slots | map(.n) | add) == .waits and (.run_slots | map(.n) | add) == .voluntary + .involuntary)' a.json
	jq -se 'all(.wait_max_ns >= .wait_p99_ns and .wait_p99_ns >= .wait_p50_ns and .wait_max_ns >= .wait_mean_ns)' a.json
	"$SKEP" sched --hist -o a.txt -- "$WORK/tasks" sleep 2 0.2 >truth
	cat a.txt
	head -1 a.txt | grep -q '^comm .*waits .*runs .*sleeps$'
}

# bats test_tags=user-space
@test "keys beyond --max-keys are one row, and --strict fails" {
	"$SKEP" sched --max-keys 50 --by tid --format json -o a.json -- "$WORK/tasks" many 200 >truth 2>said
	ends a.json
	jq -e '.losses.keys_full > 0' a.json.end
	cat said
	grep -q 'beyond --max-keys' said
	[ "$(jq -s 'map(select(.of == "other")) | length' a.json)" = 1 ]
	run "$SKEP" sched --strict --max-keys 50 --by tid -o /dev/null -- "$WORK/tasks" many 200
	[ "$status" = 1 ]
}

# An emulated kernel skips some entries, which is said.
# bats test_tags=user-space
@test "-I: tasks that have ended make room for later ones" {
	n=$((6000 / ${SKEP_SLOW:-1} / ${SKEP_SLOW:-1}))
	"$SKEP" sched -I 50 --max-keys $((n / 2)) --format json -o rows.json -- "$WORK/tasks" many $n 2>said
	ends rows.json
	cat said
	run ! grep -q 'beyond --max-keys' said
	[ "$(jq -r .tid rows.json | sort -u | wc -l)" = $((n + 1)) ]
	run ! grep -q '"of"' rows.json
}

# bats test_tags=user-space
@test "targets: a name; no task that ran" {
	"$SKEP" sched --comm tasks -a --by comm --format json -o a.json -- "$WORK/tasks" pipe 2 0.3 >truth
	ends a.json
	[ "$(jq -sr 'map(.comm) | join(",")' a.json)" = tasks ]
	run "$SKEP" sched --comm nosuchname -a --duration 200ms
	[ "$status" = 0 ]
	[[ "$output" == *"no matching task ran"* ]]
}

# bats test_tags=newest
@test "in a container: pids of the namespace" {
	unshare --pid --fork --kill-child --mount --mount-proc sh -c "'$SKEP' sched --format json -o a.json -- '$WORK/tasks' spin 2 0.3 >truth"
	ends a.json
	[ "$(jq -s 'map(select(.pid and .pid < 100)) | length' a.json)" = 3 ]
	awk '{ print $1 }' truth | while read -r pid; do jq -se --argjson p "$pid" 'any(.pid == $p)' a.json; done
}

# bats test_tags=user-space
@test "options that exclude each other" {
	for o in "--by syscall" "--by args->x" "-I 5" "-C 0" "--sort x" "--max-keys 99999999" "--format xml"; do
		# shellcheck disable=SC2086
		run "$SKEP" sched $o -a -- true
		echo "$o: $status $output"
		[ "$status" = 2 ]
	done
}

# bats test_tags=user-space,measuring
@test "-I: a task that changes its name is counted once" {
	"$SKEP" sched -I 100 --by comm --format csv -o a.csv -- sh -c "i=0; while [ \$i -lt 400000 ]; do i=\$((i+1)); done; exec '$WORK/shares' 0.4" >truth
	"$SKEP" sched --by pid --format csv -o b.csv -- sh -c "i=0; while [ \$i -lt 400000 ]; do i=\$((i+1)); done; exec '$WORK/shares' 0.4" >truth
	cat a.csv b.csv
	grep -q ',sh$' a.csv
	grep -q ',shares$' a.csv
	# run and wait of all rows are no more than the time that it took
	awk -F, 'NR > 1 { n += $2 + $3; last = $1 } END { exit n / 1e9 > last * 1.02 }' a.csv
}

# bats test_tags=user-space
@test "-I: hundreds of tasks, counted whole in each interval" {
	"$SKEP" sched -I 100 --by comm --format csv -o a.csv -- "$WORK/tasks" sleep 250 "$(times 1)" >truth
	awk -F, 'NR == FNR { split($0, w, " "); want += w[7]; next } $NF == "tasks" { got += $7; n++ }
		END { print "switches: truth " want ", skep " got " in " n " intervals"; exit got < want || got > want + 600 || n < 5 }' truth a.csv
}

# bats test_tags=measuring
@test "a CPU goes off-line during the run and comes back" {
	[ -n "${SKEP_OWN_MACHINE:-}" ] || skip "would take a CPU from whoever else is on this machine"
	off=/sys/devices/system/cpu/cpu1/online
	[ -w $off ] || skip "CPU 1 stays"
	(sleep "$(times 0.3)"; echo 0 >$off; sleep "$(times 0.3)"; echo 1 >$off) 3>&- &
	same pipe 4 "$(times 1)"
	wait
	(sleep "$(times 0.2)"; echo 0 >$off; sleep "$(times 0.2)"; echo 1 >$off) 3>&- &
	"$SKEP" sched timehist --format csv -o a.csv -- "$WORK/tasks" pipe 2 "$(times 0.6)" >truth
	wait
	[ "$(wc -l <a.csv)" -gt 10 ]
}
