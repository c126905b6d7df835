#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Names of code that a JIT dumps, moves and replaces: live and of recordings, beside what the workload says and what perf inject --jit makes.
# bats file_tags=user-space
load ../lib.bash

setup() {
	need_root
	cd "$BATS_FILE_TMPDIR" || return
}

# samples FILE: "NAME SAMPLES" of the three functions, in folded stacks
samples() {
	sed -nE 's/.*;(first|second|third)(;.*)? ([0-9]+)$/\1 \3/p' "$1" | awk '{ n[$1] += $2 } END { for (k in n) print k, n[k] }' | sort
}

# near FILE TRUTH TOLERANCE: the shares of FILE, as samples has it, are those of seconds in TRUTH, but for so many points
near() {
	awk -v tolerance="$3" 'NR == FNR { want[$1] = $2; all += $2; next } { got[$1] = $2; n += $2 }
		END { if (length(want) != 3 || n < 100) exit 1
		      for (k in want) if ((d = 100 * got[k] / n - 100 * want[k] / all) > tolerance || d < -tolerance) { print k, d; bad = 1 }
		      exit bad }' "$2" "$1"
}

# bats test_tags=measuring
@test "code that was replaced and moved has the name of its time, in all views of a recording" {
	"$SKEP" record -F "$(hz 997)" -o jit.data -- "$WORK/jitswap" 1 10 >truth
	"$SKEP" flame -i jit.data --format folded -o a.folded
	samples a.folded >a
	near a truth 3
	"$SKEP" report -i jit.data --no-children -s sym,dso --stdio >out
	grep -qE '\[\.\] second +jit-[0-9]+\.dump' out
	"$SKEP" script -i jit.data -F ip,sym | grep -cE '^[[:space:]]+[0-9a-f]+ second(\+0x[0-9a-f]+)?$' >frames
	[ "$(cat frames)" = "$(awk '$1 == "second" { print $2 }' a)" ]
	"$SKEP" top -F "$(hz 997)" --json -- "$WORK/jitswap" 6 >top.out # each for two seconds: its sums are right to one
	grep -q '"second"' top.out
	rm -f jit-*.dump
}

# bats test_tags=measuring
@test "a live run has the names of their time, to a tenth of a second" {
	"$SKEP" flame -F "$(hz 997)" --format folded -o live.folded -- "$WORK/jitswap" 1.5 >truth
	samples live.folded >live
	near live truth 12
	rm -f jit-*.dump
}

# bats test_tags=measuring
@test "perf's recordings need its option -k mono, and then say what perf inject --jit makes of them" {
	need perf
	perf record -q -k mono -g -F 997 -o p.data "$WORK/jitswap" 1 10 >truth
	"$SKEP" flame -i p.data --format folded -o p.folded
	samples p.folded >direct
	near direct truth 3
	perf inject --jit -i p.data -o injected.data
	rm -f jit-*.dump
	"$SKEP" flame -i injected.data --format folded -o injected.folded
	samples injected.folded | diff direct -
	perf record -q -g -F 997 -o other.data "$WORK/jitswap" 0.3 >/dev/null
	run "$SKEP" report -i other.data --stdio
	[[ "$output" == *"JIT code was replaced"*"perf record -k mono"* ]]
	rm -f jit-*.dump
}

@test "a dump that is gone, of somebody else, or cut is said, and the rest is shown" {
	"$SKEP" record -F "$(hz 997)" -o jit.data -- "$WORK/jitswap" 0.3 >/dev/null
	f=$(ls jit-*.dump)
	head -c -1 "$f" >cut
	cp "$f" whole
	cp cut "$f"
	run "$SKEP" report -i jit.data --stdio
	[[ "$output" == *"$f' ends in the middle of a record"* && "$output" == *second* ]]
	cp whole "$f"
	chown 12345 "$f"
	run "$SKEP" report -i jit.data --stdio
	[[ "$status" = 0 && "$output" == *"$f' is not read"* && "$output" != *second* ]]
	rm "$f"
	run "$SKEP" report -i jit.data --stdio
	[[ "$status" = 0 && "$output" == *"$f' cannot be read (No such file or directory)"* ]]
	# then a perf map counts, which has the same rule
	map=/tmp/perf-${f//[!0-9]/}.map
	[ ! -e "$map" ]
	echo '1000 ffffffffffff second' >"$map"
	run "$SKEP" report -i jit.data --stdio
	chown 12345 "$map"
	mine=$output
	run "$SKEP" report -i jit.data --stdio
	rm "$map"
	[[ "$mine" == *second* && "$mine" != *"is not read"* ]]
	[[ "$status" = 0 && "$output" == *"'$map' is not read"* && "$output" != *second* ]]
}

@test "a dump of 100,000 methods is read, and no file is left" {
	"$SKEP" record -F "$(hz 997)" -o many.data -- "$WORK/jitswap" 0.3 1 100000 >/dev/null
	ls -A . /tmp ~ >before
	"$SKEP" report -i many.data --stdio >out
	ls -A . /tmp ~ | diff before - | grep -E '^> .*(jit|skep)' && return 1
	grep -q second out
	rm -f jit-*.dump
}

@test "a JIT that names nothing: what to switch on, once; nothing of that where it does" {
	has node || skip "no node here"
	"$SKEP" record -F "$(hz 997)" -g -o node.data -- node "$BATS_TEST_DIRNAME/../work/shares.js" 0.3 >/dev/null
	"$SKEP" report -i node.data --json | jq -r '.notes[]' | tee said
	[ "$(grep -c '^code that was made at run time has no names here; they come with node: --perf-basic-prof$' said)" = 1 ]
	"$SKEP" flame -o node.folded -- node --perf-basic-prof "$BATS_TEST_DIRNAME/../work/shares.js" 0.3 2>said >/dev/null
	run ! grep 'they come with node' said
	grep -q hotJs node.folded
}
