#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# How runs end, and what COMMAND inherits; where skep cannot work and says so.
# bats file_tags=user-space
load ../lib.bash

@test "-t: the end of the thread ends the run, although its process goes on" {
	busy "$WORK/onethread" "$(times 1)" 60 >tid
	sleep 0.2
	start=$(date +%s)
	"$SKEP" flame -t "$(cat tid)" -o a.folded
	[ $(($(date +%s) - start)) -lt 30 ]
	kill -0 $BG
}

@test "--duration that ends COMMAND is success; COMMAND's own status is kept" {
	"$SKEP" flame --duration 300ms -o a.folded -- "$WORK/shares" 20
	run "$SKEP" flame --duration 300ms -o b.folded -- sh -c 'trap "exit 5" TERM; while :; do :; done'
	[ "$status" = 5 ]
}

@test "a COMMAND that ignores SIGTERM is reported" {
	"$SKEP" flame --duration 300ms -o a.folded -- sh -c 'trap "" TERM; echo $$; while :; do :; done' >number 2>said
	cat said
	kill -9 "$(cat number)"
	grep -q "process $(cat number) does not end on SIGTERM" said
}

@test "COMMAND inherits the limits and the signal mask of skep" {
	bash -c "ulimit -Sn 777; '$WORK/masked' '$SKEP' -q flame --format folded -F 9999 -- bash -c 'ulimit -Sn; grep SigBlk /proc/self/status; ls -R /usr/bin >/dev/null'" >out
	grep -qx 777 out
	grep -q 'SigBlk:.*0000000000000200' out
}

@test "an impossible SUDO_UID: COMMAND does not run" {
	SUDO_UID=8888888888 SUDO_GID=1 run "$SKEP" flame -o a.folded -- touch ran
	[ "$status" = 126 ]
	[[ "$output" == *SUDO_UID* ]]
	[ ! -e ran ]
}

@test "throttled sampling is in the ledger" {
	rate=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
	echo 2000 >/proc/sys/kernel/perf_event_max_sample_rate || skip "cannot lower the rate"
	run "$SKEP" flame -e cpu-clock -c 20000 -o a.json -- "$WORK/shares" 0.5
	echo "$rate" >/proc/sys/kernel/perf_event_max_sample_rate
	echo "$output"
	[ "$status" = 0 ]
	[[ "$output" == *"paused sampling"* ]]
	grep -qE '"throttled": ?[1-9]' a.json
}

# bats test_tags=measuring
@test "a process whose /proc/PID/maps cannot be read is sampled, with a note" {
	busy "$WORK/shares" 5
	run setpriv --reuid 65534 --clear-groups --inh-caps=+bpf,+perfmon,+syslog --ambient-caps=+bpf,+perfmon,+syslog \
		"$SKEP" flame -p $BG --format folded --duration 300ms
	echo "$output"
	if [ "$status" = 3 ] && [[ "$output" == *"perf_event_paranoid is"* ]]; then
		skip "this kernel wants CAP_SYS_ADMIN (perf_event_paranoid)"
	fi
	[ "$status" = 0 ]
	# From 6.15 on CAP_PERFMON is enough to read it: then the names are there
	[[ "$output" == *"shares ($BG): /proc/$BG/maps cannot be read (needs CAP_SYS_PTRACE)"* ]] || [[ "$output" == *";main;hot "* ]] ||
		[[ "$output" == *"deleted, unreadable or replaced: $WORK/shares"* ]]
	[[ "$output" == *"shares;"* ]]
}

@test "SIGCHLD ignored by skep's parent: the end of COMMAND is seen, and COMMAND inherits it" {
	timeout 10 env --ignore-signal=CHLD "$SKEP" -q flame -F $(hz 4999) -o a.folded -- grep SigIgn /proc/self/status >out || [ $? = 1 ]
	[ $((0x$(awk '{ print $2 }' out) & 0x10000)) != 0 ]
}

@test "an event of hardware: exit 3 without it" {
	run "$SKEP" flame -e instructions:pp -o a.folded -- "$WORK/shares" 0.3
	echo "$output"
	[ "$status" = 0 ] || { [ "$status" = 3 ] && [[ "$output" == *"not supported"* ]]; }
}

