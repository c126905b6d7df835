#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# skep probe of kernel functions and tracepoints: what the kernel was called with is what the workload says it asked for, to the unit.
load ../lib.bash
load probe_rows.bash

MODE=kernel
OWN='file->f_path.dentry->d_name.name ~ "probed.f*"'

need_tracefs() {
	[ -r /sys/kernel/tracing/events/sched ] || [ -r /sys/kernel/debug/tracing/events/sched ] || skip "tracefs is not mounted"
}

# hits TITLE <JSON of --count
hits() {
	jq -r --arg e "$1" 'select(.event == $e) | .hits'
}

# bats test_tags=newest
@test "tracepoints: fields, texts, filters, globs" {
	need_tracefs
	row kill 't:syscalls:sys_enter_kill(pid, sig)' '[.pid, .sig]'
	row kill 't:syscalls:sys_enter_kill(args->pid) if sig == 0 && args->pid > 1' .pid
	row open 't:syscalls:sys_enter_openat(filename, flags, mode:u32) if filename ~ "probed.*"' '[.filename, .flags, .mode]' '[.name, .flags, .mode]'
	row open 't:syscalls:sys_enter_openat(filename:string) if flags & 64 && filename ~ "probed.*"' .filename 'select(.flags / 64 % 2 >= 1) | .name'
	row sleep 't:syscalls:sys_exit_nanosleep(ret)' .ret 0
	row process 't:sched:sched_process_exit(comm, pid)' '[.comm, .pid]' '["probed", .pid]'
	row process 't:sched:sched_process_exit(c=comm:string) if comm == "probed" && comm ~ "p*d"' .c '"probed"'
	row write 't:syscalls:sys_enter_write(count, high=(fd > 2)) if fd > 2 && count in 1000..2500' '[.count, .high]' '[.count, 1]'
	row write 't:syscalls:sys_enter_write(b=buf:string:fd - fd + 2) if fd > 2 && count in 1000..2500' '.b | length' 2
	row write 't:syscalls:sys_exit_write(ret:u16) if ret == 1111 || ret == 2222' .ret 'select(.ret == 1111 or .ret == 2222) | .ret'
	row read 't:syscalls:sys_enter_read(count, double=count * 2) if count == 8000' '[.count, .double]' 'select(.count == 8000) | [8000, 16000]'
	row send 't:syscalls:sys_enter_sendto(len, addr_len, flags:x32) if len >= 100' '[.len, .addr_len, .flags]' '[.size, 0, "0x0"]'
	row send 't:syscalls:sys_exit_sendto(ret) if !(ret <= 5000)' .ret 'select(.ret > 5000) | .ret'
	row kill 't:syscalls:sys_enter_kill(args->pid, me=(args->pid == tid)) if args->pid == tid' '[.[]]' '[.pid, 1]'
	row getppid 't:syscalls:sys_enter_getppid(comm, uid)' '[.comm, .uid]' 'range(.n) | ["probed", 0]'
	refuses 2 't:sched:sched_process_exit(nosuch)' "sched:sched_process_exit has no field 'nosuch'" "hint: " "comm, pid"
	refuses 2 t:sched:sched_process_exitt sched_process_exitt "hint: similar: " sched_process_exit
	refuses 2 t:nosuch:sched_switch nosuch:sched_switch
	refuses 2 't:syscalls:sys_enter_write(buf:string:-1)' "the number of bytes is 1 or more"
	refuses 2 sched_switch "no such function" "t:sched:sched_switch"
	refuses 2 sys_enter_openat "no such function" "t:syscalls:sys_enter_openat"
	rows_end
}

@test "tracepoints by glob, of the subsystem syscalls too" {
	need_tracefs
	"$SKEP" probe --count --format json -o a.json 't:sched:sched_process_e*' -- "$WORK/probed" kernel >truth
	ends a.json
	cat a.json
	[ "$(hits t:sched:sched_process_exit <a.json)" = 1 ]
	"$SKEP" probe --count --format json -o b.json 't:syscalls:sys_*_kill' -- "$WORK/probed" kernel >truth
	ends b.json
	cat b.json
	[ "$(hits t:syscalls:sys_enter_kill <b.json)" = 3 ]
	[ "$(hits t:syscalls:sys_exit_kill <b.json)" = 3 ]
}

