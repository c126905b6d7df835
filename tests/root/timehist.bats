#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# skep sched timehist has each switch once, with the kernel's own times: what the workload prints of /proc/PID/schedstat and getrusage is
# what its lines add up to.
load ../lib.bash

# awk: columns of a CSV by their names
columns='NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }'

# same KIND N SECONDS: of each task the lines are its switches, by kind; their delays and runs are the kernel's
same() {
	local before
	before=$(stolen)
	"$SKEP" sched timehist --strict -m 16384 --format csv -o lines.csv -- "$WORK/tasks" "$@" >truth 2>said
	cat said
	awk -F, "$columns"' $at["what"] == "switch" {
			p = $at["pid"]
			run[p] += $at["run_ns"]; delay[p] += $at["delay_ns"]; off[p] += $at["wait_ns"]
			if ($at["state"] == "R") inv[p]++; else vol[p]++
		}
		END { for (p in run) print p, run[p], delay[p], vol[p] + 0, inv[p] + 0, off[p] }' lines.csv >got
	awk -v n="$2" -v slow="${SKEP_SLOW:-1}" -v stolen=$(($(stolen) - before)) '
		NR == FNR { run[$1] = $3; wait[$1] = $5; vol[$1] = $7; inv[$1] = $9; wall[$1] = $11; next }
		!($1 in run) { next }
		{
			found++
			room = slow > 1 ? 80e6 : 1e6 # what it does when its parent has asked for its sums already
			if ($2 < run[$1] || $2 > run[$1] + room || $3 < wait[$1] || $3 > wait[$1] + room || $4 < vol[$1] || $4 > vol[$1] + 2 ||
			    $5 < inv[$1] || $5 > inv[$1] + 3 || $2 + $6 < 0.9 * wall[$1] - room - stolen || $2 + $6 > 1.02 * wall[$1] + 2 * room) {
				print $0 ": truth run " run[$1] " wait " wait[$1] " switches " vol[$1] " " inv[$1] " wall " wall[$1]
				bad = 1
			}
		}
		$3 == wait[$1] { exact++ }
		END { print found " of " n " tasks, delays of " exact " to the unit"; exit bad || found != n }' truth got
}

# bats test_tags=measuring
@test "lines, runs and delays of tasks that spin, sleep, and write to the disk" {
	same spin 6 "$(times 1)"
	same sleep 10 "$(times 1)"
	same disk 4 "$(times 1)"
}

# bats test_tags=measuring,user-space
@test "lines, runs and delays of tasks that wake each other, by pipes and futexes" {
	same pipe 4 "$(times 0.5)"
	same futex 4 "$(times 0.5)"
}

# bats test_tags=user-space
@test "thousands of short tasks: each has its last line" {
	n=$((2000 / ${SKEP_SLOW:-1} / ${SKEP_SLOW:-1}))
	"$SKEP" sched timehist --format csv -o lines.csv -- "$WORK/tasks" many $n >truth 2>said
	cat said
	[ "$(awk -F, "$columns"' $at["state"] == "X" { n++ } END { print n + 0 }' lines.csv)" = $((n + 1)) ]
}

# bats test_tags=newest,measuring
@test "sleeps have their length; what began before the run has no number" {
	sleeper
	"$SKEP" sched timehist --format json -o a.json -- sh -c 'sleep 0.2; sleep 0.1'
	ends a.json
	jq -se '[.[] | select(.comm == "sleep" and .state == "X") | .wait_ns / 1e6 | round] | length == 2 and .[0] >= 200 and .[0] < 260 and .[1] >= 100 and .[1] < 160' a.json
	background "$SKEP" sched timehist -p $asleep --format json -o b.json
	run_pid=$BG
	sleep "$(times 0.5)"
	kill -CONT $asleep
	kill -STOP $asleep
	sleep 0.1
	kill -CONT $asleep
	sleep 0.1
	interrupt $run_pid
	cat b.json
	ends b.json
	# The sleep of before has a begin that nobody saw, the stop has both (it may be preempted before it sleeps again)
	jq -se '.[0].wait_ns == null and .[0].run_ns > 0 and (map(select(.wait_ns != null and .wait_ns > 90000000)) | length >= 1)' b.json
}