@test "cycles without a PMU: sampled by the clock with a note, counted as <not supported>" {
	"$SKEP" list hardware | grep '^cycles ' | grep -q 'not on this machine' || skip "a PMU is here"
	for e in cycles cycles:u cycles:pp; do
		run "$SKEP" record -F 4999 -e $e -o a.data -- "$WORK/shares" 0.3
		echo "$e: $output"
		[ "$status" = 0 ]
		[[ "$output" == *"note: event: cpu-clock"*"no hardware '$e'"* ]]
	done
	"$SKEP" -q report -i a.data -s sym | grep -q hot
	"$SKEP" record -e cycles:u -F 4999 -o u.data -- "$WORK/shares" 0.3
	"$SKEP" -q report -i u.data --json | grep -q '"cpu-clock:u"'
	run "$SKEP" stat -e cycles -- sh -c 'exit 0'
	[ "$status" = 0 ]
	[[ "$output" == *"<not supported>"*"cycles"*"nothing could be counted"* ]]
	run "$SKEP" stat -e cycles -- sh -c 'exit 7'
	[ "$status" = 7 ]
}

@test "no samples: the exit code of a COMMAND that failed, else 1" {
	run "$SKEP" flame -o a.html -e page-faults -c 1000000000 -- sh -c 'exit 3'
	[ "$status" = 3 ]
	[[ "$output" == *"no samples"* ]]
	run "$SKEP" flame -o a.html -e page-faults -c 1000000000 -- true
	[ "$status" = 1 ]
	[ -z "$(ls -A)" ]
}

@test "no samples: a recording is complete, as perf's is, and that is said" {
	for code in 0 3; do
		run "$SKEP" record -o a.data -e page-faults -c 1000000000 -- sh -c "exit $code"
		echo "$output"
		[ "$status" = $code ]
		[[ "$output" == *"wrote a.data: "*" 0 samples of page-faults"*"note: no samples in "*"the target was on a CPU for less than one period of 'page-faults'"* ]]
	done
	run -1 "$SKEP" report -i a.data
	[[ "$output" == *"no samples of 'page-faults' in 'a.data'"* ]]
	"$SKEP" report --tasks -i a.data | grep -q '|sh$'
	if command -v perf >/dev/null; then
		perf report --tasks -i a.data 2>/dev/null | grep -q '|sh$'
		perf evlist -i a.data | grep -qx page-faults
	fi
}

@test "record by the name perf: perf's own lines around a recording" {
	ln -s "$SKEP" perf
	./perf record -o a.data -- "$WORK/shares" 0.2 2>said
	cat said
	n=$(sed -nE 's/^\[ perf record: Captured and wrote [0-9.]+ MB a.data \(([0-9]+) samples\) \]$/\1/p' said)
	[ "$n" = "$("$SKEP" script -i a.data -F ip --max-stack 1 -G 2>/dev/null | wc -l)" ]
	grep -qE '^\[ perf record: Woken up [0-9]+ times to write data \]$' said
}

@test "numbers out of range: exit 2" {
	for o in "-F 0" "-c 0" "-F 99999999" "--max-stacks 0" "-m 3" "--duration 0" "-c 5000 -e cpu-clock"; do
		run "$SKEP" flame $o -o a.folded -- true
		echo "$o: $output"
		[ "$status" = 2 ]
	done
}

@test "--call-graph: an unknown mode is refused; without call chains the file is smaller and has the leaf" {
	run "$SKEP" record --call-graph lbr -o a.data -- true
	[ "$status" = 2 ]
	[[ "$output" == *"auto, eh, fp or none"* ]]
	"$SKEP" record --call-graph no -F $(hz 4999) -o a.data -- "$WORK/recurse" 60 "$(times 0.4)"
	"$SKEP" record --call-graph fp -F $(hz 4999) -o b.data -- "$WORK/recurse" 60 "$(times 0.4)"
	[ $((2 * $(stat -c %s a.data))) -lt "$(stat -c %s b.data)" ]
	"$SKEP" report -i a.data -s sym --format csv | grep -q '"down"'
}

@test "under sudo COMMAND has its user's home and name, not root's" {
	SUDO_UID=65534 SUDO_GID=65534 SUDO_USER=nobody HOME=/root USER=root LOGNAME=root \
		run "$SKEP" -q flame -F 9999 --format folded -- sh -c 'echo "$HOME $USER $LOGNAME"; ls -R /usr/bin >/dev/null'
	echo "$output"
	[ "${lines[0]}" = "$(awk -F: '$3 == 65534 { print $6 }' /etc/passwd) nobody nobody" ]
	SUDO_UID=65534 run env -u SUDO_GID "$SKEP" flame -o a.folded -- touch ran
	[ "$status" = 126 ]
	[ ! -e ran ]
}