# Each perf event of a tracepoint takes an RCU grace period to close: 30 to 80 ms, a minute for all system calls.
@test "all system calls, all of a subsystem: attached and detached within seconds, exact" {
	need_tracefs
	local n
	n=$(find /sys/kernel/tracing/events/syscalls -mindepth 1 -maxdepth 1 | wc -l)
	timeout "$(times 8)" "$SKEP" probe 't:syscalls:*' -m 4096 --format json -o a.json -- "$WORK/probed" kernel >truth
	ends a.json
	# The values are those of the calls
	diff <(jq -c 'select(.probe == "t:syscalls:sys_enter_kill") | [.values.pid, .values.sig]' a.json) <(jq -c 'select(.fn == "kill") | [.pid, .sig]' truth)
	diff <(jq -c 'select(.probe == "t:syscalls:sys_exit_write") | .values.ret | select(. == 1111 or . == 2222)' a.json) \
		<(jq -c 'select(.fn == "write") | .ret | select(. == 1111 or . == 2222)' truth)
	jq -se 'all(.[]; .values.__syscall_nr >= 0)' a.json
	timeout "$(times 8)" "$SKEP" probe --count 't:syscalls:*' --format json -o b.json -- "$WORK/probed" kernel >truth
	ends b.json
	[ "$(hits t:syscalls:sys_enter_kill <b.json)" = 3 ] && [ "$(hits t:syscalls:sys_exit_kill <b.json)" = 3 ]
	timeout "$(times 8)" "$SKEP" probe 't:syscalls:sys_*' --by event --format json -o c.json -- "$WORK/probed" kernel >truth
	ends c.json
	[ "$(hits t:syscalls:sys_enter_kill <c.json)" = 3 ] && [ "$(hits t:syscalls:sys_exit_kill <c.json)" = 3 ]
	timeout "$(times 8)" "$SKEP" probe --count 't:syscalls:sys_enter_*' 't:syscalls:sys_enter_* if comm == "none"' -o d -- "$WORK/probed" kernel >truth
	[ "$n" -gt 500 ]
}

@test "stacks of all system calls: attached and detached within seconds, exact" {
	need_tracefs
	n=$((3000 / ${SKEP_SLOW:-1}))
	timeout "$(times 12)" "$SKEP" probe -g 't:syscalls:sys_enter_get*' --format folded -o a.folded -- "$WORK/probed" load $n 1 2 >truth
	hits=$(awk '{ n += $NF } END { print n }' a.folded)
	want=$(jq -s '.[0].n' truth)
	echo "$hits of $want, and a few of the C library's"
	[ "$hits" -ge "$want" ] && [ "$hits" -le $((want + 50)) ]
	timeout "$(times 12)" "$SKEP" flame -e 't:syscalls:*' -o b.folded -- "$WORK/probed" kernel >truth
	[ "$(awk '{ n += $NF } END { print n }' b.folded)" -ge 50 ]
}

@test "system calls of 32-bit programs are not counted as others of the same number" {
	need_tracefs
	[ -x "$WORK/burn32" ] || skip "no 32-bit programs here"
	run "$WORK/burn32"
	[ "$status" -lt 126 ] || skip "a kernel without 32-bit programs"
	# Number 5 is open there, and fstat here
	run "$SKEP" probe --count --format json -o out.json 't:syscalls:*' --duration 1s -- "$WORK/burn32"
	ends out.json
	cat out.json
	jq -se 'all(.[]; .event | test("exec|exit_group|clone") )' out.json
}

@test "--count of tracepoints opens no perf events" {
	need_tracefs
	need strace
	strace -f -qq -e trace=perf_event_open -o calls "$SKEP" probe --count 't:sched:*' -o out -- true
	[ ! -s calls ] && grep -q t:sched:sched_process_exit out
	strace -f -qq -e trace=perf_event_open -o calls "$SKEP" probe --count 't:syscalls:*' -o out -- true
	cat calls
	[ "$(wc -l <calls)" -le 4 ] && grep -q t:syscalls:sys_enter_exit_group out
}

