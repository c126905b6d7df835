#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Who is sampled: every kind of target, COMMAND's rights and status, ways to end.
load ../lib.bash
bats_require_minimum_version 1.5.0

# bats test_tags=measuring
@test "-p: this process and no other, as long as COMMAND runs" {
	busy "$WORK/shares" 5
	"$SKEP" flame -p $BG -o a.folded -- sleep 0.5
	[ "$(comms a.folded)" = shares ]
	grep -q ';hot ' a.folded
}

@test "-p: later children are followed; the end of the target ends the run" {
	background sh -c "sleep $(times 1); $WORK/shares 0.3; true"
	"$SKEP" flame -p $BG -o a.folded
	comms a.folded | grep -qx shares
}

# bats test_tags=measuring
@test "-t: one thread of many" {
	busy "$WORK/threads" 60
	sleep 0.3
	for t in /proc/$BG/task/*; do
		[ "$(cat "$t/comm")" != t5 ] || tid=${t##*/}
	done
	"$SKEP" flame -t "$tid" -o a.folded --duration 500ms
	[ "$(comms a.folded)" = t5 ]
	run "$SKEP" flame -p "$tid" -o b.folded
	[ "$status" = 1 ]
	[[ "$output" == *"is a thread of process"* ]]
}

# bats test_tags=measuring
@test "--comm and -u filter in the kernel" {
	busy "$WORK/threads" 60
	sleep 0.2
	"$SKEP" flame --comm t3,t4 -o a.folded --duration 700ms
	[ "$(comms a.folded)" = "t3
t4" ]
	stop $BG
	busy setpriv --reuid 54321 --clear-groups sh -c 'while :; do :; done'
	eventually grep -qx sh /proc/$BG/comm
	"$SKEP" flame -u 54321 -o b.folded --duration 500ms
	[ "$(comms b.folded)" = sh ]
	run "$SKEP" flame -u 54322 -o c.folded --duration 200ms
	[ "$status" = 1 ]
	[[ "$output" == *"no samples"* ]]
}

# The CPUs that this shell may run on, one a line
allowed_cpus() {
	awk '/^Cpus_allowed_list:/ { n = split($2, part, ","); for (i = 1; i <= n; i++) {
		split(part[i], r, "-"); for (c = r[1]; c <= (r[2] == "" ? r[1] : r[2]); c++) print c } }' /proc/self/status
}

