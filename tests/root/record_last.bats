#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# skep record --last: nothing is written until SIGUSR2 or an event asks for it, then the last seconds, with the names of what has ended since.
# bats file_tags=user-space
load ../lib.bash

cleanup() {
	remove_cgroups
}

# recorder OPTION...: in the background, when it samples; its pid in BG
recorder() {
	background "$SKEP" record -a -F 199 -o x.data "$@" 2>said
	recorder=$BG
	eventually samples
}

samples() {
	grep -q 'BPF\|bpf' "/proc/$recorder/maps" 2>/dev/null || ls -l "/proc/$recorder/fd" 2>/dev/null | grep -q bpf-prog
}

files() { # files N: are so many complete
	[ "$(ls x.data.* 2>/dev/null | wc -l)" = "$1" ]
}

span() { # span FILE: seconds between its first sample and its last
	"$SKEP" -q script -i "$1" -F time | tr -d ': ' | sort -n | awk 'NR == 1 { a = $1 } { b = $1 } END { print b - a }'
}

# bats test_tags=slow,measuring
@test "each SIGUSR2 writes the last seconds; spans that are over are not in it; who has ended has its names" {
	recorder --last 2s --duration "$(times 14)"
	"$WORK/shares" "$(times 1)" >/dev/null # it is dropped
	"$WORK/stacks_O2" "$(times 4)" >/dev/null
	sleep 1
	"$WORK/shares_stripped" 0.3 >/dev/null
	[ "$(ls)" = said ]
	kill -USR2 "$recorder"
	eventually files 1
	file=$(ls x.data.*)
	"$SKEP" -q report -i "$file" -s comm,sym --stdio -g none >rows
	cat said rows
	span "$file" | awk '{ print; exit !($1 > 1 && $1 < 2.3) }'
	grep -q ' stacks_O2 .*\[\.\] burn' rows
	grep -q ' shares_stripped ' rows
	run ! grep -q ' shares  ' rows
	if command -v perf >/dev/null; then perf report -i "$file" --stdio -g none 2>/dev/null | grep -q burn; fi
	"$WORK/shares" 0.5 >/dev/null
	kill -USR2 "$recorder"
	eventually files 2
	"$SKEP" -q report -i "$(ls x.data.* | tail -n 1)" -s comm --stdio -g none | grep -q ' shares'
	kill -INT "$recorder"
	wait "$recorder"
	cat said
	[ "$(grep -c '^wrote x.data.' said)" = 2 ]
	[ ! -e x.data ]
}

# bats test_tags=slow,measuring
@test "an event asks: it is in the file, others within the pause are counted; at most --keep files stay" {
	[ -d /sys/kernel/tracing/events ] || skip "no tracefs"
	recorder --last 30s --keep 2 --trigger 't:syscalls:sys_enter_getpriority' --trigger 't:sched:sched_process_exit if comm == "ends"' --trigger-pause 1s --duration "$(times 12)"
	cp "$WORK/refuse" ./ends
	asks() { "$WORK/calls" 3 >/dev/null && files 1; }
	eventually asks # the recorder begins
	sleep 1.5
	./ends >/dev/null 2>&1 || true
	eventually files 2
	first=$(ls x.data.* | head -n 1)
	"$SKEP" -q script -i "$first" -F comm,event | grep -q 'calls.*getpriority'
	sleep 1.5
	./ends >/dev/null 2>&1 || true
	gone_first() { [ ! -e "$first" ]; }
	eventually gone_first
	kill -TERM "$recorder"
	wait "$recorder"
	cat said
	files 2
	grep -qE '^note: [0-9]+ events came within the 1.0 s after one that had asked for a file' said
	"$SKEP" -q script -i "$(ls x.data.* | tail -n 1)" -F comm,event | grep -q 'ends.*sched_process_exit'
}