@test "tracepoints of threads and children: exact, also the losses of a ring of 4 KiB" {
	need_tracefs
	n=$((30000 / ${SKEP_SLOW:-1} / ${SKEP_SLOW:-1}))
	"$SKEP" probe --count --format json -o a.json t:syscalls:sys_enter_getppid -- "$WORK/probed" load $n 2 2 >truth 2>said
	cat said
	ends a.json
	counted $((n * 5)) "$(jq .hits a.json)"
	"$SKEP" probe -m 4 --format json -o b.json t:syscalls:sys_enter_getppid -- "$WORK/probed" load $n 2 2 >truth 2>said
	ends b.json
	ledger $((n * 5)) "$(wc -l <b.json)"
}

# Not ended by a NUL: what stands behind it in memory is not its text
@test "strings with a length: of the next field, of an expression, as a key" {
	need_tracefs
	need /usr/bin/python3
	cat >calls.py <<-'EOF'
		import ctypes, mmap, os
		libc = ctypes.CDLL(None, use_errno=True)
		fd = os.open("/dev/null", os.O_WRONLY)
		b = ctypes.create_string_buffer(b"0123456789ABCDEFGHIJ")
		for n in (5, 0, 20, -1):
		    libc.write(fd, b, ctypes.c_size_t(n))
		# To the last byte of what is mapped
		m = mmap.mmap(-1, 8192)
		a = ctypes.addressof(ctypes.c_char.from_buffer(m))
		ctypes.memset(a, ord("z"), 4096)
		libc.mprotect(ctypes.c_void_p(a + 4096), 4096, 0)
		libc.write(fd, ctypes.c_void_p(a + 4090), 6)
		os.write(1, b"done\n")
	EOF
	for spec in 'buf:string' 'b=buf:string:count' 'b=args->buf:string' 'b=buf:ustring:count + 0'; do
		"$SKEP" probe "t:syscalls:sys_enter_write($spec)" --format json -o out -- /usr/bin/python3 calls.py >said
		ends out
		[ "$(jq -sc 'map(.values[])' out)" = '["01234","","0123456789ABCDEFGHIJ","","zzzzzz","done\n"]' ] || { cat out; false; }
	done
	"$SKEP" probe 't:syscalls:sys_enter_write(b=buf:string:count / 2 + 1)' --text-size 8 --format json -o out -- /usr/bin/python3 calls.py >said
	ends out
	[ "$(jq -sc 'map(.values[])' out)" = '["012","0","0123456","","zzzz","don"]' ]
	"$SKEP" probe 't:syscalls:sys_enter_write' --by b=buf:string:count --format json -o out -- /usr/bin/python3 calls.py >said
	ends out
	[ "$(jq -s 'map(select(.b == "01234" or .b == "zzzzzz")) | map(.hits) | add' out)" = 2 ]
	refuses 2 't:syscalls:sys_enter_write(fd:u8:count)' "EXPR:string:COUNT"
	refuses 2 't:syscalls:sys_enter_write(buf:string:comm)' "a number of bytes is needed"
	refuses 2 't:syscalls:sys_enter_write(buf:string:)'
	rows_end
}

@test "a key that is a kernel address is a symbol" {
	need_tracefs
	need_feature "kernel symbols by BPF"
	"$SKEP" probe t:timer:hrtimer_start --by f=function:symbol,g=function:sym --format json -a --duration 500ms -o out
	ends out
	cat out
	jq -se 'all(.[]; .f == .g) and any(.[]; .f | startswith("hrtimer_wakeup") or startswith("tick_"))' out
	"$SKEP" probe t:timer:hrtimer_start --by f=function:symbol -a --duration 500ms -o out
	grep -qE '^(hrtimer_wakeup|tick_)[^ ]* +[0-9]+$' out
}

