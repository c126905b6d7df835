#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Workloads print what they did; skep must say the same.
load ../lib.bash

shares() { # shares WORKLOAD: run it under skep, compare
	[ -x "$1" ] || command -v "$1" >/dev/null || skip "no $1"
	steadily "$SKEP" flame -F "$(hz 9973)" -o got.folded -- "$@" 1.5
	shares_ok truth got.folded
	named_ok got.folded "$(basename "$1")"
}

# bats test_tags=measuring
@test "shares: C" { shares "$WORK/shares"; }
# bats test_tags=user-space,measuring,slow
@test "shares: PIE" { shares "$WORK/shares_pie"; }
# bats test_tags=user-space,measuring,slow
@test "shares: not PIE" { shares "$WORK/shares_nopie"; }
# bats test_tags=user-space,measuring,slow
@test "shares: static" { shares "$WORK/shares_static"; }
# bats test_tags=user-space,measuring,slow
@test "shares: static PIE" { shares "$WORK/shares_static_pie"; }
# bats test_tags=user-space,measuring,slow
@test "shares: stripped, names from the debug file" { shares "$WORK/shares_stripped"; }
# bats test_tags=user-space,measuring,slow
@test "shares: C++ names" { shares "$WORK/shares_cxx"; }
# bats test_tags=user-space,measuring,slow
@test "shares: Rust names" { shares "$WORK/shares_rust"; }
# bats test_tags=user-space,measuring,slow
@test "shares: Go" { shares "$WORK/shares_go"; }

# node_says OUTPUT SECONDS: the JavaScript workload; its map is in /tmp, where the format wants it
node_says() {
	"$SKEP" flame -F "$(hz 9973)" -o "$1" -- sh -c 'echo $$ >>node.pids; exec "$@"' sh \
		node --perf-basic-prof --no-turbo-inlining "$ROOT/tests/work/shares.js" "$2"
}

cleanup() {
	local pid
	[ ! -e node.pids ] || while read -r pid; do rm -f "/tmp/perf-$pid.map"; done <node.pids
}

# bats test_tags=user-space,measuring
@test "shares: node, names from its perf map" {
	need node
	node_says got.folded 1.5 >truth
	# V8 decorates names: "JS:~hotJs file:1:2" (20) and "LazyCompile:*hotJs file:1" (18) become hotJs
	sed -E 's/(JS|LazyCompile|Function):[~*^]([A-Za-z]+) [^;]*:[0-9]+/\2/g; s/(hotJs|coldJs):[0-9]+/\1/g' got.folded >plain.folded
	shares_ok truth plain.folded
	# Debian's node keeps its own code in a libnode.so without .symtab: only what has symbols can be named
	named_ok got.folded node
}

# bats test_tags=measuring
@test "shares: 8 threads by name" {
	"$SKEP" flame -F "$(hz 4999)" -o got.folded -- "$WORK/threads" 2 >truth
	shares_ok truth got.folded
}

# bats test_tags=user-space
@test "300 children of 5 ms: every one is there, with names, though all have exited" {
	n=$((300 / ${SKEP_SLOW:-1} / ${SKEP_SLOW:-1}))
	"$SKEP" flame -F "$(hz 4999)" --by pid -o got.folded -- "$WORK/children" $n "$(times "$(times "$(times 5)")")" >truth
	[ "$(grep -c child truth)" = $n ]
	for pid in $(awk '{ print $2 }' truth); do
		grep -q "($pid);.*child_burn" got.folded || { echo "child $pid is missing, but for:"; grep "($pid)" got.folded; false; }
	done
}

@test "recursion of 200: cut at 127 frames and marked as cut" {
	"$SKEP" flame -F "$(hz 4999)" -o got.folded -- "$WORK/recurse" 200 1
	heavy=$(sort -t' ' -k2 -n got.folded | awk '{ print $NF, $0 }' | sort -rn | head -1)
	[[ "$heavy" == *"recurse;[truncated: 127 frames];down;down;"* ]]
	[ "$(grep -o 'down' <<<"$heavy" | wc -l)" -ge 126 ]
	"$SKEP" flame -F "$(hz 4999)" -o got.folded -- "$WORK/recurse" 100 1
	grep -qE 'recurse;(_start;__libc_start_main[^;]*;)?__libc_start_call_main;main;down;' got.folded
}

# bats test_tags=user-space,measuring
@test "ledger: a small ring loses samples and says so; seen = kept + lost; --strict fails" {
	busy "$WORK/shares" 60
	"$SKEP" record -F 9999 -m 4 -p $BG -o a.data --strict --duration "$(times 2)" 2>said 3>&- &
	skep=$!
	# It cannot read what it does not get to
	sleep "$(times 0.7)"
	kill -STOP $skep
	sleep "$(times 0.5)"
	kill -CONT $skep
	status=0
	wait $skep || status=$?
	[ "$status" = 1 ]
	output=$(cat said)
	echo "$output"
	[[ "$output" == *" loss"*", and --strict allows none"* ]]
	seen=$(grep -oE '[0-9]+ seen' <<<"$output" | grep -oE '[0-9]+')
	kept=$(grep -oE '[0-9]+ kept' <<<"$output" | grep -oE '[0-9]+')
	lost=$(grep -oE 'lost: [0-9]+' <<<"$output" | grep -oE '[0-9]+')
	[ "$lost" -gt 0 ]
	[ "$seen" = $((kept + lost)) ]
}

# bats test_tags=measuring
@test "ledger: a small stack table spills through the ring and loses nothing" {
	steadily "$SKEP" flame -F "$(hz 9973)" --max-stacks 16 --strict -o got.folded -- "$WORK/shares" 1
	shares_ok truth got.folded
}

@test "events: software events by -e, periods by -c, two at once" {
	"$SKEP" flame -e page-faults -c 1 -o a.json -- sh -c 'ls -R /usr /sys/class >/dev/null'
	grep -q '"event": *"page-faults"' a.json
	"$SKEP" record -e cpu-clock:u,page-faults/period=1/ -F "$(hz 4999)" -o two.data -- "$WORK/shares" 0.3
	"$SKEP" report -i two.data | grep -q "of event 'cpu-clock:u'"
	"$SKEP" report -i two.data --event-index 1 | grep -q "of event 'page-faults"
	[ -z "$("$SKEP" report -i two.data --format csv -s dso | grep kernel)" ]
}
