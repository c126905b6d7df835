#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Stacks without frame pointers: every walk ends where its thread began, whatever the compiler made of the code on its way.
load ../lib.bash
load probe_rows.bash # need_feature
load rooted.bash

stacks() { # stacks KIND [LIBRARY]
	"$SKEP" flame --call-graph eh -F $HZ -o got.folded -- "$WORK/stacks_$1" "$(lasting 2)" ${2+"$2"} >truth
	rooted_ok got.folded
	ways_ok truth got.folded
}

# bats test_tags=measuring
@test "walks by tables: -O2 without frame pointers, and a library loaded later" { stacks O2 "$WORK/stacks_library.so"; }
# bats test_tags=user-space,measuring
@test "walks by tables: -O0" { stacks O0; }
# bats test_tags=user-space,measuring
@test "walks by tables: -O3" { stacks O3; }
# bats test_tags=user-space,measuring
@test "walks by tables: -O2 with frame pointers" { stacks O2_fp; }
# bats test_tags=user-space,measuring
@test "walks by tables: static" { stacks static; }
# bats test_tags=user-space,measuring
@test "walks by tables: PIE" { stacks pie; }

# bats test_tags=user-space,measuring
@test "walks by tables: stripped, all samples rooted" {
	"$SKEP" flame --call-graph eh -F $HZ -o got.folded -- "$WORK/stacks_stripped" "$(lasting 2)" >truth
	rooted_ok got.folded
}

# The C library itself has no unwinding information
# bats test_tags=user-space,measuring
@test "walks by tables: static, of musl" {
	[ -x "$WORK/stacks_musl" ] || skip "no musl-gcc"
	stacks musl
	"$SKEP" flame --call-graph eh -F $HZ -o got.folded -- "$WORK/stacks_musl_stripped" "$(lasting 2)" >truth
	rooted_ok got.folded
	# main() and what calls it are there, if not by name: frames below burn() in the deepest stack
	awk '{ n = split($0, f, ";"); if (n > most) most = n } END { exit !(most >= 104) }' got.folded
}

# bats test_tags=user-space,measuring
@test "musl's own code: loops behind calls, switches, what is called by address, with names or without" {
	# Where neither tables nor names say where a function begins, a switch may look like one
	for kind in musl musl_stripped musl_bare; do
		[ -x "$WORK/library_$kind" ] || skip "no musl-gcc"
		"$SKEP" flame -F $HZ --format folded -o got.folded -- "$WORK/library_$kind" "$(lasting 2)"
		awk -v k="$kind" -v most=$([ $kind = musl_bare ] && echo 10 || echo 1) '{ all += $NF } /\[truncated/ { cut += $NF }
			END { print k, all, cut + 0; exit !(all > 200 && cut * 100 <= all * most) }' got.folded
	done
}

# bats test_tags=user-space,measuring,slow
@test "C++, Rust and Go, by their tables and by their frame pointers" {
	for kind in cxx rust go; do
		[ -x "$WORK/shares_$kind" ] || continue
		"$SKEP" flame --call-graph eh -F $HZ -o got.folded -- "$WORK/shares_$kind" "$(lasting 2)" >truth
		rooted_ok got.folded
	done
}

go_ok() { # go_ok COMMAND...: into got.folded
	"$SKEP" flame --call-graph eh -F $HZ -o got.folded -- "$@"
	SKEP_SAMPLES=500 rooted_ok got.folded 990 150 # its tables are large: a machine with other work is late with them
}

# bats test_tags=user-space,measuring
@test "Go that reads clocks, stripped or not" {
	[ -x "$WORK/clock_go" ] || skip "no go"
	strip -o go_stripped "$WORK/clock_go"
	for go in "$WORK/clock_go" ./go_stripped; do
		go_ok "$go" "$(lasting 2)"
		in_ok got.folded ';time[.]now[; ]' ';runtime[.]goexit[^;]*;runtime[.]main;main[.]main;main[.]wall;time[.]Now;time[.]now[; ]'
		in_ok got.folded ';runtime[.]nanotime1[^;]*[; ]' ';main[.]mono;.*;runtime[.]nanotime1|;runtime[.]mstart.*;runtime[.]nanotime1|;runtime[.](mcall|morestack).*;runtime[.]nanotime1'
	done
}

