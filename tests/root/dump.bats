#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Recordings with copies of stacks (perf record --call-graph dwarf): walked by skep, beside perf's walks of the same file.
# bats file_tags=user-space
load ../lib.bash
load rooted.bash # ways_ok

setup_file() {
	[ "$(id -u)" = 0 ] || return 0
	command -v perf >/dev/null || return 0
	[ "$(uname -m)" = x86_64 ] || return 0
	WORK=${WORK:-$(cd "$BATS_TEST_DIRNAME/../.." && pwd)/build/work}
	perf record -q -F 1999 --call-graph dwarf -o "$BATS_FILE_TMPDIR/ways.data" -- "$WORK/stacks_O2" 2 "$WORK/stacks_library.so" >"$BATS_FILE_TMPDIR/ways.truth"
}

setup() {
	need_root
	need perf
	[ "$(uname -m)" = x86_64 ] || skip "only on x86-64"
	cd "$BATS_FILE_TMPDIR"
}

# dumped FILE ARGS...: a recording of a command with copies of its stacks
dumped() {
	local file=$1
	shift
	perf record -q -F 999 --call-graph "${DUMP:-dwarf}" -o "$file" -- "$@" >/dev/null
}

# beside FILE: no stack of perf's is missing or shorter
beside() {
	need python3
	perf script --no-inline --max-stack 4000 -i "$1" -F comm,ip,sym >theirs 2>/dev/null
	"$SKEP" flame --no-kernel -i "$1" -o ours.folded
	python3 "$BATS_TEST_DIRNAME/stacks_beside.py" theirs ours.folded
}

@test "every kind of call: as perf's, and as the program says" {
	beside ways.data
	# The stack that a signal interrupted is not copied with the signal's own
	grep -v way_altstack ways.truth >ways.copied
	ways_ok ways.copied ours.folded
	grep -q ';__libc_start_call_main;main;way_deep;.*;burn' ours.folded
}

@test "the same stacks as a live run's" {
	"$SKEP" record -F 1999 -o live.data -- "$WORK/stacks_O2" 2 "$WORK/stacks_library.so" >/dev/null
	for f in ways live; do
		"$SKEP" flame -i $f.data -o $f.folded
		sed -E 's/^[^;]*;//; s/ [0-9]+$//' $f.folded | grep -v truncated | grep -E ';main;way_[^;]*;(.*;)?burn$' | grep -v altstack | sort -u >$f.stacks
	done
	[ "$(wc -l <ways.stacks)" -ge 8 ]
	diff live.stacks ways.stacks
}

@test "C++, frame pointers, the vDSO: as perf's" {
	for args in "shares_cxx 1" "stacks_O2_fp 1" "vdso 1"; do
		# shellcheck disable=SC2086
		dumped some.data "$WORK/"$args
		beside some.data
	done
}

@test "Go, whose callers perf skips: samples of main.hot have main.main" {
	[ -x "$WORK/shares_go" ] || skip "no Go programs here"
	dumped go.data "$WORK/shares_go" 1
	beside go.data
	awk '/main.hot/ { all += $NF } /;runtime.main;main.main;.*main.hot/ { n += $NF } END { exit !(n > 100 && n * 100 >= all * 98) }' ours.folded
}

@test "a stack that is larger than its copy: as deep as the copy, and that is said" {
	dumped deep.data "$WORK/recurse" 1000 1
	beside deep.data
	grep -q 'recurse;\[truncated: stack copy ended\];down;down' ours.folded
	run "$SKEP" report -g -i deep.data
	[[ "$output" == *"user stacks cut: they are larger than what was copied of them (record with --call-graph dwarf,65528, or with skep)"* ]]
	# Of 48 KB all is there, and perf's default has no more than 127 frames of it
	DUMP=dwarf,49152 dumped whole.data "$WORK/recurse" 700 0.2
	"$SKEP" flame -i whole.data -o whole.folded
	! grep -q truncated whole.folded
	awk -F';' '{ sub(/ [0-9]+$/, "") } /main;down/ { n = 0; for (i = 1; i <= NF; i++) n += $i == "down"; if (n >= 700) ok = 1 } END { exit !ok }' whole.folded
}

@test "a file that is another one by its build id: its frames are neither walked nor named, and that is said" {
	cp "$WORK/stacks_O2" prog
	perf record -q -N -F 999 --buildid-mmap --call-graph dwarf -o other.data -- ./prog 0.5 >/dev/null || skip "this perf has no --buildid-mmap"
	cp "$WORK/recurse" prog.new
	mv prog.new prog
	HOME=$PWD run "$SKEP" report -g -i other.data # no copy of perf's there
	echo "$output"
	[[ "$output" == *"[truncated: no unwinding information]"* ]]
	[[ "$output" == *"deleted, unreadable or replaced: "*"/prog"* ]]
	! grep -q way_ <<<"$output"
}

@test "no user frames, or only the leaf, without a walk" {
	"$SKEP" report -i ways.data --json >leaf.json
	grep -q '"sym":"burn","kind":"user"' leaf.json
	! grep -q truncated leaf.json
}
