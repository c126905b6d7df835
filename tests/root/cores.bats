#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The walker's source, built for user space, over core files of programs as they run: frame by frame what elfutils and gdb find.
# bats file_tags=user-space
load ../lib.bash

setup_file() {
	[ "$(uname -m)" = x86_64 ] || skip "only on x86-64"
}

setup_cores() {
	need gdb
	need eu-stack
	GDB=(timeout 100 gdb -nx -batch -iex 'set debuginfod enabled off' -x "$BATS_TEST_DIRNAME/frames.py")
	gdb --config | grep -q 'with-python=/' || skip "gdb without Python"
}

# agree WALKED NAME FILE: each thread of WALKED reached its root, by the frames of FILE. gdb guesses where code has no unwinding
# information: no more is asked of it behind the first frame of no file (JIT), nor behind the last where it takes a number for code. Go's own table
# says where a thread begins, .debug_frame has no mark of it before Go 1.20, and they go on: GO=1
agree() {
	awk -v name="$2" -v go="${GO:-0}" '
		NR == FNR { tid = $1; $1 = ""; theirs[tid] = $0; next }
		{
			n = split($0, ours, " ") - 2; m = split(theirs[$1], other, " "); guessed = 0
			for (i = 1; i <= n && i <= m; i++) {
				if (name == "gdb" && sub(/[?]$/, "", ours[i + 2])) { guessed = 1; i += ours[i + 2] == other[i]; break }
				sub(/[?]$/, "", ours[i + 2])
				if (ours[i + 2] != other[i]) break
			}
			if (i > n && m > n && name == "gdb" && length(other[i]) < 4) guessed = 1
			if (go && i > n) guessed = 1
			threads++; frames += i - 1
			if ($2 != "root") { bad = 1; print "thread " $1 ": no root, but end " $2 " at " ours[n + 2] }
			if (!guessed && (i <= n || i <= m)) { bad = 1; print "thread " $1 ", frame " i " of " n ": " ours[i + 2] ", " name " has " other[i] " of " m }
		}
		END { printf "%s: %d threads, %d frames\n", name, threads, frames; exit bad || !threads }' "$3" "$1"
}

# checked CORE EXE [FRAMES]: what gdb found before is in FRAMES
checked() {
	timeout 60 "$WORK/corewalk" "$1" >walked
	# 1: of a thread it has less than all
	timeout 60 eu-stack -n 0 --core "$1" >said 2>errors || [ $? = 1 ]
	awk '/^TID/ { if (tid) print tid line; tid = $2; sub(":", "", tid); line = "" }
		/^#/ { sub("0x0*", "", $2); line = line " " $2 } END { print tid line }' said >frames_eu
	[ $# = 3 ] || "${GDB[@]}" -ex frames "$2" "$1" >said 2>&1
	sed -n 's/^frames //p' "${3:-said}" >frames_gdb
	agree walked elfutils frames_eu
	agree walked gdb frames_gdb
}

# cores N COMMAND...: so many, wherever it is when they are made
cores() {
	local n=$1 i pid
	shift
	setup_cores
	background "$@" >/dev/null 2>&1 </dev/null
	pid=$BG
	sleep 0.5
	for ((i = 0; i < n; i++)); do
		sleep 0.0$((RANDOM % 10))
		"${GDB[@]}" -iex 'set auto-solib-add off' -p "$pid" -ex "gcore core" >said 2>&1
		checked core "$(readlink "/proc/$pid/exe")"
		rm -f core
	done
	stop "$pid"
}

@test "C by each way of making frames" {
	for how in O0 O2 O3 O2_fp static pie stripped; do cores 2 "$WORK/stacks_$how" 60; done
}

@test "static PIE, C++, Rust, Go" {
	for how in static_pie cxx rust go; do
		[ $how != go ] || GO=1
		[ ! -x "$WORK/shares_$how" ] || cores 2 "$WORK/shares_$how" 60
	done
}

@test "threads that run, threads that wait" {
	cores 2 "$WORK/threads" 60
	cores 3 "$WORK/waits_no_fp" 60
}

@test "python3" {
	need /usr/bin/python3
	cores 3 /usr/bin/python3 -c 'import json, re
while True:
	json.loads(json.dumps([re.sub("a", "b", "aaa" * 100)] * 100)); sorted(range(1000), key=lambda x: -x)'
}

@test "sqlite3, bash, sleep" {
	! command -v sqlite3 >/dev/null || cores 3 sqlite3 :memory: 'with recursive c(x) as (select 1 union all select x + 1 from c) select sum(x * 2) from c order by 1'
	cores 2 bash -c 'while :; do for i in 1 2 3; do x=$(echo $i); done; done'
	cores 1 sleep 60
}

@test "openssl speed" {
	need openssl
	cores 3 openssl speed -seconds 60 sha256
	cores 2 openssl speed -seconds 60 rsa2048
	cores 2 openssl speed -seconds 60 -evp aes-256-gcm
}

@test "node: code made at run time" {
	need node
	cores 2 node -e 'const { Worker } = require("worker_threads"); new Worker("let x = 0; for (;;) x += Math.sqrt(x)", { eval: true })
function f(n) { return n < 2 ? 1 : f(n - 1) + f(n - 2) }
for (;;) f(25)'
}

@test "a core file of the kernel" {
	setup_cores
	[[ "$(cat /proc/sys/kernel/core_pattern)" != [\|/]* ]] || skip "core files go elsewhere"
	ulimit -c unlimited || skip "no core files"
	background "$WORK/stacks_O2" 60
	sleep 0.5
	kill -ABRT "$BG"
	wait "$BG" || true
	checked core* "$WORK/stacks_O2"
}

@test "any instruction, from the loader's first" {
	setup_cores
	"${GDB[@]}" -ex starti -ex "moments 25 3331 core" --args "$(type -P ls)" -l / >said 2>&1
	for ((i = 1; i <= 25; i++)); do
		checked core.$i "$(type -P ls)" core.$i.gdb
	done
}
