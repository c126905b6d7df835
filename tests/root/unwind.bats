#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Stacks without frame pointers: every walk ends where its thread began, whatever the compiler made of the code on its way.
load ../lib.bash
load probe_rows.bash # need_feature

# rooted_ok FOLDED [PERMILLE]: of all samples at least 990 in a thousand reach a root; prints why the others do not
rooted_ok() {
	awk -v want="${2:-990}" -v enough="${SKEP_SAMPLES:-1000}" '
		{ n = $NF; all += n }
		/;\[truncated: / { cut += n; why = $0; sub(/.*;\[truncated: /, "", why); sub(/\].*/, "", why); reason[why] += n
			if (n > most[why]) { most[why] = n; line[why] = $0 } }
		END {
			printf "%d of %d samples rooted\n", all - cut, all
			for (r in reason) printf "  %s: %d, most of it: %s\n", r, reason[r], substr(line[r], 1, 300)
			exit !(all >= enough && (all - cut) * 1000 >= want * all)
		}' "$1"
}

# An emulated CPU needs its time for what compiles the tables, too.
HZ=$((${SKEP_SLOW:-1} > 1 ? 499 : 4999))

# ways_ok TRUTH FOLDED: each way of TRUTH was sampled, has its frames between its own and burn(), and main() or the begin of a thread
# below: in 99 of 100 samples
ways_ok() {
	awk '
		NR == FNR { if ($1 == "way") frames[$2] = $3; next }
		{
			n = $NF; line = $0; sub(/ [0-9]+$/, "", line); k = split(line, f, ";"); at = 0; burn = 0
			for (i = 2; i <= k; i++) { if (f[i] in frames && !at) at = i; if (f[i] == "burn" && !burn) burn = i }
			if (!at || !burn) next
			all[f[at]] += n
			below = f[at - 1]
			if (below == "main" || below == "thread" || below == "start_thread" || below == "main@plt") good[f[at]] += n * (burn - at - 1 >= frames[f[at]])
			else other[f[at]] = line
		}
		END {
			for (w in frames) {
				printf "%s: %d of %d samples whole\n", w, good[w], all[w]
				if (!all[w] || good[w] * 100 < all[w] * 99) { bad = 1; print "  " substr(other[w], 1, 300) }
			}
			exit bad
		}' "$1" "$2"
}

stacks() { # stacks KIND [LIBRARY]
	"$SKEP" flame --call-graph eh -F $HZ -o got.folded -- "$WORK/stacks_$1" "$(times 2)" ${2+"$2"} >truth
	rooted_ok got.folded
	ways_ok truth got.folded
}

@test "walks by tables: -O2 without frame pointers, and a library that is loaded later" { stacks O2 "$WORK/stacks_library.so"; }
# bats test_tags=user-space
@test "walks by tables: -O0" { stacks O0; }
# bats test_tags=user-space
@test "walks by tables: -O3" { stacks O3; }
# bats test_tags=user-space
@test "walks by tables: -O2 with frame pointers" { stacks O2_fp; }
# bats test_tags=user-space
@test "walks by tables: static" { stacks static; }
# bats test_tags=user-space
@test "walks by tables: PIE" { stacks pie; }

# bats test_tags=user-space
@test "walks by tables: stripped, all samples rooted" {
	"$SKEP" flame --call-graph eh -F $HZ -o got.folded -- "$WORK/stacks_stripped" "$(times 2)" >truth
	rooted_ok got.folded
}

# bats test_tags=user-space
@test "shares of a program without frame pointers are those that it prints" {
	steadily "$SKEP" flame --call-graph eh -F 9973 -o got.folded -- "$WORK/shares_static_pie" 1.5
	shares_ok truth got.folded
}

# bats test_tags=user-space
@test "Rust and Go, by their tables and by their frame pointers" {
	for kind in rust go; do
		[ -x "$WORK/shares_$kind" ] || continue
		"$SKEP" flame --call-graph eh -F $HZ -o got.folded -- "$WORK/shares_$kind" 1.5 >truth
		rooted_ok got.folded
		shares_ok truth got.folded
	done
}

# bats test_tags=user-space
@test "short processes: the first sample of each is whole" {
	"$SKEP" flame --call-graph eh -F $HZ --by pid -o got.folded -- "$WORK/children" 100 5 >truth
	rooted_ok got.folded
	for pid in $(awk '{ print $2 }' truth); do
		grep -q "($pid);.*main;.*child_burn" got.folded || { echo "child $pid is missing"; false; }
	done
}

# bats test_tags=user-space
@test "record writes whole call chains, and no stack dumps; perf reads them" {
	"$SKEP" record --call-graph eh -F 1999 -o a.data -- "$WORK/stacks_O2" "$(times 1)" >truth
	"$SKEP" flame -i a.data -o got.folded
	ways_ok truth got.folded
	need perf
	perf script -i a.data -F ip,sym 2>/dev/null >script
	grep -q 'way_deep' script
}

# hits EVENT NAME: each way of stacks_O2, seen by hits of an event, with NAME as their innermost frame of the program; burn() is entered 50
# times in a run of any length, and asks the kernel for the time thousands of times
hits() {
	"$SKEP" flame -e "$1" --no-kernel -o got.folded -- "$WORK/stacks_O2" "$(times 1)" "$WORK/stacks_library.so" >truth
	SKEP_SAMPLES=45 rooted_ok got.folded
	ways_ok truth got.folded
	grep -qE ";$2 [0-9]+\$" got.folded
}

@test "walks by tables: hits of a tracepoint" {
	hits syscalls:sys_enter_clock_gettime '[^;]*clock_gettime[^;]*'
	"$SKEP" stat --stack -j -o a.json -e sched:sched_process_fork -- "$WORK/children" 20 0.1
	[ "$(jq '[.rows[] | select([.callers[].sym] | index("main") and index("_start")) | .samples] | add' a.json)" -ge 19 ]
}

# bats test_tags=user-space
@test "walks by tables: hits of probes of a program, at its functions' begins and returns" {
	need_feature uprobe
	hits "u:$WORK/stacks_O2:burn" burn
	"$SKEP" record -e "u:$WORK/stacks_O2:burn" -o a.data -- "$WORK/stacks_O2" "$(times 1)" >truth
	"$SKEP" flame -i a.data -o got.folded
	ways_ok truth got.folded
	"$SKEP" probe -g --format folded -o got.folded "u:$WORK/stacks_O2:burn" -- "$WORK/stacks_O2" "$(times 1)" >truth
	ways_ok truth got.folded
	"$SKEP" probe -g --call-graph fp --format folded -o fp.folded "u:$WORK/stacks_O2:burn" -- "$WORK/stacks_O2" "$(times 1)" >truth
	run ! ways_ok truth fp.folded
	"$SKEP" flame -e "ur:$WORK/stacks_O2:burn" -o got.folded -- "$WORK/stacks_O2" "$(times 1)" >truth
	SKEP_SAMPLES=45 rooted_ok got.folded
	grep -qE 'main;way_deep(;down){100} ' got.folded
	grep -qE 'main;way_alloca;room ' got.folded
}

# bats test_tags=user-space
@test "walks by tables: calls whose return is probed, too, have their caller" {
	need_feature uprobe
	# Not of the first way: what is walked by skep, before the kernel has tables, ends there
	"$SKEP" probe --count "ur:$WORK/stacks_O2:way_[!d]*" "ur:$WORK/stacks_O2:room" -- \
		"$SKEP" flame --call-graph eh -F $HZ -o got.folded -- "$WORK/stacks_O2" "$(times 2)" >truth
	grep -q "[1-9] *ur:$WORK/stacks_O2:way_alloca" truth
	rooted_ok got.folded
	ways_ok truth got.folded
}

@test "--call-graph: words of perf, and what is refused" {
	run "$SKEP" flame --call-graph lbr -o x.folded -- true
	[ "$status" = 2 ]
	[[ "$output" == *"bad value 'lbr' of '--call-graph': auto, eh, fp or none"*"hint: "* ]]
	run "$SKEP" flame --call-graph none -o x.folded -- true
	[ "$status" = 2 ]
	run "$SKEP" probe -g --call-graph none "u:$WORK/shares:main" -- true
	[ "$status" = 2 ]
	for command in "probe u:$WORK/shares:main" "stat -e cpu-clock"; do
		# shellcheck disable=SC2086
		run "$SKEP" $command --call-graph eh -- true
		[ "$status" = 2 ]
		[[ "$output" == *"--call-graph says how stacks are walked: it needs -"* ]]
	done
	run "$SKEP" flame --call-graph dwarf,8192 -o x.folded -- "$WORK/shares" 0.2
	[ "$status" = 0 ]
}
