#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# skep trace: crowds of threads, namespaces, rights that change, names that would move a cursor, disks and pipes that are full.
load ../lib.bash

cleanup() {
	! mountpoint -q disk || umount disk
	[ -z "${OPEN_DIR:-}" ] || rm -rf "$OPEN_DIR"
}

# lost SAID: how many records skep says that it lost
lost() {
	sed -n 's/^lost: \([0-9]*\) .*/\1/p' "$1" | awk '{ n += $1 } END { print n + 0 }'
}

# bats test_tags=slow,newest,user-space
@test "5,000 threads at a time: each call has its line, or is counted as lost" {
	"$SKEP" trace -e getpgid -o t.txt -- "$WORK/crowd" 5000 10 >truth 2>said || status=$?
	[ "${status:-0}" != 77 ] || skip "no 5,000 threads here"
	cat said
	made=$(sed -n 's/^call getpgid //p' truth)
	[ "$made" = 50000 ]
	calls=$(grep -c 'getpgid(' t.txt)
	ends=$(grep -c '+++ exited with 0 +++' t.txt)
	echo "$calls calls, $ends ends, $(lost said) lost"
	[ $((calls + ends + $(lost said))) = $((made + 5001)) ]
	[ "$calls" -ge $((made * 9 / 10)) ]
	# each line has the thread that made the call: it says so itself
	[ "$(sed -nE 's/^\[pid +([0-9]+)\] getpgid\(([0-9]+)\) .*/\1 \2/p' t.txt | awk '$1 != $2 { n++ } END { print n + 0 }')" = 0 ]
	# only those of the first thread may have no number
	[ "$(sed -nE 's/^getpgid\(([0-9]+)\).*/\1/p' t.txt | sort -u | wc -l)" -le 1 ]
	[ "$(lost said)" -gt 0 ] || [ "$(sed -nE 's/^(\[pid +[0-9]+\] )?getpgid\(([0-9]+)\) .*/\2/p' t.txt | sort | uniq -c | awk '$1 == 10' | wc -l)" = 5000 ]
	"$SKEP" trace -c --by tid,syscall -e getpgid --format json -o c.json -- "$WORK/crowd" 5000 2 >truth 2>said
	cat said
	[ $(($(jq -s 'map(.calls // 0) | add' c.json) + $(lost said))) = 10000 ]
}

@test "inside a PID namespace: COMMAND and its children have the numbers of the namespace" {
	unshare --pid --fork --kill-child --mount --mount-proc sh -c "'$SKEP' trace -o t.txt -- sh -c 'echo \$\$ >number; sleep 0.01 & echo \$! >child; wait; true'"
	cat t.txt
	[ "$(cat number)" -lt 50 ]
	sed -n 's/^\[pid *\([0-9]*\)\].*/\1/p' t.txt | sort -un | xargs >have
	[[ " $(cat have) " == *" $(cat child) "* ]]
	[ -z "$(tr ' ' '\n' <have | grep -vx -e "$(cat number)" -e "$(cat child)")" ]
	grep -qE "(clone3?|fork)\(.*= $(cat child)\$|resumed>.* = $(cat child)\$" t.txt
	grep -q "si_pid=$(cat child), " t.txt
}

@test "a PID namespace from outside: lines begin with the numbers of outside, what the program was told is of inside" {
	"$SKEP" trace -o t.txt -- unshare --pid --fork --kill-child sh -c 'sh -c "kill -USR1 $$; exit 7"; echo "in $$"; readlink /proc/self >/dev/null; sleep 0.2' >truth &
	traced=$!
	sleep 0.1
	wait $traced || true
	cat t.txt
	grep -qx 'in 1' truth
	first=$(sed -n 's/^\[pid *\([0-9]*\)\] .*getppid() .*/\1/p; s/^\[pid *\([0-9]*\)\] execve("[^"]*\/sh", .*/\1/p' t.txt | head -n 1)
	[ "$first" -gt 1 ]
	# the namespace's first process: outside it has another number, which unshare was told
	grep -qE "(fork|clone3?)\(.*\) += $first\$|resumed>.* = $first\$" t.txt
	grep -qE "^\[pid +$first\] (clone|vfork|fork)[^=]*(=|<unf).*" t.txt
	grep -qE "^\[pid +$first\] getpid\(\) += 1\$" t.txt || grep -qE "kill\(1, SIGUSR1\) += 0\$" t.txt
	run ! grep -qE '^\[pid +[0-9]\] ' t.txt
}

# bats test_tags=user-space
@test "a set-uid program of COMMAND, which is not root's: it has the rights that it has untraced, and its lines go on" {
	id nobody || skip "no user nobody"
	OPEN_DIR=$(mktemp -d /tmp/skep-open.XXXXXX) # the tests' own directory may be root's alone
	chmod 755 "$OPEN_DIR"
	! findmnt -no OPTIONS -T "$OPEN_DIR" | grep -qw nosuid || skip "/tmp is mounted with nosuid"
	cp "$(command -v id)" "$OPEN_DIR/raised"
	chmod 4755 "$OPEN_DIR/raised"
	setpriv --reuid 65534 --regid 65534 --clear-groups "$OPEN_DIR/raised" -u >untraced
	"$SKEP" trace --as nobody -o t.txt -- sh -c 'id -u; "$0"/raised -u; id -ru; cat /etc/shadow; true' "$OPEN_DIR" >truth 2>said
	cat truth t.txt
	[ "$(tr '\n' ' ' <truth)" = "65534 $(cat untraced) 65534 " ]
	grep -q 'cat: /etc/shadow: Permission denied' said
	grep -A200 'execve(".*/raised"' t.txt | grep -q 'geteuid() *= '"$(cat untraced)"'$'
	grep -q 'openat(.*"/etc/shadow", O_RDONLY) *= -1 EACCES' t.txt
	[ "$(tail -n 1 t.txt)" = "+++ exited with 0 +++" ]
}