# Where a stack goes on the function that left it is not known: the next one is
# bats test_tags=user-space,measuring,slow
@test "Go's runtime on its own stack, and C that is called by Go and calls it" {
	[ -x "$WORK/cgo_go" ] || skip "no go"
	strip -o garbage_stripped "$WORK/garbage_go"
	for go in "$WORK/garbage_go" ./garbage_stripped; do
		go_ok "$go" "$(lasting 2)"
		in_ok got.folded ';runtime[.]systemstack[^;]*;' ';runtime[.]goexit[^;]*;.*;runtime[.]systemstack|;runtime[.](goexit|mstart|mcall|morestack)[^;]*;runtime[.]systemstack'
	done
	strip -o cgo_stripped "$WORK/cgo_go"
	go_ok "$WORK/cgo_go" "$(lasting 2)"
	in_ok got.folded ';in_c[; ]' ';runtime[.]main;main[.]main;main[.]there;main[.]_Cfunc_in_c[^;]*;runtime[.]asmcgocall[^;]*;(_cgo_[^;]*;)?in_c[; ]'
	in_ok got.folded ';main[.]work[; ]' ';runtime[.]main;main[.]main;main[.]back;main[.]_Cfunc_through_c[^;]*;runtime[.]cgocall;runtime[.]systemstack_switch[^;]*;runtime[.]cgocallback[^;]*;.*;main[.]work[; ]'
	go_ok ./cgo_stripped "$(lasting 2)"
}

# Go's profiler walks a stack at each of them: a thousandth of the time
# bats test_tags=user-space,measuring
@test "signals' handlers of Go, stripped or not" {
	local HZ

	[ -x "$WORK/shares_go" ] || skip "no go"
	HZ=$(hz 19999)
	strip -o go_stripped "$WORK/shares_go"
	for go in "$WORK/shares_go" ./go_stripped; do
		go_ok "$go" "$(lasting 2)" 1000
		grep -qE ';runtime[.]main;main[.]main;main[.](hot|cold);runtime[.]sigreturn[^;]*;runtime[.]sigtramp[^;]*[; ]' got.folded
	done
}

# bats test_tags=user-space,measuring
@test "the C library's assembly" {
	for without in "" -AVX512F,-AVX512VL,-AVX2_Usable,-AVX2,-ERMS; do
		GLIBC_TUNABLES=${without:+glibc.cpu.hwcaps=$without} "$SKEP" flame --call-graph eh -F $HZ -o got.folded -- "$WORK/strings" "$(lasting 1)"
		rooted_ok got.folded
		# What is not the program's begin or end
		awk '/ld-linux|;_?_?dl_|exec|exit/ { next } { all += $NF } /;main[; ]/ { good += $NF }
			END { print good " of " all " in main"; exit !(all && good >= 0.99 * all) }' got.folded
	done
}

# What OpenSSL has for this machine, and what it has for all
# bats test_tags=user-space,measuring,slow
@test "libcrypto's assembly" {
	need openssl
	for cap in "" 0:0; do
		for what in sha256 sha512 rsa2048 ecdsap256 "-evp aes-256-gcm" "-evp chacha20-poly1305"; do
			# shellcheck disable=SC2086
			env ${cap:+OPENSSL_ia32cap=$cap} "$SKEP" flame --call-graph eh -F $HZ -o got.folded -- openssl speed -bytes 8192 -seconds 1 $what
			SKEP_SAMPLES=500 rooted_ok got.folded
		done
	done
}

# bats test_tags=user-space,measuring
@test "short processes: the first sample of each is whole" {
	"$SKEP" flame --call-graph eh -F $HZ --by pid -o got.folded -- "$WORK/children" 100 "$(lasting 5)" >truth
	rooted_ok got.folded
	for pid in $(awk '{ print $2 }' truth); do
		grep -q "($pid);.*main;.*child_burn" got.folded || { echo "child $pid is missing"; false; }
	done
}