# A machine without kprobes says so.
@test "no kprobes: an error that says so" {
	"$SKEP" doctor --json | jq -e '.features[] | select(.name == "kprobe") | .has | not' >/dev/null || skip "there are kprobes here"
	run "$SKEP" probe k:vfs_read -- true
	echo "$output"
	[ "$status" = 3 ]
	[[ "$output" == *"cannot attach to 'vfs_read': this kernel has no kprobes"*"hint: "* ]]
}

@test "files: arguments by BTF, members, strings of the kernel and of the process" {
	need_feature kprobe
	row open 'k:do_sys_openat2(filename, how->mode, f=(how->flags & ~32768)) if filename ~ "probed.*"' '[.filename, .mode, .f]' '[.name, .mode, .flags]'
	row open 'k:do_sys_openat2(dfd) if filename == "probed.file1"' .dfd 'select(.name == "probed.file1") | -100'
	row open 'k:do_sys_openat2(filename) if how->flags & 64 && filename ~ "probed*"' .filename 'select(.flags / 64 % 2 >= 1) | .name'
	row write "k:vfs_write(n=file->f_path.dentry->d_name.name, count, s=file->f_inode->i_size) if $OWN" '[.n, .count, .s]' '[.name, .count, .before]'
	row write "k:vfs_write(count) if $OWN && count in 1200..2222" .count 'select(.count >= 1200 and .count <= 2222) | .count'
	row write "k:vfs_write(count) if $OWN && (count == 1000 || count * 2 > 4000 && !(count == 2222))" .count \
		'select(.count == 1000 or (.count > 2000 and .count != 2222)) | .count'
	row pipe 'k:vfs_write(c=buf[0], d=buf[100]:char, depth) if count == 3333' '[.c, (.d | char), .depth > 3]' '[121, "y", true]'
	row pipe_read 'k:ksys_read(count) if count == 4444' .count
	row pipe_read 'k:vfs_read(count, comm) if count == 4444 && comm == "probed"' '[.count, .comm]' '[.count, "probed"]'
	rows_end
}

@test "returns: values, arguments of the entry, latency" {
	need_feature kprobe
	row open 'kr:do_sys_openat2(ret, filename) if filename ~ "probed.none*"' '[.ret, .filename]' 'select(.failed) | [-2, .name]'
	row open 'kr:do_sys_openat2(filename) if ret < 0 && filename ~ "probed*"' .filename 'select(.failed) | .name'
	row write "kr:vfs_write(ret, count, n=file->f_path.dentry->d_name.name) if $OWN" '[.ret, .count, .n]' '[.ret, .count, .name]'
	row read "kr:vfs_read(ret, count) if $OWN" '[.ret, .count]'
	row read "kr:vfs_read(v=\$retval:s32, ok=(latency > 0 && latency < 10s)) if $OWN && ret == 0" '[.v, .ok]' 'select(.ret == 0) | [0, 1]'
	row pipe 'vfs_write%return $retval count' '[.retval, .count]' 'empty' refused_or_rows
	row sleep 'kr:hrtimer_nanosleep(rqtp, ret) if latency >= 1ms && latency < 20s' '[.rqtp, .ret]' '[.ns, 0]'
	rows_end
}