@test "nobody asks: nothing is written, and that is said; what cannot be combined" {
	run -0 "$SKEP" record -a --last 10s -o x.data --duration 1
	[[ "$output" == *"nothing was written"* ]]
	[ "$(ls)" = "" ]
	for bad in "--last 1s --switch-output" "--last 1s -z" "--last 1s -o -" "--keep 2" "--trigger k:vfs_read" "--last 1s --trigger cpu-clock,cs" "--last 1s --trigger-pause 1s"; do
		# shellcheck disable=SC2086
		run -2 "$SKEP" record -a $bad --duration 1
		echo "$output"
	done
}

@test "a control group above a value asks, another does not; what is no such condition is refused" {
	two_cgroups
	recorder --last 20s --trigger "cpu($a) > 40%" --trigger-pause 60s --duration "$(times 20)"
	inside() { # inside GROUP SECONDS
		(echo $BASHPID >"cg/$1/cgroup.procs" && exec "$WORK/shares" "$2" >/dev/null) 3>&-
	}
	inside "$b" 3
	sleep 1
	files 0
	rmdir "cg/$a"
	sleep 2
	mkdir "cg/$a" # as a service that is started again
	inside "$a" 4
	eventually files 1
	"$SKEP" -q report -i "$(ls x.data.*)" -s sym --stdio -g none | grep -q ' hot$'
	kill -INT "$recorder"
	wait "$recorder"
	cat said
	files 1
	for bad in 'cpu(x)' 'delay(x) > 101%' 'delay() > 3%' 'cpu() > 3%' 'cpu(x) > y%' 'cpu(x) > 3' 'cpu(x > 3%' 'cpu(x) > 3% more' 'cpu(x) > inf%'; do
		run -2 "$SKEP" record --last 1s --trigger "$bad" -a -o y.data
		[[ "$output" == *"bad value '$bad' of '--trigger'"* ]]
	done
}

@test "a control group whose threads wait for a CPU asks, one whose threads run or sleep does not" {
	two_cgroups
	grep -q '^some ' "cg/$a/cpu.pressure" 2>/dev/null || skip "the kernel does not tell the pressure of control groups"
	recorder --last 20s --trigger "delay($a) > 30%" --trigger "delay($b) > 30%" --trigger-pause 1s --duration "$(times 20)"
	inside() { # inside GROUP CPU SECONDS
		(echo $BASHPID >"cg/$1/cgroup.procs" && exec taskset -c "$2" "$WORK/shares" "$3" >/dev/null) 3>&-
	}
	(echo $BASHPID >"cg/$b/cgroup.procs" && exec sleep 3) 3>&-
	files 0
	inside "$a" 0 5 &
	inside "$a" 0 5 &
	eventually files 1
	kill -INT "$recorder"
	wait "$recorder"
	cat said
	grep -qF "note: 'delay($a) > 30%' asks for a file" said
	files 1
}

# bats test_tags=slow,measuring
@test "what was lost within the last seconds is in the file, and not in later ones" {
	busy "$WORK/shares" 60
	work=$BG
	background "$SKEP" record -F 9999 -m 4 -p "$work" -o x.data --last 2s --duration "$(times 30)" 2>said
	recorder=$BG
	eventually samples
	sleep "$(times 0.7)"
	# It cannot read what it does not get to
	kill -STOP "$recorder"
	sleep "$(times 0.5)"
	kill -CONT "$recorder"
	sleep 0.5
	kill -USR2 "$recorder"
	eventually files 1
	sleep 5
	kill -USR2 "$recorder"
	eventually files 2
	kill -INT "$recorder"
	wait "$recorder"
	cat said
	lost() { sed -n 's/^lost: \([0-9]*\) .*/\1/p' "$1" | awk '{ n += $1 } END { print n + 0 }'; }
	for file in x.data.*; do "$SKEP" report -i "$file" -s comm 2>"$file.said" >/dev/null; done
	first=$(ls x.data.*.said | head -n 1)
	second=$(ls x.data.*.said | tail -n 1)
	cat "$first" "$second"
	[ "$(lost "$first")" -gt 0 ]
	[ "$(lost "$first")" -le "$(lost said)" ]
	[ "$(lost "$second")" -lt $(($(lost "$first") / 2)) ]
}