# bats test_tags=user-space,measuring
@test "record writes whole call chains, and no stack dumps; perf reads them" {
	"$SKEP" record --call-graph eh -F "$(hz 1999)" -o a.data -- "$WORK/stacks_O2" "$(lasting 1)" >truth
	"$SKEP" flame -i a.data -o got.folded
	ways_ok truth got.folded
	need perf
	perf script -i a.data -F ip,sym 2>/dev/null >script
	grep -q 'way_deep' script
}

# waited_ok FOLDED: 99 % of the time off the CPUs reaches a root, and that of each function of waits is in who called it
waited_ok() {
	rooted_ok "$1"
	in_ok "$1" ';sleep_3ms;' ';main;timed;sleep_3ms;sleep_ns;'
	in_ok "$1" ';poll_1ms;' ';main;timed;poll_1ms;poll_ms;'
	in_ok "$1" ';ask_server;' ';main;timed;ask_server;(take|give);'
	in_ok "$1" ';serve;' ';server;serve;(take|give|sleep_ns);'
}

# in_ok FOLDED WHAT WAY: of the time of stacks that match WHAT, 99 % match WAY; there is some. Those from before the table was there are
# rooted_ok's.
in_ok() {
	awk -v what="$2" -v way="$3" '
		/;\[truncated: unwinding table late\]/ { next }
		$0 ~ what { all += $NF; if ($0 ~ way) good += $NF; else other = $0 }
		END {
			printf "%s: %.0f of %.0f ns\n", way, good, all
			if (all && good >= 0.99 * all) exit
			print "  " substr(other, 1, 300)
			exit 1
		}' "$1"
}

# bats test_tags=measuring
@test "--off-cpu, code without frame pointers: where it waits, and who wakes it" {
	"$SKEP" flame --off-cpu --call-graph eh -o got.folded -- "$WORK/waits_no_fp" "$(times 1)" >truth
	waited_ok got.folded
	"$SKEP" flame --call-graph eh --off-cpu --wakers -o all.folded -- "$WORK/waits_no_fp" "$(times 1)" >truth
	# A timer wakes in whomever it interrupts: that may be code of a process that skep was not asked for, and knows little of
	grep -vE '\[woken by ([^w]|w[^a]|wa[^i])' all.folded >got.folded
	rooted_ok got.folded
	# The waker's leaf first, down to where its thread began
	in_ok got.folded ';ask_server;.*\[woken by waits_no_fp\];.*write' '\[woken by waits_no_fp\];.*write.*;give;serve;server;'
	in_ok got.folded ';serve;take;.*\[woken by waits_no_fp\];.*write' '\[woken by waits_no_fp\];.*write.*;give;ask_server;timed;main;'
}

# bats test_tags=user-space,measuring
@test "--wall, by tables" {
	"$SKEP" flame --call-graph eh --wall -F $HZ -o got.folded -- "$WORK/waits_no_fp" "$(times 1)" >truth
	waited_ok got.folded
	"$SKEP" flame --call-graph eh --wall -F $HZ -o got.folded -- "$WORK/stacks_O2" "$(lasting 2)" >truth
	rooted_ok got.folded
}

# bats test_tags=user-space,measuring
@test "record --off-cpu, by tables" {
	"$SKEP" record --off-cpu --call-graph eh -F "$(hz 1999)" -o a.data -- "$WORK/waits_no_fp" "$(lasting 1)" >truth
	"$SKEP" flame --off-cpu -i a.data -o got.folded
	waited_ok got.folded
	"$SKEP" flame -i a.data -o got.folded
	SKEP_SAMPLES=1 rooted_ok got.folded
}