# bats test_tags=measuring
@test "-C: the load of this CPU and no other" {
	read -r other cpu < <(allowed_cpus | head -2 | xargs)
	[ -n "$cpu" ] || skip "one CPU"
	busy taskset -c "$cpu" "$WORK/recurse" 1 6
	busy taskset -c "$other" "$WORK/shares" 6
	sleep 0.3
	"$SKEP" record -C "$cpu" -o c.data --duration 700ms
	"$SKEP" report -i c.data --no-children -s cpu,comm --format csv >c.csv
	cat c.csv
	awk -F, -v cpu="$cpu" '
		{ gsub(/"/, "") }
		NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
		$col["cpu"] + 0 != cpu || $col["comm"] == "shares" { bad = 1 }
		$col["comm"] == "recurse" { seen = 1 }
		END { exit bad || !seen }' c.csv
	# the witness: what was not seen here is there when its CPU is asked for
	"$SKEP" flame -C "$other" -o o.folded --duration 500ms
	comms o.folded | grep -qx shares
	! comms o.folded | grep -qx recurse
}

# bats test_tags=measuring,user-space
@test "-p A,B and -t A,B: both and no other; -p A -t B: either" {
	busy "$WORK/shares" 90
	a=$BG
	busy "$WORK/recurse" 3 90
	b=$BG
	busy "$WORK/threads" 90
	eventually sh -c "cat /proc/$BG/task/*/comm | grep -qx t7"
	for t in /proc/$BG/task/*; do
		case $(cat "$t/comm" 2>/dev/null) in
		t6) t6=${t##*/} ;;
		t7) t7=${t##*/} ;;
		esac
	done
	"$SKEP" flame -p "$a,$b" -o p.folded --duration 600ms
	[ "$(comms p.folded | xargs)" = "recurse shares" ]
	"$SKEP" flame -t "$t6,$t7" -o t.folded --duration 600ms
	[ "$(comms t.folded | xargs)" = "t6 t7" ]
	"$SKEP" flame -p "$a" -t "$t7" -o u.folded --duration 600ms
	[ "$(comms u.folded | xargs)" = "shares t7" ]
	# filters of different kinds must all hold
	run "$SKEP" flame -p "$a" --comm t7 -o n.folded --duration 300ms
	[ "$status" = 1 ]
	[[ "$output" == *"no samples"* ]]
}

# bats test_tags=measuring
@test "-a: unrelated processes" {
	busy "$WORK/shares" 5
	busy "$WORK/recurse" 3 5
	sleep 0.2
	"$SKEP" flame -a -o a.folded --duration 800ms
	[ "$(comms a.folded | grep -cxE 'shares|recurse')" = 2 ]
}

@test "no such thread: exit 1, one line" {
	run "$SKEP" flame -t 4194303 -o a.folded --duration 1
	[ "$status" = 1 ]
	[ "$output" = "skep flame: no thread 4194303" ]
}

@test "-G: a cgroup and its children" {
	mount=$(awk '$9 == "cgroup2" || $0 ~ / - cgroup2 / { print $5; exit }' /proc/self/mountinfo)
	[ -n "$mount" ] || skip "no cgroup v2"
	mkdir -p "$mount/skep-test-$$/below" || skip "cannot make a cgroup"
	background sh -c "echo \$\$ > $mount/skep-test-$$/below/cgroup.procs; exec $WORK/shares 3"
	sleep 0.2
	"$SKEP" flame -G "skep-test-$$" -o a.folded --duration 500ms
	run "$SKEP" flame -G "$mount/skep-test-$$/none" -o b.folded --duration 100ms
	stop $BG
	rmdir "$mount/skep-test-$$/below" "$mount/skep-test-$$"
	[ "$(comms a.folded)" = shares ]
	[ "$status" = 1 ]
}

# bats test_tags=user-space
@test "COMMAND: its exit status, its signal, a missing program" {
	run "$SKEP" -q flame -F $(hz 4999) --format folded -- sh -c "$WORK/shares 0.1 >&2; exit 7"
	[ "$status" = 7 ]
	run "$SKEP" -q flame -F $(hz 4999) --format folded -- sh -c "$WORK/shares 0.1 >&2; kill -9 \$\$"
	[ "$status" = 137 ]
	run -127 "$SKEP" flame --format folded -- ./no-such-program
	[[ "$output" == *"cannot run './no-such-program'"* ]]
	: >plain-file
	run "$SKEP" flame --format folded -- ./plain-file
	[ "$status" = 126 ]
}

@test "COMMAND that exits at once: a message that there are no samples, or the few samples" {
	run "$SKEP" flame -F 19 -o a.folded -- true
	if [ "$status" = 1 ]; then
		[[ "$output" == *"no samples"* ]]
		[ ! -e a.folded ]
	else
		[ "$status" = 0 ]
		[ -s a.folded ]
	fi
}

@test "COMMAND runs as the invoking user under sudo, with no capability" {
	SUDO_UID=65534 SUDO_GID=65534 SUDO_USER=nobody run "$SKEP" -q flame -F 9999 --format folded -- \
		sh -c 'id -u; id -g; grep -E "CapEff|CapPrm" /proc/self/status; ls -R /usr/bin >/dev/null'
	echo "$output"
	[ "${lines[0]}" = 65534 ]
	[ "${lines[1]}" = 65534 ]
	[ "$(grep -c 0000000000000000 <<<"$output")" = 2 ]
}

@test "COMMAND inherits no descriptor of skep, and an empty signal mask" {
	bash -c 'ls /proc/self/fd | wc -l' >bare
	"$SKEP" -q flame -F $(hz 4999) -o a.folded -- bash -c 'ls /proc/self/fd | wc -l; grep SigBlk /proc/self/status' >out
	[ "$(sed -n 1p out)" = "$(cat bare)" ]
	grep -q 'SigBlk:.*0000000000000000' out
}

# bats test_tags=user-space
@test "Ctrl-C and SIGTERM end the run with the result" {
	for sig in INT TERM; do
		background "$SKEP" flame -a -o $sig.folded
		sleep 1
		kill -$sig $BG
		wait $BG
		[ -s $sig.folded ]
	done
}

@test "--duration ends COMMAND too" {
	start=$(date +%s)
	"$SKEP" flame --duration 500ms -o a.folded -- sh -c "echo \$\$ >pid; exec $WORK/shares 20" || true
	[ $(($(date +%s) - start)) -lt 5 ]
	[ -s a.folded ]
	[ ! -d "/proc/$(cat pid)" ]
}

@test "no privileges: exit 3, the missing capability and a hint" {
	run setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all "$SKEP" flame -a --format folded -- true
	echo "$output"
	[ "$status" = 3 ]
	[[ "$output" == *CAP_BPF* ]]
	[[ "$output" == *"hint: "*sudo* ]]
}

@test "no BTF: exit 3 and the kernel option" {
	mkdir none
	run unshare -m sh -c "mount --bind '$PWD/none' /sys/kernel/btf && '$SKEP' flame -o a.folded -- true"
	echo "$output"
	[ "$status" = 3 ]
	[[ "$output" == *CONFIG_DEBUG_INFO_BTF* ]]
}

# programs PID: the ids of BPF programs that it holds
programs() {
	sed -n 's/^prog_id:[^0-9]*//p' "/proc/$1/fdinfo"/* 2>/dev/null | sort -u
}

# samples PID: it has loaded the program that samples; the ids of all that it holds in ids
samples() {
	local id
	ids=$(programs "$1")
	for id in $ids; do ! bpftool prog show id "$id" 2>/dev/null | grep -q ' name sample' || return 0; done
	return 1
}

# none_left ID...: no such program is loaded
none_left() {
	local id
	for id; do ! bpftool prog show id "$id" >/dev/null 2>&1 || return 1; done
}

@test "nothing is left behind, also after SIGKILL" {
	need bpftool
	background "$SKEP" flame -a -o a.folded
	eventually samples $BG
	kill -9 $BG
	wait $BG || true
	eventually none_left $ids
}

@test "-p: a pid reused at once is another process" {
	[ -w /proc/sys/kernel/ns_last_pid ] || skip "no /proc/sys/kernel/ns_last_pid here"
	busy sleep 60
	# Others fork too: until the number is free at the right moment
	for ((i = 0; i < 20; i++)); do
		sleep 60 3>&- & p=$!
		"$SKEP" stat -x, -o a.csv -e syscalls:sys_enter_getpgid -p $p,$BG --duration "$(times 1)" 3>&- & skep=$!
		sleep "$(times 0.4)"
		kill $p
		wait $p || true
		echo $((p - 1)) >/proc/sys/kernel/ns_last_pid
		"$WORK/calls" 1 >/dev/null 3>&- & q=$!
		wait $q $skep
		[ $q != $p ] || break
	done
	[ $q = $p ] || skip "nobody got the number again"
	cat a.csv
	grep -q '^0,' a.csv
}

# bats test_tags=user-space
@test "-a: skep's own work is left out with a note, unless --comm names it" {
	mkdir tracing && mount -t tracefs none tracing || skip "no tracefs"
	umount tracing
	# Each line would be a write of its own, and so the next line
	background sh -c 'while sleep 0.05; do echo; done' >/dev/null
	"$SKEP" probe 't:syscalls:sys_enter_write' -a --format json -o lines --duration 1 2>said 3>&- &
	own=$!
	wait $own
	cat said
	[ -s lines ]
	run ! grep -q "\"pid\":$own," lines
	grep -qE 'note: [0-9]+ hits of skep itself' said
	"$SKEP" probe 't:syscalls:sys_enter_write' -a --comm skep -o lines --duration 500ms 2>said || true
	cat said
	run ! grep -q 'skep itself' said
	"$SKEP" record -a -e sched:sched_switch -o a.data --duration 1 2>said &
	own=$!
	wait $own
	cat said
	"$SKEP" -q flame -i a.data --by pid --format folded >a.folded
	[ -s a.folded ]
	run ! grep -q "^skep ($own)" a.folded
	grep -qE 'note: [0-9]+ samples of skep itself \([0-9.]+ % of all\) are left out; --comm skep' said
}

# Of no kernel's own: the filter is one for all programs
# bats test_tags=newest
@test "-a: skep's own waits are left out of off-CPU time and of the scheduler's rows, unless --comm names it" {
	"$SKEP" record --off-cpu -a -o w.data --duration 1 2>said &
	own=$!
	wait $own
	cat said
	grep -qE 'note: [0-9]+ waits of skep itself' said
	"$SKEP" -q flame -i w.data --event-index 1 --by pid --format folded >w.folded
	[ -s w.folded ]
	run ! grep -q "^skep ($own)" w.folded
	"$SKEP" sched -a --by pid --fields pid,switches --format csv -o s.csv --duration 1 2>said &
	own=$!
	wait $own
	cat said
	grep -qE 'note: [0-9]+ switches of skep itself' said
	[ "$(wc -l <s.csv)" -gt 2 ]
	run ! grep -q "^$own," s.csv
	"$SKEP" sched -o s.txt -- sleep 0.2 2>said
	cat said
	run ! grep -q 'skep itself' said
	"$SKEP" sched -a --comm skep --by pid --fields pid --format csv -o s.csv --duration 500ms 2>said &
	own=$!
	wait $own
	cat said s.csv
	run ! grep -q 'skep itself' said
	grep -qx "$own" s.csv
}