# bats test_tags=newest
@test "members at any depth, arithmetic, other widths, globs" {
	need_feature kprobe
	row write "k:vfs_write(len=file->f_path.dentry->d_name.len, n=file->f_path.dentry->d_name.name) if $OWN" '[.len, .n]' '[(.name | length), .name]'
	row write "k:vfs_write(a=file->f_path.dentry->d_name.name[0]:char, b=file->f_path.dentry->d_name.name[1]:u8) if $OWN" '[(.a | char), .b]' '["p", 114]'
	row write "k:vfs_write(regular=(file->f_inode->i_mode & 61440), owner=file->f_inode->i_uid.val) if $OWN" '[.regular, .owner]' '[32768, 0]'
	row write "k:vfs_write(how=(file->f_flags & 3)) if $OWN" .how 'if .name == "probed.file2" then 1 else 2 end'
	row write "k:vfs_write(count) if file->f_inode->i_size == 0 && $OWN" .count 'select(.before == 0) | .count'
	row write "k:vfs_write(s=count << 2, h=count >> 3, r=count % 7, q=count / 9) if $OWN" '[.s, .h, .r, .q]' \
		'[.count * 4, (.count / 8 | floor), .count % 7, (.count / 9 | floor)]'
	row write "k:vfs_write(b=count:u8, s=count:s16, n=-count:s64, x=count:x16) if $OWN" '[.b, .s, .n, .x]' '[.count % 256, .count, -.count, (.count | hex)]'
	row write "k:vfs_write(count) if comm ~ \"pro*\" && $OWN && !(count < 2000)" .count 'select(.count >= 2000) | .count'
	row write "k:vfs_writ[e](count) if $OWN" .count
	row write "k:vfs_w*e(count) if count == 1111 || count == 2222" .count 'select(.count == 1111 or .count == 2222) | .count'
	row read "k:vfs_read(count, n=file->f_path.dentry->d_name.name) if $OWN" '[.count, .n]' '[.count, .name]'
	row open 'k:vfs_unlink(n=dentry->d_name.name) if dentry->d_name.name ~ "probed.*"' .n 'select(.failed | not) | .name'
	row pipe 'k:ksys_write(fd, count) if count == 3333' '[.fd > 3, .count]' '[true, .count]'
	row process 'k:do_group_exit(exit_code) if pid == tid' .exit_code 0
	rows_end
}

@test "return values beside arguments: of files, pipes, sockets" {
	need_feature kprobe
	row read "kr:vfs_read(ret) if count == 8000 && $OWN" .ret 'select(.count == 8000) | .ret'
	row read "kr:vfs_read(ret, left=count - ret) if $OWN" '[.ret, .left]' '[.ret, .count - .ret]'
	row pipe_read 'kr:ksys_read(ret, count) if count == 4444' '[.ret, .count]' '[.ret, .count]'
	row pipe 'kr:ksys_write(ret) if ret == count && count == 3333' .ret
	row send 'kr:tcp_sendmsg(ret, port=ntohs(sk->__sk_common.skc_dport)) if size >= 100' '[.ret, .port]' '[.ret, .port]'
	row sleep 'kr:hrtimer_nanosleep(ok=(ret == 0), mode)' '[.ok, .mode]' '[1, "HRTIMER_MODE_REL"]'
	rows_end
}

# bats test_tags=newest
@test "sockets and timers: byte order, casts, container_of, enums by name" {
	need_feature kprobe
	row send 'k:tcp_sendmsg(size, port=ntohs(sk->__sk_common.skc_dport), f=sk->__sk_common.skc_family)' '[.size, .port, .f]' '[.size, .port, 2]'
	row send 'kr:tcp_sendmsg(ret, size) if size > 5000 && ret > 0' '[.ret, .size]' 'select(.size > 5000) | [.ret, .size]'
	row send 'k:tcp_sendmsg(a=sk->__sk_common.skc_daddr:ipv4, s=sk->__sk_common.skc_state) if size >= 5K' '[.a, .s]' 'select(.size >= 5120) | ["127.0.0.1", 1]'
	row send 'k:tcp_sendmsg(a=((struct inet_sock *)sk)->inet_sport, b=container_of(sk, struct inet_sock, sk)->inet_sport)' '.a == .b and .a > 0' true
	row send 'k:tcp_sendmsg(t=sk->sk_type, p=sk->sk_protocol)' '[.t, .p]' '[1, 6]'
	row send 'k:tcp_sendmsg(size) if ntohs(sk->__sk_common.skc_dport) > 1023 && sk->__sk_common.skc_family == 2 && size < 6000' .size 'select(.size < 6000) | .size'
	row send 'k:tcp_sendmsg(s=((struct sock_common *)sk)->skc_state, size:x64)' '[.s, .size]' '[1, (.size | hex)]'
	row getppid 'k:inet_listen(backlog, s=sock->type)' '[.backlog, .s]' '[4, 1]'
	row sleep 'k:hrtimer_nanosleep(rqtp, mode, clockid)' '[.rqtp, .mode, .clockid]' '[.ns, "HRTIMER_MODE_REL", 1]'
	row sleep 'k:hrtimer_nanosleep(rqtp) if mode == HRTIMER_MODE_REL && rqtp > 1234567ns' .rqtp 'select(.ns > 1234567) | .ns'
	row sleep 'k:hrtimer_nanosleep(m=mode:u32)' .m 1
	row process 'k:do_exit(code)' .code 0
	rows_end
}