@test "a zombie as target: an error that says so" {
	background sh -c 'sleep 0.1 & echo $! >pid; exec sleep 5'
	sleep 0.5
	run "$SKEP" flame -p "$(cat pid)" -o a.folded
	echo "$output"
	[ "$status" = 1 ]
	[[ "$output" == *zombie* ]]
}

# ends_soon PID: within 3 s, a second and what a loaded machine takes; its status in STATUS
ends_soon() {
	local i
	for ((i = 0; i < 60; i++)); do
		kill -0 "$1" 2>/dev/null || break
		sleep 0.05
	done
	! kill -0 "$1" 2>/dev/null || { kill -9 "$1"; echo "$1 did not end"; return 1; }
	STATUS=0
	wait "$1" || STATUS=$?
}

# bats test_tags=slow
@test "a stalled reader: the first signal ends the run, with the number of bytes that were not written" {
	mkfifo stalled
	background sh -c 'exec sleep 100 <>stalled'
	for signal in INT TERM HUP; do
		background "$SKEP" sched timehist -a >stalled 2>said
		busy sh -c 'while :; do sleep 0; done'
		sleep 3
		stop $BG
		kill -0 "${BACKGROUND[-2]}"
		kill -$signal "${BACKGROUND[-2]}"
		ends_soon "${BACKGROUND[-2]}"
		cat said
		[ "$STATUS" = 1 ]
		grep -qE 'standard output: nobody reads it: [1-9][0-9]* bytes' said
	done
}

@test "COMMAND stopped before its exec: a signal ends skep and COMMAND" {
	background "$SKEP" flame -o a.folded -- sleep 50 2>said
	kid=
	for ((i = 0; i < 100000 && ! kid; i++)); do
		read -r kid _ <"/proc/$BG/task/$BG/children" || true # no newline at its end
	done
	[ -n "$kid" ] || skip "this kernel lists no children"
	kill -STOP "$kid"
	[ "$(tr '\0' ' ' <"/proc/$kid/cmdline")" != "sleep 50 " ] || skip "too late"
	sleep "$(times 1)"
	kill -TERM $BG
	ends_soon $BG
	cat said
	[ "$STATUS" = 1 ]
	grep -qE "interrupted (before|while setting up)" said
	! kill -0 "$kid"
}

# ends_elsewhere: whoever detaches the rest, by the number in ./said, is done with it in the end
ends_elsewhere() {
	local rest i
	rest=$(sed -n 's/.*note: process \([0-9]*\) detaches.*/\1/p' said)
	for ((i = 0; i < 150; i++)); do kill -0 "$rest" 2>/dev/null || return 0; sleep 1; done
	return 1
}

# bats test_tags=slow
@test "Ctrl-C while many probes are detached is answered" {
	mkdir tracing && mount -t tracefs none tracing || skip "no tracefs"
	n=$(ls -d tracing/events/{sched,timer,writeback}/*/ | wc -l)
	umount tracing
	[ "$n" -gt 40 ] || skip "only $n tracepoints"
	# each with its record, which is an event of perf's that the kernel takes a moment to close
	background "$SKEP" probe --comm nobody-at-all t:sched:\* t:timer:\* t:writeback:\* >out 2>said
	sleep "$(times 5)"
	[ "$(ls "/proc/$BG/fd" | wc -l)" -gt 40 ]
	kill -INT $BG
	sleep 0.2
	kill -0 $BG || skip "this kernel detaches at once"
	kill -INT $BG
	ends_soon $BG
	[ "$STATUS" != 0 ] || skip "this kernel detaches within a second"
	cat said
	[ "$STATUS" = 1 ]
	grep -q 'interrupted while detaching' said
	ends_elsewhere
}

@test "a stopped COMMAND ends with the run" {
	background "$SKEP" stat -o a.txt -- sleep 50 2>said
	eventually pgrep -P $BG -x sleep
	kid=$(pgrep -P $BG -x sleep)
	kill -STOP "$kid"
	interrupt $BG || true
	! kill -0 "$kid"
}
