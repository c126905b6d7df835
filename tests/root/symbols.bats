#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Names in hard places: deleted, replaced, other namespaces, vdso, exec in between.
load ../lib.bash

setup() {
	need_root
	cd "$BATS_TEST_TMPDIR"
}

teardown() {
	[ -z "$BG" ] || kill "$BG" 2>/dev/null || true
}

@test "a binary deleted after its start" {
	cp "$WORK/shares" gone
	background ./gone 4
	sleep 0.2
	rm gone
	"$SKEP" flame -p $BG -o a.folded --duration 600ms
	grep -q ';main;hot ' a.folded
}

@test "a binary replaced by another after its start: the old names, not the new ones" {
	cp "$WORK/shares" prog
	background ./prog 4
	sleep 0.2
	cp "$WORK/threads" prog.new
	mv prog.new prog
	"$SKEP" flame -p $BG -o a.folded --duration 600ms
	grep -q ';main;hot ' a.folded
	! grep -q burn a.folded
}

@test "a process in another mount and PID namespace" {
	mkdir -p jail
	background unshare -m -p -f --mount-proc sh -c "mount -t tmpfs none $PWD/jail && cp $WORK/shares $PWD/jail/inner && exec $PWD/jail/inner 4"
	sleep 0.5
	pid=$(pgrep -x inner)
	"$SKEP" flame -p "$pid" -o a.folded --duration 600ms
	kill "$pid"
	grep -q ';main;hot ' a.folded
}

@test "exec in between: each program's samples get its own names" {
	"$SKEP" flame -F 4999 -o a.folded -- sh -c "$WORK/shares 0.4 >&2; exec $WORK/recurse 20 0.4"
	grep -q '^shares;.*;hot ' a.folded
	grep -q '^recurse;.*;down ' a.folded
	! grep -q '^shares;.*;down ' a.folded
}

@test "the vdso and the kernel have names" {
	"$SKEP" flame -F 9973 -o a.folded -- "$WORK/recurse" 1 0.5
	grep -qE 'do_syscall_64|clock_gettime' a.folded
}

@test "inlined functions and source lines with --inline" {
	cat >inl.c <<-'C'
		#include <stdlib.h>
		volatile long x;
		static inline __attribute__((always_inline)) void inner(long n) { for (long i = 0; i < n; i++) x += i; }
		__attribute__((noinline)) void outer(long n) { inner(n); }
		int main(void) { for (int i = 0; i < 200; i++) outer(1000000); return 0; }
	C
	gcc -O2 -g -fno-omit-frame-pointer inl.c -o inl
	"$SKEP" flame -F 4999 --inline -o a.json -- ./inl
	"$SKEP" flame -F 4999 --inline -o a.folded -- ./inl
	grep -q ';outer;inner ' a.folded
	grep -q '"file": *"[^"]*inl.c"' a.json
}