# bats test_tags=newest
@test "system calls: their wrappers have registers; arg0; perf's spelling; --filter; offsets" {
	need_feature kprobe
	if [ "$(uname -m)" = x86_64 ]; then
		row kill 'k:__x64_sys_kill(pid=regs->di, sig=regs->si)' '[.pid, .sig]'
		row kill 'k:__x64_sys_kill(pid=((struct pt_regs *)arg0)->di:s32)' .pid
		row kill '__x64_sys_kill pid=regs->di' .pid
		row getppid 'k:__x64_sys_getppid(comm, uid, here=(cpu < 1024 && pid == tid))' '[.comm, .uid, .here]' 'range(.n) | ["probed", 0, 1]'
		row getppid '__x64_sys_getppid%return $retval:s32 latency' '.retval > 0 and .latency > 0' 'range(.n) | true'
	fi
	OPTIONS=(--filter "$OWN && count > 1300")
	row write 'vfs_write count' .count 'select(.count > 1300) | .count'
	row write 'vfs_write%return $retval' '.[]' 'select(.count > 1300) | .ret'
	row write 'k:vfs_write(count) if count == 1000 || count == 2444' .count 'select(.count == 2444) | .count'
	OPTIONS=()
	rows_end
}

# bats test_tags=newest
@test "offsets: at the start of an instruction only" {
	need_feature kprobe
	[ "$(uname -m)" = x86_64 ] || skip "offsets are x86-64's"
	good=0
	for off in 4 5 9; do
		if "$SKEP" probe --count --format json -o o.json k:__x64_sys_getppid+$off -- "$WORK/probed" kernel >truth 2>said; then
		ends o.json
			[ "$(jq .hits o.json)" = 12 ]
			good=$((good + 1))
		else
			cat said
		fi
	done
	[ $good -gt 0 ]
	run "$SKEP" probe k:vfs_write+1 -- true
	echo "$output"
	[ "$status" = 3 ]
	[[ "$output" == *"cannot attach to 'vfs_write"*"no probe there"* ]]
}

@test "--count: exact, of threads and children" {
	need_feature kprobe
	[ "$(uname -m)" = x86_64 ] || skip "names of system calls are x86-64's"
	n=$((20000 / ${SKEP_SLOW:-1} / ${SKEP_SLOW:-1}))
	"$SKEP" probe --count --format json -o a.json k:__x64_sys_getppid kr:__x64_sys_getppid -- "$WORK/probed" load $n 2 2 >truth
	ends a.json
	cat a.json
	[ "$(jq -s -c 'map(.hits)' a.json)" = "[$((n * 5)),$((n * 5))]" ]
	"$SKEP" probe --count --format json -o b.json "k:__x64_sys_getppid if tid == pid" -- "$WORK/probed" load $n 2 2 >truth
	ends b.json
	[ "$(jq .hits b.json)" = $((n * 3)) ]
}

@test "--count of a glob: the same numbers as of each function alone" {
	need_feature kprobe
	"$SKEP" probe --count --format json -o one.json k:vfs_read k:vfs_write -- "$WORK/probed" kernel >truth 2>said
	ends one.json
	"$SKEP" probe --count --format json -o all.json 'k:vfs_[rw]*' -- "$WORK/probed" kernel >truth 2>said
	ends all.json
	cat said all.json
	[ "$(hits k:vfs_read <all.json)" = "$(hits k:vfs_read <one.json)" ]
	[ "$(hits k:vfs_read <all.json)" -ge 5 ]
	"$SKEP" probe --count --format json -o some.json 'k:vfs_[rw]* if count == 3333 || count == 4444' -- "$WORK/probed" kernel >truth 2>said
	ends some.json
	cat said some.json
	[ "$(hits 'k:vfs_read if count == 3333 || count == 4444' <some.json) $(hits 'k:vfs_write if count == 3333 || count == 4444' <some.json)" = "1 1" ]
}