# bats test_tags=measuring
@test "wakers have names; a timer has none" {
	"$SKEP" sched timehist --format json -o a.json -- "$WORK/tasks" pipe 2 "$(times 0.3)" >truth
	ends a.json
	# Of its pair nobody but the other one wakes a task; the first of all was its parent
	jq -sr '[.[] | select(.comm == "tasks" and .what == "switch" and .waker_in == "task")] |
		group_by(.tid) | .[] | "\(.[0].tid) \(length) \(map(.waker.tid) | group_by(.) | map("\(.[0])=\(length)") | join(" "))"' a.json >wakers
	cat wakers truth
	awk 'NR == FNR { t[NR] = $1; next } $1 == t[1] || $1 == t[2] {
			other = $1 == t[1] ? t[2] : t[1]; most = 0
			for (i = 3; i <= NF; i++) { split($i, w, "="); if (w[1] == other) most = w[2] }
			if (most < $2 - 20 || most < 100) bad = 1
			n++
		} END { exit bad || n != 2 }' truth wakers
	"$SKEP" sched timehist --format json -o b.json -- "$WORK/tasks" sleep 2 0.3 >truth
	ends b.json
	jq -se 'map(select(.waker_in == "interrupt")) | length >= 100' b.json
}

# bats test_tags=measuring
@test "-w and -M: wake-ups and migrations are lines of their own" {
	"$SKEP" sched timehist -w -M --format csv -o a.csv -- sh -c "taskset -c 0 true; taskset -p -c 0 \$\$ >/dev/null; taskset -p -c 1 \$\$ >/dev/null; '$WORK/tasks' pipe 2 0.2" >truth
	awk -F, "$columns"' { n[$at["what"]]++ } END { print n["switch"], n["wakeup"], n["migration"]; exit !(n["wakeup"] > 100 && n["migration"] > 0) }' a.csv
	"$SKEP" sched timehist -w -M -n -o a.txt -- "$WORK/tasks" pipe 2 0.1 >truth
	head -5 a.txt
	grep -q 'tasks\[[0-9]*\]  *awakened: tasks\[[0-9]*\]' a.txt
	grep -q '  next: ' a.txt
}

# bats test_tags=measuring
@test "--filter: a CPU that a line does not have is none; what is left out is said once" {
	"$SKEP" sched timehist -M -w --filter 'to_cpu >= 0' --format json -o a.json -- "$WORK/tasks" spin 3 0.2 >truth 2>said
	cat said
	ends a.json
	jq -se 'all(.what == "migration" and .to_cpu >= 0)' a.json
	grep -q 'not shown: --filter$' said
	! grep -q 'no matching task' said
}

# bats test_tags=user-space
@test "--fields: chosen columns in their order, in every format" {
	for format in csv text json; do
		"$SKEP" sched timehist --fields state,comm,run,time --format $format -o a.$format -- "$WORK/tasks" sleep 2 0.2 >truth
		head -3 a.$format
	done
	[ "$(head -1 a.csv)" = state,comm,run_ns,time ]
	[ "$(awk -F, '$1 == "S" && $2 == "tasks" && $3 > 0 && $4 ~ /^[0-9]+\.[0-9]+$/' a.csv | wc -l)" -gt 50 ]
	[[ "$(head -1 a.text)" =~ ^state\ comm\ +run\ +time$ ]]
	[ "$(awk '$1 == "S" && $2 == "tasks" && NF == 4' a.text | wc -l)" -gt 50 ]
	ends a.json
	jq -se 'all(keys_unsorted == ["state", "comm", "run_ns", "time"])' a.json
	run -2 "$SKEP" sched timehist --fields comm --format chrome -- true
}

@test "-g: the stack of where it went to sleep, without the scheduler's own frames" {
	"$SKEP" sched timehist -g --format json -o a.json -- "$WORK/tasks" sleep 2 0.2 >truth
	ends a.json
	jq -se '[.[] | select(.comm == "tasks" and .state == "S") | .stack] | (map(select(any(.[]; . == "do_nanosleep" or . == "hrtimer_nanosleep"))) | length) > 50' a.json
	jq -se '[.[] | .stack // [] | .[0] | select(. == "__schedule" or . == "schedule" or (. // "" | startswith("bpf_prog")))] | length == 0' a.json
	jq -se 'any(.[]; .stack // [] | any(startswith("clock_nanosleep")))' a.json
	"$SKEP" sched timehist -g --max-stack 2 -o a.txt -- "$WORK/tasks" sleep 1 0.1 >truth
	[ "$(grep -c ' <- .* <- ' a.txt)" = 0 ]
	grep -q 'do_nanosleep <- ' a.txt
}

