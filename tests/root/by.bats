#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# skep stat --by: tracepoints and system calls summed in the kernel by any key, to the unit.
load ../lib.bash

# hits KEY... <CSV: the first number of the row whose last columns are these
hits() {
	awk -F, -v want="$(IFS=,; echo "$*")" '{ n = $1; key = $0; sub(/^[^,]*,/, "", key); if (key == want) { print n; found = 1 } } END { if (!found) print 0 }'
}

sum() {
	awk -F, -v c="${1:-1}" '$c ~ /^[0-9]+$/ { n += $c } END { print n + 0 }'
}

need_tracefs() {
	[ -r /sys/kernel/tracing/events/sched ] || [ -r /sys/kernel/debug/tracing/events/sched ] || skip "tracefs is not mounted"
}

@test "tracepoints by name, number, CPU and user: forks and exits, exact" {
	need_tracefs
	forks=$((8 + 20))
	[ "$(uname -m)" != x86_64 ] || forks=$((forks + 1))
	"$SKEP" stat -x, --by comm,event -o a.csv -e sched:sched_process_fork,sched:sched_process_exit -- "$WORK/calls" 3 8 20 >truth 2>said
	cat a.csv
	head -1 a.csv | grep -qx hits,comm,event
	counted $forks "$(hits calls sched:sched_process_fork <a.csv)"
	counted $((forks + 1)) "$(hits calls sched:sched_process_exit <a.csv)"
	"$SKEP" stat -x, --by tid,pid -o b.csv -e sched:sched_process_exit -- "$WORK/calls" 3 8 20 >truth 2>said
	counted $((forks + 1)) "$(grep -c '^1,' b.csv)"
	counted $((forks + 1 - 8)) "$(cut -d, -f2 b.csv | tail -n +2 | sort -u | wc -l)"
	"$SKEP" stat -x, --by cpu,user,cgroup -o c.csv -e 'sched:sched_process_exit' -- "$WORK/calls" 3 8 20 >truth 2>said
	counted $((forks + 1)) "$(sum <c.csv)"
	[ "$(tail -n +2 c.csv | cut -d, -f3 | sort -u)" = root ]
}

@test "fields of tracepoints: signed and unsigned numbers, arguments of system calls, both kinds of strings" {
	need_tracefs
	"$SKEP" stat -x, --by 'args->sig,args.comm' -o a.csv -e signal:signal_generate -- \
		bash -c 'trap : USR1 USR2; for i in 1 2 3 4 5 6 7; do kill -USR1 $$; done; for i in 1 2 3; do kill -USR2 $$; done'
	cat a.csv
	head -1 a.csv | grep -qx hits,args.sig,args.comm
	[ "$(hits 10 bash <a.csv)" = 7 ]
	[ "$(hits 12 bash <a.csv)" = 3 ]
	"$SKEP" stat -x, --by 'args->fd' -o b.csv -e syscalls:sys_enter_fsync,syscalls:sys_enter_fchmod -- "$WORK/calls" 50 >truth
	[ "$(hits 4294967295 <b.csv)" = $((67 + 70)) ]
	"$SKEP" stat -x, --by 'args->epfd,event' -o c.csv -e syscalls:sys_enter_epoll_ctl -- "$WORK/calls" 50 >truth
	grep -q '^[0-9]*,syscalls:sys_enter_epoll_ctl,-1$' c.csv
	"$SKEP" stat -x, --by 'args->ret' -o d.csv -e syscalls:sys_exit_fsync -- "$WORK/calls" 50 >truth
	cat b.csv c.csv d.csv
	[ "$(hits -9 <d.csv)" = 67 ]
	cp "$WORK/calls" one
	cp "$WORK/calls" two
	"$SKEP" stat -x, --by 'args->filename' -o e.csv -e sched:sched_process_exec -- sh -c './one 0 >truth; ./one 0 >truth; ./two 0 >truth; true'
	cat e.csv
	[ "$(hits ./one <e.csv)" = 2 ]
	[ "$(hits ./two <e.csv)" = 1 ]
}

@test "a device is MAJOR:MINOR; tracepoints of a glob without the field are left out, with a note" {
	need_tracefs
	"$SKEP" stat -a -x, --by 'args->dev,event' -o a.csv -e 'block:*' -- sh -c 'echo x >"$0"; sync "$0"' "$PWD/file" 2>said
	cat a.csv said
	grep -Eq '^note: [0-9]+ of the tracepoints do not have all of these fields' said
	[ "$(wc -l <a.csv)" -gt 1 ] || skip "nothing reached a block device here"
	run ! grep -Evx 'hits,event,args.dev|[0-9]+,block:[a-z_]+,[0-9]+:[0-9]+' a.csv
}