# bats test_tags=measuring,user-space
@test "sched timehist -g: whole stacks of code without frame pointers" {
	need jq
	"$SKEP" sched timehist -g --format json -o a.json -- "$WORK/waits_no_fp" "$(lasting 1)" >truth
	ends a.json
	jq -r 'select(.what == "switch" and .comm == "waits_no_fp" and .stack) | [.comm] + (.stack | reverse) + ["x"] | join(";") + " 1"' a.json >got.folded
	SKEP_SAMPLES=200 rooted_ok got.folded
	for way in ';main;timed;sleep_3ms;sleep_ns;' ';main;timed;poll_1ms;poll_ms;' ';main;timed;ask_server;take;' ';server;serve;take;'; do
		[ "$(grep -c -e "$way" got.folded)" -ge 50 ]
	done
	"$SKEP" sched timehist -g --call-graph fp --format json -o b.json -- "$WORK/waits" "$(times 0.3)" >truth
	ends b.json
	jq -se '[.[] | .stack // [] | join(";") | select(test("ask_server;timed;main"))] | length >= 20' b.json
}

# hits EVENT NAME: each way of stacks_O2, seen by hits of an event, with NAME as their innermost frame of the program; burn() is entered 50
# times in a run of any length, and asks the kernel for the time thousands of times
hits() {
	"$SKEP" flame --call-graph eh -e "$1" --no-kernel -o got.folded -- "$WORK/stacks_O2" "$(times 1)" "$WORK/stacks_library.so" >truth
	SKEP_SAMPLES=45 rooted_ok got.folded
	ways_ok truth got.folded
	grep -qE ";$2 [0-9]+\$" got.folded
}

# bats test_tags=measuring
@test "walks by tables: hits of a tracepoint" {
	hits syscalls:sys_enter_clock_gettime '[^;]*clock_gettime[^;]*'
	"$SKEP" stat --stack -j -o a.json -e sched:sched_process_fork -- "$WORK/children" 20 0.1
	[ "$(jq '[.rows[] | select([.callers[].sym] | index("main") and index("_start")) | .samples] | add' a.json)" -ge 19 ]
}

# bats test_tags=user-space,measuring,slow
@test "walks by tables: hits of probes, at entries and returns of functions" {
	need_feature uprobe
	hits "u:$WORK/stacks_O2:burn" burn
	"$SKEP" record --call-graph eh -e "u:$WORK/stacks_O2:burn" -o a.data -- "$WORK/stacks_O2" "$(times 1)" >truth
	"$SKEP" flame -i a.data -o got.folded
	ways_ok truth got.folded
	"$SKEP" probe -g --call-graph eh --format folded -o got.folded "u:$WORK/stacks_O2:burn" -- "$WORK/stacks_O2" "$(times 1)" >truth
	ways_ok truth got.folded
	"$SKEP" probe -g --call-graph fp --format folded -o fp.folded "u:$WORK/stacks_O2:burn" -- "$WORK/stacks_O2" "$(times 1)" >truth
	run ! ways_ok truth fp.folded
	"$SKEP" flame --call-graph eh -e "ur:$WORK/stacks_O2:burn" -o got.folded -- "$WORK/stacks_O2" "$(times 1)" >truth
	SKEP_SAMPLES=45 rooted_ok got.folded
	grep -qE 'main;way_deep(;down){100} ' got.folded
	grep -qE 'main;way_alloca;room ' got.folded
}

# bats test_tags=user-space,measuring,slow
@test "walks by tables: calls whose return is probed have their caller" {
	need_feature uprobe
	"$SKEP" probe --count "ur:$WORK/stacks_O2:way_*" "ur:$WORK/stacks_O2:room" -- \
		"$SKEP" flame --call-graph eh -F $HZ -o got.folded -- "$WORK/stacks_O2" "$(lasting 2)" >truth
	grep -q "ur:$WORK/stacks_O2:way_alloca  *[1-9]" truth
	rooted_ok got.folded
	ways_ok truth got.folded
}

# bats test_tags=user-space,measuring,slow
@test "tables of a large program in little memory: parts are replaced, with a note, and all stacks are whole" {
	need clang
	echo 'int f(int x) { return x * 3; }' >one.c
	for i in $(seq 700); do echo "int f$i(int x, int *p) { for (int i = 0; i < x; i++) p[i] += i * $i % 7; return p[x / 2] + x; }"; done >>one.c
	"$SKEP" flame --call-graph eh --unwind-memory 2 -F 1999 -o got.folded -- clang -O2 -c one.c 2>said
	cat said
	grep -qE '[0-9]+ MB of unwinding tables were replaced by others' said
	rooted_ok got.folded
	"$SKEP" flame --call-graph eh -F 1999 -o got.folded -- clang -O2 -c one.c 2>said
	run ! grep 'were replaced by others' said
	rooted_ok got.folded
}