# bats test_tags=newest
@test "a full ring: losses are counted, and no remaining line has a wrong number" {
	run "$SKEP" sched timehist --strict -m 4 --format csv -o a.csv -- "$WORK/tasks" pipe 4 "$(times 0.5)"
	echo "$output"
	[ "$status" = 1 ]
	[[ "$output" == *"lost: "*"the ring buffer was full"* ]]
	seen=$(sed -n 's/^samples: \([0-9]*\) seen, .*/\1/p' <<<"$output")
	kept=$(sed -n 's/.* seen, \([0-9]*\) kept.*/\1/p' <<<"$output")
	lost=$(sed -n 's/^lost: \([0-9]*\) .*/\1/p' <<<"$output")
	[ "$seen" = $((kept + lost)) ]
	[ "$(tail -n +2 a.csv | wc -l)" = "$kept" ]
	# A wait over a gap would be longer than the whole run
	awk -F, "$columns"' $at["comm"] == "tasks" && $at["run_ns"] + $at["delay_ns"] > 2e9 { bad = 1 } END { exit bad }' a.csv
}

# bats test_tags=user-space
@test "targets: names, CPUs; skep itself is left out" {
	"$SKEP" sched timehist -a --comm tasks --format csv -o a.csv -- "$WORK/tasks" pipe 2 0.3 >truth
	[ "$(awk -F, "$columns"' { print $at["comm"] }' a.csv | sort -u)" = tasks ]
	"$SKEP" sched timehist -C 0 --format csv -o a.csv -- "$WORK/tasks" sleep 4 0.3 >truth
	[ "$(awk -F, "$columns"' { print $at["cpu"] }' a.csv | sort -u)" = 0 ]
	for o in "" --self; do
		# shellcheck disable=SC2086
		"$SKEP" sched timehist -a $o --format csv -o a.csv -- "$WORK/tasks" sleep 4 "$(times 0.5)" >truth 2>said 3>&- &
		pid=$!
		wait $pid
		n=$(awk -F, -v p=$pid "$columns"' $at["pid"] == p { n++ } END { print n + 0 }' a.csv)
		echo "$o: $n lines of skep"
		if [ -z "$o" ]; then
			grep -q "skep's own switches are left out" said
			[ "$n" = 0 ]
		else
			[ "$n" -gt 0 ]
		fi
	done
	run "$SKEP" sched timehist -a --comm nosuchname --duration 200ms
	[ "$status" = 0 ]
	[[ "$output" == *"no matching task was switched"* ]]
}

# bats test_tags=newest
@test "in a container: pids of the namespace" {
	unshare --pid --fork --kill-child --mount --mount-proc sh -c "'$SKEP' sched timehist --format csv -o a.csv -- '$WORK/tasks' pipe 2 0.3 >truth"
	awk '{ print $1 }' truth | while read -r pid; do awk -F, -v p="$pid" "$columns"' $at["pid"] == p { n++ } END { exit n < 10 || p >= 100 }' a.csv; done
}

# bats test_tags=user-space
@test "the status of COMMAND, a reader that stops early, Ctrl-C, control characters in names" {
	run "$SKEP" sched timehist -o /dev/null -- sh -c 'exit 7'
	[ "$status" = 7 ]
	run bash -c "'$SKEP' sched timehist -a --duration 2 2>said | head -2; exit \${PIPESTATUS[0]}"
	[ "$status" = 0 ]
	[ ! -s said ]
	background "$SKEP" sched timehist -a -o c.txt
	sleep "$(times 1)"
	interrupt "$BG"
	[ "$(wc -l <c.txt)" -gt 3 ]
	cp "$(command -v sleep)" $'n\e[31m\n'
	"$SKEP" sched timehist -o d.txt -- ./$'n\e[31m\n' 0.05
	grep -qF 'n\x1b[31m\x0a[' d.txt
}

# sleeper: a process that sleeps, since before what follows, in asleep
sleeper() {
	background sleep 60
	asleep=$BG
	eventually sh -c "tr '\\0' ' ' </proc/$asleep/cmdline | grep -q '^sleep 60' && grep -q '^State:.S' /proc/$asleep/status"
	sleep "$(times 0.2)"
}