@test "an unknown field: refused with similar names" {
	need_tracefs
	run "$SKEP" stat --by 'cpu,args->parent_comn' -e sched:sched_process_fork -- true
	echo "$output"
	[ "$status" = 2 ]
	[[ "$output" == *"sched:sched_process_fork has no such field"*"      cpu,args->parent_comn"*"                ^"*"hint: similar: parent_comm, parent_pid, child_comm"* ]]
}

# bats test_tags=user-space
@test "bpftrace counts the same" {
	need bpftrace
	need_tracefs
	name=calls$$ # of this test alone
	cp "$WORK/calls" $name
	count=(bpftrace -q -e "tracepoint:sched:sched_process_exit /comm == \"$name\"/ { @ = count(); }" -c "./$name 3 8 20")
	"${count[@]}" >probe 2>said || skip "bpftrace does not work here: $(tail -1 said)"
	"$SKEP" stat -a -x, --by comm -o a.csv -e sched:sched_process_exit -- "${count[@]}" >truth
	tail -1 truth
	cat a.csv
	[ "$(sed -n 's/^@: //p' truth)" = "$(hits $name <a.csv)" ]
}

@test "a name in tracefs that is no tracepoint: refused, alone and in a list" {
	need_tracefs
	[ -e /sys/kernel/tracing/events/ftrace/print ] || [ -e /sys/kernel/debug/tracing/events/ftrace/print ] || skip "no ftrace:print here"
	run "$SKEP" stat --by comm -e sched:sched_switch,ftrace:print -- true
	echo "$output"
	[ "$status" = 3 ]
	[[ "$output" == *"cannot attach to 'ftrace:print': the kernel has no such tracepoint"* ]]
}

@test "fields on another CPU than the first" {
	need_tracefs
	[ "$(nproc)" -gt 1 ] || skip "one CPU"
	"$SKEP" stat -C 1 -x, --by 'args->sig' -o a.csv -e signal:signal_generate -- taskset -c 1 bash -c 'trap : USR1; for i in 1 2 3 4 5; do kill -USR1 $$; done'
	cat a.csv
	[ "$(hits 10 <a.csv)" -ge 5 ]
}

@test "system calls and tracepoints in one table, by event and by name" {
	need_tracefs
	"$SKEP" stat -x, --by event -o a.csv -e syscalls:sys_enter_getpgid,syscalls:sys_enter_fsync,sched:sched_process_exec -- "$WORK/calls" 40 >truth
	cat a.csv
	[ "$(hits syscalls:sys_enter_getpgid <a.csv)" = 40 ]
	[ "$(hits syscalls:sys_enter_fsync <a.csv)" = 57 ]
	[ "$(hits sched:sched_process_exec <a.csv)" = 1 ]
	"$SKEP" stat -x, --by comm -o b.csv -e syscalls:sys_enter_getpgid,sched:sched_process_exec -- "$WORK/calls" 40 >truth
	[ "$(hits calls <b.csv)" = 41 ]
}

# bats test_tags=user-space
@test "-I: the intervals add up to the whole, of calls, times and tracepoints" {
	need_tracefs
	"$SKEP" stat -x, -I 20 --by comm,syscall --latency -o a.csv -e 'syscalls:*' -- "$WORK/calls" 3000 4 20 >truth 2>said
	cat said
	head -3 a.csv
	head -1 a.csv | grep -q '^time_ns,calls,errors,'
	[ "$(grep -c '^time' a.csv)" = 1 ]
	[ "$(tail -n +2 a.csv | cut -d, -f1 | sort -u | wc -l)" -ge 2 ]
	# What the kernel skips (7.2 preempts programs on system calls) is told, and nothing else is missing
	awk -F'[ ,]' -v skipped="$(skipped)" 'NR == FNR { if ($1 == "call") want[$2] = $3; next } { got[$11] += $2 }
		END { for (c in want) { n++; missing += want[c] - got[c]; if (got[c] != want[c]) print c ": truth " want[c] ", skep " got[c]; bad += got[c] > want[c] }
			print "missing " missing; exit bad || missing > skipped || n < 40 }' truth a.csv
	"$SKEP" stat -j -I 20 --by 'args->parent_comm' -o b.json -e sched:sched_process_fork -- \
		bash -c 'for i in 1 2 3 4 5 6 7 8; do (:); sleep 0.02; done'
	ends b.json
	cat b.json
	[ "$(sed 's/.*"hits"://; s/}//' b.json | awk '{ n += $1 } END { print n }')" = 16 ]
	! grep -qv '^{"time_ns":[0-9]*,' b.json
}