# bats test_tags=user-space
@test "paths and names with newlines and escape sequences: a line each, no byte of them reaches the terminal" {
	name=$'a\nb\033[2Jc\302\233d\177'
	echo text >"$name"
	cp "$(command -v cat)" "$name.cat"
	"$SKEP" trace -y -Y -e execve,openat,read,close -o t.txt -- "./$name.cat" "$name"
	cat -v t.txt
	run ! grep -qP '[\x00-\x08\x0b-\x1f\x7f-\xff]' t.txt
	grep -qF 'execve("./a\nb\33[2Jc\302\233d\177.cat", ["./a\nb\33[2Jc\302\233d\177.cat", "a\nb' t.txt
	sed -E 's/read\([0-9]+/read(N/' t.txt | grep -qF "read(N<$PWD/"'a\nb\33[2Jc\302\233d\177>, "text\n"'
	[ "$(grep -cvE '^(\[pid [^]]*\] )?(execve|openat|read|close)\(|^(\[pid [^]]*\] )?\+\+\+ ' t.txt)" = 0 ]
	"$SKEP" trace --format json -y -e read -o t.json -- "./$name.cat" "$name"
	jq -e . t.json >/dev/null
	[ "$(jq -r 'select(.name == "read") | .args' t.json | grep -c 'a\\nb\\33')" -ge 1 ]
}

# bats test_tags=user-space
@test "a full disk: an error and exit 1, in lines, sums, files of threads and recordings; COMMAND's own end does not matter" {
	mkdir disk
	mount -t tmpfs -o size=64k none disk || skip "no tmpfs here"
	for how in "-o disk/t" "-T -o disk/t" "--format json -o disk/t" "-ff -o disk/t" "--record disk/t"; do
		rm -f disk/*
		run -1 timeout 60 "$SKEP" trace $how -- dd if=/dev/zero of=/dev/null bs=1 count=20000
		[[ "$output" == *"No space left on device"* ]] || { echo "$how: $output"; false; }
	done
	run -1 "$SKEP" trace -c -o /dev/full -- true
	[[ "$output" == *"No space left on device"* ]]
	run -1 "$SKEP" trace -C -o /dev/full -- true
	[[ "$output" == *"No space left on device"* ]]
}

# bats test_tags=user-space
@test "a pipe whose reader is stopped: COMMAND goes on and ends; the reader has all lines afterwards" {
	mkfifo pipe
	background sh -c 'cat <pipe >t.txt'
	reader=$BG
	exec 9>pipe
	kill -STOP $(pgrep -P "$reader" || echo "$reader") "$reader"
	background sh -c '"$0" trace -e read,write -o - -- sh -c "dd if=/dev/zero of=/dev/null bs=1 count=50000 2>/dev/null; : >ended" 2>said >pipe' "$SKEP"
	tracer=$BG
	exec 9>&-
	eventually test -e ended # while nobody reads
	[ "$(stat -c %s t.txt)" -lt 70000 ]
	kill -0 "$tracer"
	kill -CONT "$reader" $(pgrep -P "$reader")
	wait "$tracer"
	wait "$reader"
	cat said
	[ $(($(grep -cE '^(\[pid +[0-9]+\] )?(read|write)\((0|1), ' t.txt) + $(lost said))) -ge 100000 ]
	[ "$(grep -vc ^LOST t.txt)" = "$(sed -n 's/.* seen, \([0-9]*\) kept/\1/p' said)" ]
}

@test "killed in the middle of a call: what was known of it, and its end; vfork and exec" {
	mkfifo in
	"$SKEP" trace -o t.txt -- sh -c 'cat <in & sleep 1.5; kill -KILL $!; wait $!; exit 0' 2>/dev/null &
	traced=$!
	background sh -c 'exec 8>in; sleep 60'
	wait $traced
	cat t.txt
	child=$(sed -nE 's/^\[pid +([0-9]+)\] \+\+\+ killed by SIGKILL \+\+\+$/\1/p' t.txt)
	[ -n "$child" ]
	grep -qE "^\[pid +$child\] read\(0,  <unfinished ...>\$" t.txt
	grep -qE "^\[pid +$child\] <... read resumed>.*= \? " t.txt
	grep -qE "kill\($child, SIGKILL\) += 0" t.txt
	# vfork: the parent's call returns after the child's exec
	"$SKEP" trace -e vfork,clone,clone3,execve -o v.txt -- sh -c '/bin/true; true'
	cat v.txt
	exec=$(grep -n 'execve("/bin/true"' v.txt | cut -d: -f1)
	fork=$(grep -nE 'v?fork\(\) *=|clone3?\(.* = |resumed.* = [0-9]+$' v.txt | head -n 1 | cut -d: -f1)
	[ -n "$exec" ] && [ -n "$fork" ]
}