# timeline FILE TRUTH: valid JSON, no slices of a track overlap, each arrow has both ends; runs of each task are the kernel's within 1 %
timeline() {
	python3 - "$1" "$2" "${SKEP_SLOW:-1}" <<-'END'
		import collections, json, sys
		trace = json.load(open(sys.argv[1]))
		slow = float(sys.argv[3])
		tracks, run, wall, flows, names, bad = collections.defaultdict(list), collections.Counter(), collections.Counter(), collections.defaultdict(set), {}, 0
		for e in trace["traceEvents"]:
		    if e["ph"] == "X":
		        tracks[e["pid"], e["tid"]].append((round(e["ts"] * 1000), round(e["dur"] * 1000), e["name"]))
		        if e["name"] == "running":
		            run[e["pid"]] += e["args"].get("run_us", 0) * 1000
		            wall[e["pid"]] += e["dur"] * 1000
		    elif e["ph"] in "sf":
		        flows[e["id"]].add(e["ph"])
		    elif e["ph"] == "M":
		        names[e["name"], e["pid"], e["tid"]] = e["args"]
		    else:
		        sys.exit(f"what is {e}")
		for track, slices in tracks.items():
		    slices.sort()
		    if ("thread_name", *track) not in names:
		        sys.exit(f"track {track} has no name")
		    for a, b in zip(slices, slices[1:]):
		        if a[0] + a[1] > b[0]:
		            sys.exit(f"track {track}: {a} overlaps {b}")
		if any(len(ends) != 2 for ends in flows.values()):
		    sys.exit("an arrow with one end")
		tasks = [line.split() for line in open(sys.argv[2]) if " run " in line]
		room = 80e6 if slow > 1 else 5e6
		for t in tasks:
		    pid, ns, alive = int(t[0]), int(t[2]), float(t[10])
		    whole = sum(s[1] for s in tracks[pid, pid])
		    print(f"{pid}: run {run[pid]:.0f} of {ns}, on a CPU {wall[pid]:.0f}, track {whole} of {alive:.0f}")
		    bad |= not 0.99 * ns <= run[pid] <= 1.01 * ns + room or wall[pid] < 0.99 * run[pid] or not 0.95 * alive - room < whole < 1.05 * alive + room
		other = trace["otherData"]
		print(len(tasks), "tasks", len(flows), "arrows", other)
		sys.exit(bad or not tasks or other["seen"] != other["kept"])
	END
}

# bats test_tags=user-space,measuring,slow
@test "--format chrome: a timeline whose tracks add up" {
	need python3
	for kind in pipe spin disk; do
		"$SKEP" sched timehist --format chrome -m 32768 -o $kind.json -- "$WORK/tasks" $kind 4 "$(times 0.2)" >truth 2>said
		cat said
		timeline $kind.json truth
	done
	jq -e '[.traceEvents[] | select(.ph == "s")] | length > 100' pipe.json
	"$SKEP" sched timehist -g --format chrome -o g.json -- "$WORK/tasks" sleep 2 0.2 >truth
	timeline g.json truth
	jq -e '[.traceEvents[] | select(.args.stack // [] | any(. == "do_nanosleep"))] | length > 50' g.json
}

# bats test_tags=user-space,measuring
@test "--format chrome: states from before the run and after it are drawn, names are escaped" {
	need python3
	sleeper
	background "$WORK/shares" 60
	"$SKEP" sched timehist --format chrome -o a.json -p $asleep,"$BG" --duration "$(times 0.5)"
	: >truth
	timeline a.json truth || [ $? = 1 ]
	jq -e --argjson p $asleep '[.traceEvents[] | select(.ph == "X" and .pid == $p)] | length == 1 and .[0].name == "sleeping" and .[0].dur > 490000' a.json
	jq -e --argjson p "$BG" --argjson us "$(times 500000)" '[.traceEvents[] | select(.ph == "X" and .pid == $p) | .dur] | add > 0.95 * $us and add < 1.05 * $us' a.json
	cp "$(command -v sleep)" 'n"\],'
	"$SKEP" sched timehist --format chrome -o b.json -- './n"\],' 0.05
	jq -e '[.traceEvents[] | select(.ph == "M" and .args.name == "n\"\\],")] | length >= 1' b.json
	background "$SKEP" sched timehist -a --format chrome -o c.json
	sleep "$(times 1)"
	interrupt "$BG"
	python3 -m json.tool c.json >/dev/null
	run bash -c "'$SKEP' sched timehist -a --format chrome --duration 1 2>said | head -c 100; exit \${PIPESTATUS[0]}"
	[ "$status" = 0 ]
	[ ! -s said ]
}