# downs FOLDED: frames of down() in its heaviest stack
downs() {
	awk '$NF > most { most = $NF; n = gsub(/;down/, "") } END { print n }' "$1"
}

# bats test_tags=user-space,measuring,slow
@test "--max-stack: stacks deeper than the kernel keeps, in a picture and in a file" {
	"$SKEP" flame --call-graph eh --max-stack 255 -F "$(hz 999)" -o got.folded -- "$WORK/recurse" 200 "$(times 1)"
	SKEP_SAMPLES=200 rooted_ok got.folded
	[ "$(downs got.folded)" = 201 ]
	"$SKEP" flame --call-graph eh --max-stack 255 -F "$(hz 999)" -o got.folded -- "$WORK/recurse" 600 "$(times 1)"
	grep -q 'recurse;\[truncated: --max-stack frames\];down;' got.folded
	[ "$(downs got.folded)" -ge 253 ]
	"$SKEP" record --call-graph eh --max-stack 1023 -F "$(hz 499)" -o a.data -- "$WORK/recurse" 600 "$(times 1)"
	"$SKEP" flame -i a.data -o got.folded
	SKEP_SAMPLES=100 rooted_ok got.folded
	[ "$(downs got.folded)" = 601 ]
	"$SKEP" record --call-graph eh --max-stack 255 -F "$(hz 499)" -o b.data -- "$WORK/recurse" 600 "$(times 1)"
	"$SKEP" flame -i b.data -o got.folded
	grep -q 'recurse;\[truncated: --max-stack frames\];down;' got.folded
	run ! grep -q '127 frames' got.folded
	for o in "126" "1024" "255 --call-graph fp"; do
		# shellcheck disable=SC2086
		run "$SKEP" flame --max-stack $o -o x.folded -- true
		[ "$status" = 2 ]
	done
}

@test "--call-graph: perf's values, and what is refused" {
	run "$SKEP" flame --call-graph lbr -o x.folded -- true
	[ "$status" = 2 ]
	[[ "$output" == *"bad value 'lbr' of '--call-graph': auto, eh, fp or none"*"hint: "* ]]
	for mode in none dwarf,abc dwarf, fp,8192; do
		run "$SKEP" flame --call-graph $mode -o x.folded -- true
		[ "$status" = 2 ]
	done
	"$SKEP" record --call-graph dwarf,8192 -F 999 -o a.data -- "$WORK/stacks_O2" 0.1
	run "$SKEP" sched timehist --call-graph eh -- true
	[ "$status" = 2 ]
	[[ "$output" == *"--call-graph needs -g"* ]]
	run "$SKEP" sched timehist -g --call-graph none -- true
	[ "$status" = 2 ]
	run "$SKEP" probe -g --call-graph none "u:$WORK/shares:main" -- true
	[ "$status" = 2 ]
	for command in "probe u:$WORK/shares:main" "stat -e cpu-clock"; do
		# shellcheck disable=SC2086
		run "$SKEP" $command --call-graph eh -- true
		[ "$status" = 2 ]
		[[ "$output" == *"--call-graph needs -"* ]]
	done
	run "$SKEP" record --unwind-memory 1 -- true
	[ "$status" = 2 ]
	[[ "$output" == *"--unwind-memory is from 2 to 4096 MB"* ]]
	run "$SKEP" flame --unwind-memory 8 --call-graph fp -o x.folded -- true
	[ "$status" = 2 ]
	run "$SKEP" stat --unwind-memory 8 -e cpu-clock -- true
	[ "$status" = 2 ]
	run "$SKEP" flame --call-graph dwarf,8192 -o x.folded -- "$WORK/shares" 0.2
	[ "$status" = 0 ]
}
