#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# skep trace beside strace: real programs, line by line. What two runs of a program cannot have in common is in strace_lines.py.
# bats file_tags=user-space
load ../lib.bash

# beside COMMAND...: 99 of 100 of strace's lines are skep's
beside() {
	echo "== $*"
	rm -rf made
	strace -f -o strace.txt "$@" >/dev/null 2>&1 </dev/null || true
	rm -rf made
	"$SKEP" -q trace -o skep.txt -- "$@" >/dev/null 2>&1 </dev/null || true
	[ "$(wc -l <strace.txt)" -ge 20 ]
	"$BATS_TEST_DIRNAME/strace_lines.py" strace.txt skep.txt
}

has() {
	command -v "$1" >/dev/null
}

@test "files: ls, find, grep, tar, cp, du, sort" {
	need strace python3
	mkdir -p d/e
	for i in $(seq 50); do echo "line $i" >"d/e/file$i"; done
	beside ls -la /etc
	beside find /etc -name 'a*'
	beside grep -r line d
	beside tar cf made d
	beside cp -a d made
	beside du -s /etc
	beside sort -n d/e/file1 d/e/file2
	beside stat /dev/null d/e/file1
	beside ln -s nowhere made
	beside chmod 640 d/e/file1
	beside dd if=/dev/zero of=made bs=4k count=20
	beside touch -d 2020-01-01 d/e/file1
}

@test "shells, pipes, signals: sh, bash" {
	need strace python3
	beside sh -c 'echo hi | cat | wc -c; true; (exit 3)'
	beside bash -c 'trap "echo got" USR1; kill -USR1 $$; for i in 1 2 3; do /bin/true; done'
	beside env -i A=1 printenv A
}

@test "languages: perl, python3, awk, git, gcc" {
	need strace python3
	beside awk 'BEGIN { for (i = 0; i < 10; i++) s += i; print s }'
	! has perl || beside perl -e 'open(F, "<", "/etc/passwd"); print scalar(<F>)'
	beside "$(python3 -c 'import sys; print(sys.executable)')" -S -c 'import json, socket; a, b = socket.socketpair(); a.send(b"x"); print(b.recv(1))'
	! has git || beside git -C "$ROOT" --no-optional-locks log --oneline -3
	! has sqlite3 || beside sqlite3 :memory: "create table t(a); insert into t values (1); select * from t"
}