# bats test_tags=user-space
@test "map: a row for each switch, a name for each task, introduced once" {
	"$SKEP" sched map -o a.txt -- "$WORK/tasks" pipe 2 0.2 >truth
	head -12 a.txt
	# Each of the truth has one name, and of its rows there are as many as it was put onto a CPU, but for those of its end
	awk '{ print $1, $7 + $9 }' truth | while read -r pid switches; do
		name=$(sed -n "s/.* \([A-Za-z][0-9A-Za-z]\) => tasks:$pid\$/\1/p" a.txt)
		[ "$(wc -w <<<"$name")" = 1 ]
		rows=$(grep -c "\*$name" a.txt)
		echo "$pid $name: $switches switches, $rows rows"
		# Some kernels do not tell of switches away from a process of their own (perf has the same gaps)
		[ "$rows" -ge $((switches * 98 / 100 - 5)) ]
		[ "$rows" -le $((switches + 3)) ]
	done
	# One mark a row
	[ "$(tail -n +2 a.txt | awk '{ if (gsub(/\*/, "") != 1) n++ } END { print n + 0 }')" = 0 ]
	"$SKEP" sched map -a -C 0 -o b.txt -- "$WORK/tasks" sleep 2 0.2 >truth
	[ "$(head -1 b.txt | awk '{ print NF }')" = 2 ]
	"$SKEP" sched map -o /dev/null -- sh -c 'exit 5' || [ $? = 5 ]
	need script
	script -qec "stty cols 40; '$SKEP' -q sched map -a --duration 200ms" /dev/null </dev/null | tr -d '\r' >narrow
	[ "$(head -1 narrow | awk '{ print NF }')" = 2 ]
}

# bats test_tags=user-space
@test "map: --cpus, as -C" {
	"$SKEP" sched map --cpus 0 --duration 0.2 -o map
	[ "$(head -1 map | tr -s ' ')" = " 0 time" ]
}

# bats test_tags=newest,measuring
@test "perf sched timehist prints the same of the same run" {
	need perf
	[ "${SKEP_SLOW:-1}" = 1 ] || skip "times of an emulated CPU are no times"
	perf sched record -o p.data -- "$SKEP" sched timehist -o s.txt -- "$WORK/tasks" sleep 2 0.5 >truth 2>/dev/null || skip "perf sched record does not run here"
	perf sched timehist -i p.data --state 2>/dev/null >p.txt
	head -6 p.txt s.txt
	# Words of the head
	for w in time cpu "task name" "wait time" "sch delay" "run time" state; do
		head -3 p.txt | grep -q "$w"
		head -3 s.txt | grep -q "$w"
	done
	# Sleeps of a millisecond: the median wait of both is within 0.1 ms
	median() { # median LINES: perf tells of the whole machine, and 0 where it does not know
		awk 'NR == FNR { mine[$1] = 1; next } { for (i = 1; i <= NF; i++) if (match($i, /^tasks\[[0-9]+\]$/)) {
			pid = substr($i, 7, length($i) - 7); if (mine[pid] && $(i + 4) == "S" && $(i + 1) > 0) print $(i + 1) } }' truth "$1" |
			sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
	}
	echo "perf $(median p.txt) skep $(median s.txt)"
	awk -v a="$(median p.txt)" -v b="$(median s.txt)" 'BEGIN { exit !(a > 0 && b > 0 && a - b < 0.1 && b - a < 0.1) }'
}

# bats test_tags=user-space
@test "options that exclude each other" {
	for o in "--max-stack 3" "-m 5" "--format xml" "-p 12x"; do
		# shellcheck disable=SC2086
		run "$SKEP" sched timehist $o -a -- true
		echo "$o: $status $output"
		[ "$status" = 2 ]
		[[ "$output" == "skep sched timehist: "* ]]
	done
}