@test "printed and lost add up to the truth; -n N prints exactly N" {
	need_feature kprobe
	[ "$(uname -m)" = x86_64 ] || skip "names of system calls are x86-64's"
	n=$((100000 / ${SKEP_SLOW:-1} / ${SKEP_SLOW:-1}))
	for where in k:__x64_sys_getppid 'kr:__x64_sys_getppid(ret, latency)'; do
		"$SKEP" probe -m 4 --format json -o a.json "$where" -- "$WORK/probed" load $n 3 0 >truth 2>said
		ends a.json
		ledger $((4 * n)) "$(wc -l <a.json)"
	done
	"$SKEP" probe -n 100 --format json -o b.json k:__x64_sys_getppid -- "$WORK/probed" load $n 3 0 >truth
	ends b.json
	[ "$(wc -l <b.json)" = 100 ]
}

@test "a function that is called while it is probed in every process: nothing hangs" {
	need_feature kprobe
	"$SKEP" probe --duration 1 --count -o a.txt 'k:vfs_*' -- sh -c 'while :; do "$0" kernel; done' "$WORK/probed" >truth
	grep -qE '^k:vfs_read +[0-9]+$' a.txt
	background sh -c 'while sleep 0.02; do cat /proc/version; done' >/dev/null
	"$SKEP" probe -a --duration 500ms --format json -o b.json 'k:vfs_read(comm, count)' >truth
	ends b.json
	jq -se 'length > 0' b.json
}

# bats test_tags=user-space
@test "refused: unknown names, with similar ones" {
	need_feature kprobe
	refuses 2 'k:tcp_sendmsgx' "no such" "hint: " tcp_sendmsg
	refuses 2 'k:tcp_sendmsgx(size)' "tcp_sendmsgx"
	refuses 2 'k:nosuch_function_*' "no kernel function matches"
	refuses 2 'k:vfs_write(nosuch)' "vfs_write has no argument 'nosuch'" "hint: vfs_write has file, buf, count, pos"
	refuses 2 'k:vfs_write(file->f_nosuch)' "no member 'f_nosuch'"
	refuses 2 'k:vfs_write(file->f_inodee)' "hint: similar: f_inode"
	refuses 2 'k:vfs_write(ret)' "only a return has a return value"
	refuses 2 'k:vfs_write(latency)' "only a return has a latency"
	refuses 2 'k:vfs_write(count) if count == "x"' "compared with a string"
	refuses 2 'k:vfs_write(pos) if pos == 5 && count ~ "x*"' "compared with a string"
	refuses 2 'k:vfs_write((struct nosuch *)file)' "no such type"
	refuses 2 'kr:vfs_write+4' "a return has no offset"
	refuses 2 'k:__x64_sys_getppid(nosuch)' "no argument 'nosuch'" "hint: "
	refuses 2 'k:nosuchmodule:vfs_read' "nosuchmodule"
	refuses 2 'k:vfs_write(container_of(file, struct inode, i_nosuch))' "no member 'i_nosuch'"
	rows_end
}

# On kernels that give a program a stack per CPU (6.13 and later): in uprobe.bats, but there on this kernel only
@test "user functions: a hit is whole although the next task's preempts it" {
	need_feature uprobe
	"$SKEP" probe --count --format json -o a.json "ur:$WORK/probed:hit if i >= 1000" -- "$WORK/probed" load 10000 4 3 >truth
	ends a.json
	cat a.json truth
	[ "$(jq .hits a.json)" = $(($(jq .n truth) - 8000)) ]
	"$SKEP" probe --format json -o b.json "u:$WORK/probed:many(thread, tid)" -- "$WORK/probed" user >truth
	ends b.json
	[ "$(jq -c '[.values.thread, .tid, .values.tid]' b.json | sort -u | wc -l)" = 4 ]
}