# frames_fit LOG: each frame has rows, of a thread, a call and a number, and not more than a terminal of 10 lines has room for
frames_fit() {
	awk 'BEGIN { RS = "\033\\[H" } NR > 1 {
			n = split($0, l, "\n")
			m = 0
			for (i = 1; i <= n; i++)
				m += l[i] ~ /^[0-9]+ +[a-z_0-9]+ +[0-9]+/
			if (m > 6) bad = 1
			most = m > most ? m : most
		} END { exit bad || most < 3 }' "$1"
}

# bats test_tags=user-space
@test "-I on a terminal: one table, drawn in place; elsewhere one after the other" {
	need script
	script -qec "stty rows 10 cols 60; TERM=xterm '$SKEP' stat -I 50 --by tid,syscall -- '$WORK/calls' 2000 4" log </dev/null >/dev/null
	grep -c $'\033\[H' log
	[ "$(grep -c $'\033\[H' log)" -ge 2 ]
	# each line is cut to the width, and a frame to the height
	frames_fit log
	# nor is it more than that with --top
	script -qec "stty rows 10 cols 60; TERM=xterm '$SKEP' stat -a -I 50 --by tid,syscall --top 100 -- '$WORK/calls' 2000 4" log </dev/null >/dev/null
	[ "$(grep -c $'\033\[H' log)" -ge 2 ]
	frames_fit log
	"$SKEP" stat -I 50 --by syscall --top 1 -- sleep 0.5 2>log
	run ! grep -q $'\033' log
	[ "$(grep -c '^# 0\.' log)" -ge 3 ]
	# so is every table of rows that goes to standard output
	script -qec "stty rows 10 cols 60; TERM=xterm '$SKEP' sched -I 100 --duration 0.5s -- '$WORK/shares' 0.4" log </dev/null >/dev/null
	[ "$(grep -c $'\033\[H' log)" -ge 2 ]
}

# bats test_tags=user-space
@test "keys of tracepoints beyond --max-keys are one row, and --strict fails" {
	need_tracefs
	"$SKEP" stat -x, --by 'args->child_pid' --max-keys 16 -o a.csv -e sched:sched_process_fork -- "$WORK/calls" 3 8 40 >truth 2>said
	cat a.csv said
	forks=48
	[ "$(uname -m)" != x86_64 ] || forks=49
	[ "$(sum <a.csv)" = $forks ]
	[ "$(wc -l <a.csv)" = 18 ]
	[ "$(hits "(other)" <a.csv)" = $((forks - 16)) ]
	grep -q "$((forks - 16))  events with keys beyond" said
	run "$SKEP" stat --strict --by 'args->child_pid' --max-keys 16 -e sched:sched_process_fork -- "$WORK/calls" 3 8 40
	[ "$status" = 1 ]
}

# An emulated kernel skips some entries, which is said.
# bats test_tags=user-space
@test "-I: the rows of tasks that have ended make room for later ones, and nothing is lost" {
	n=$((6000 / ${SKEP_SLOW:-1} / ${SKEP_SLOW:-1}))
	for e in syscalls:sys_enter_set_robust_list sched:sched_process_exit; do
		"$SKEP" stat --by pid,tid -I 50 --max-keys $((n / 2)) -e $e -j -o rows.json -- "$WORK/tasks" many $n 2>said
		ends rows.json
		cat said
		run ! grep -q 'keys beyond' said
		[ "$(jq -r .tid rows.json | sort -u | wc -l)" = $((n + 1)) ]
		[ "$(jq -s 'map(.calls // .hits) | add' rows.json)" = $((n + 1)) ]
	done
}

# bats test_tags=user-space,slow
@test "10,000 keys" {
	"$SKEP" stat -x, --by tid -o a.csv -e syscalls:sys_enter_getpgid -- "$WORK/calls" 1 0 $((10000 / ${SKEP_SLOW:-1})) >truth 2>said
	cat said
	[ ! -s said ]
	[ "$(grep -c '^1,' a.csv)" = $((10000 / ${SKEP_SLOW:-1} + 1)) ]
	[ "$(sum <a.csv)" = $((10000 / ${SKEP_SLOW:-1} + 1)) ]
}

