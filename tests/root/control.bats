#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# record --control: COMMAND itself says when it is recorded.
load ../lib.bash

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	BACKGROUND=()
	need_root
	chmod 777 .
	mkfifo -m 666 ctl ack
	cp "$SKEP" "$WORK/calls" "$WORK/shares" .
	cp shares early
	cp shares late
}

@test "only what was enabled is recorded, to the sample" {
	[ -r /sys/kernel/tracing/events/sched ] || [ -r /sys/kernel/debug/tracing/events/sched ] || skip "tracefs is not mounted"
	cat >run.sh <<-'EOS'
		say() { answer=; echo "$1" >ctl; read -r -t "${2:-10}" answer <ack; echo "$1: $answer"; }
		./calls 111 >/dev/null
		say ping
		say enable
		./calls 222
		say disable
		./calls 333 >/dev/null
		say nosuch 0.5
		say enable
		./calls 444
		say disable
		./calls 555 >/dev/null
	EOS
	"$SKEP" record -D -1 --control fifo:ctl,ack -m 8M -c 1 -e syscalls:sys_enter_getpriority -o a.data -- bash run.sh >out 2>said
	cat said
	grep -E '^[a-z]+: ' out >answers
	printf '%s\n' 'ping: ack' 'enable: ack' 'disable: ack' 'nosuch: ' 'enable: ack' 'disable: ack' | diff - answers
	want=$(awk '$2 == "getpriority" { n += $3 } END { print n }' out)
	[ "$want" -gt 0 ]
	counted "$want" "$("$SKEP" -q script -i a.data -F event | grep -c getpriority)"
}

# paused SKEP-COMMAND...: `late` starts while nothing is recorded; then it is. perf and skep know its code.
paused() {
	cat >run.sh <<-'EOS'
		say() { echo "$1" >ctl; read -r -t 10 _ <ack; }
		./early 0.3
		say enable
		./shares 0.3
		say disable
		./late 0.6 &
		sleep 0.2
		say enable
		wait
		say stop
		sleep 20
	EOS
	SECONDS=0
	"$@" record -D -1 --control fifo:ctl,ack -F "$(hz 999)" -o a.data -- bash run.sh >/dev/null 2>said || { cat said; return 1; }
	[ $SECONDS -lt 15 ] # stop ended it
	"$SKEP" report -f -i a.data --no-children -s comm,sym >table
	cat table
	grep -qE ' shares +\[\.\] hot$' table
	grep -qE ' late +\[\.\] hot$' table
	if grep -E ' early ' table; then false; fi
}

# bats test_tags=user-space
@test "programs that start while nothing is recorded have their names, and stop ends the run" {
	paused "$SKEP"
}

# bats test_tags=user-space
@test "the same without privileges" {
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] || skip "perf_event_paranoid"
	paused setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all --inh-caps -all ./skep
	grep -q 'without BPF' said
}

# bats test_tags=user-space
@test "--control by descriptors, and what is refused" {
	exec 7<>ctl 8<>ack
	"$SKEP" record --control fd:7,8 -F "$(hz 999)" -o a.data -- sh -c 'printf "evlist\n\nenable cpu-clock\n" >&7; ./shares 0.3; echo stop >&7; exec sleep 20' 3>&- 2>said
	grep -q '^note: 2 commands of --control are unknown, and were not answered' said
	IFS= read -r -t 5 answer <&8
	[ "$answer" = ack ]
	exec 7>&- 8>&-
	for line in "--control ctl|bad value 'ctl' of '--control'" "--control fifo:|bad value" "--off-cpu --control fifo:ctl|exclude each other" \
		"-D -1|-D -1 starts with a command of --control, which is not given"; do
		# shellcheck disable=SC2086
		run -2 "$SKEP" record ${line%|*} -- true
		[[ "$output" == *"${line#*|}"* ]] || { echo "$output"; false; }
	done
	touch plain
	for line in "fifo:plain|not a FIFO" "fifo:none|No such file" "fd:99|Bad file descriptor"; do
		run -1 "$SKEP" record --control "${line%|*}" -- true
		[[ "$output" == *"cannot use --control '${line%|*}': ${line#*|}"* ]] || { echo "$output"; false; }
	done
	run -1 "$SKEP" record -D -1 --control fifo:ctl -- true
	[[ "$output" == *"no samples: no 'enable' came by --control"* ]]
}