@test "a reused pid is another row" {
	[ -w /proc/sys/kernel/ns_last_pid ] || skip "no /proc/sys/kernel/ns_last_pid here"
	# Others fork too: until the number is free at the right moment
	cat >again.sh <<-EOF
		for i in \$(seq 100); do
			"$WORK/calls" 1 >/dev/null & p=\$!
			wait
			echo \$((p - 1)) >/proc/sys/kernel/ns_last_pid
			"$WORK/calls" 1 >/dev/null & q=\$!
			wait
			[ \$p != \$q ] || { echo \$p; exit; }
		done
	EOF
	"$SKEP" stat -x, --by pid -o a.csv -e syscalls:sys_enter_getpgid -- bash again.sh >pid
	[ -s pid ] || skip "nobody got a number again"
	cat pid a.csv
	[ "$(grep -c ",$(cat pid)\$" a.csv)" = 2 ]
	"$SKEP" stat -j --by pid -o a.json -e syscalls:sys_enter_getpgid -- bash again.sh >pid
	ends a.json
	[ -s pid ] || skip "nobody got a number again"
	cat pid a.json
	[ "$(grep "\"pid\":$(cat pid)," a.json | grep -o '"start_ns":[0-9]*' | sort -u | wc -l)" = 2 ]
}

# bats test_tags=user-space
@test "control characters in names are escaped" {
	need_tracefs
	bad=$'a\033[31m,"b'
	cp "$(type -P true)" "$bad"
	"$SKEP" stat --by 'comm,args->filename' -o a.txt -e sched:sched_process_exec -- "./$bad"
	cat -v a.txt
	run ! grep -q $'\033' a.txt
	grep -qF '\x1b[31m,"b' a.txt
	"$SKEP" stat -x, --by 'comm,args->filename' -o a.csv -e sched:sched_process_exec -- "./$bad"
	cat -v a.csv
	run ! grep -q $'\033' a.csv
	grep -qxF '1,"a\x1b[31m,""b","./a\x1b[31m,""b"' a.csv
	forge=$'f\n9,forged'
	cp "$(type -P true)" "$forge"
	"$SKEP" stat -x, --by comm -o f.csv -e sched:sched_process_exec -- "./$forge"
	cat -v f.csv
	[ "$(wc -l <f.csv)" = 2 ]
	grep -qxF '1,"f\x0a9,forged"' f.csv
	need jq
	"$SKEP" stat -j --by 'comm,args->filename' -o a.json -e sched:sched_process_exec -- "./$bad"
	ends a.json
	[ "$(jq -r '.["args.filename"]' a.json)" = "./$bad" ]
}

# bats test_tags=user-space
@test "fields without tracefs: refused with a hint" {
	for e in 'syscalls:*' syscalls:sys_enter_close; do
		run unshare --mount sh -c "umount -l /sys/kernel/tracing /sys/kernel/debug/tracing 2>/dev/null; umount -l /sys/kernel/debug 2>/dev/null; '$SKEP' stat -e '$e' --by 'args->fd' -- true"
		echo "$output"
		[ "$status" = 3 ]
		[[ "$output" == *"cannot read the fields of 'syscalls:sys_e"*"hint: mount -t tracefs"* ]]
	done
}

# bats test_tags=user-space
@test "options that exclude each other" {
	need_tracefs
	for args in "--latency -e sched:sched_switch" "--latency --by args->id" "--by errno -e sched:sched_switch" "--by syscall,args->id" \
		"--by args->id -e page-faults" "--by comm,nosuch" "--by args->a,args->b,args->c,args->d,args->e" \
		"--by args->x -e syscalls:sys_enter_getpgid:compat" "--by args->args -e raw_syscalls:sys_enter"; do
		# shellcheck disable=SC2086
		run "$SKEP" stat $args -- true
		echo "$args: $status $output"
		[ "$status" = 2 ]
	done
}

# bats test_tags=user-space
@test "stacks of tracepoints begin at the tracepoint, without frames of BPF or perf" {
	for e in syscalls:sys_enter_getppid syscalls:sys_exit_getppid raw_syscalls:sys_enter sched:sched_process_fork; do
		"$SKEP" -q flame --format folded -e $e -- sh -c 'true & wait; echo $PPID >/dev/null; '"$WORK/calls"' 50 >/dev/null' >out || true
		"$SKEP" -q record -e $e -o a.data -- sh -c 'true & wait; '"$WORK/calls"' 50 >/dev/null'
		"$SKEP" -q flame -i a.data --format folded >>out
		echo "$e"
		[ -s out ]
		run ! grep -E ';(perf_syscall_|syscall_trace_enter|syscall_exit_work|__traceiter_|bpf_prog_|bpf_trace_run|perf_trace_)[^;]* [0-9]+$' out
	done
	"$SKEP" -q flame --format folded -e syscalls:sys_enter_getppid -- "$WORK/calls" 50 >out
	cat out
	grep -qE ';([a-z0-9_]*do_syscall_[a-z0-9_]*|entry_SYSCALL_64[a-z_]*|x64_sys_call|syscall) [0-9]*$' out
}
