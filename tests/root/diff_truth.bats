#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# skep diff of a workload whose change is known: how large it is, that it is found, and how often chance is taken for a change.
# bats file_tags=user-space
load ../lib.bash

# run_of FILE SECONDS FACTOR
run_of() {
	"$SKEP" -q record -F 9999 -o "$1" -- "$WORK/slower" "$2" "$3"
}

# rows FILE... -- FILE...: of the workload's functions
rows() {
	"$SKEP" -q diff -s sym --dsos slower --json "$@"
}

# measuring: what else runs on the machine disturbs the shares
# bats test_tags=measuring
@test "one function 20 % slower: five runs find it, and say how much; 5 %: twelve runs do" {
	for i in $(seq 10 21); do
		run_of a$i.data 1.2 1
		run_of b$i.data 1.2 1.05
	done >shares
	for i in 10 11 12 13 14; do run_of c$i.data 1.2 1.2; done >>shares
	rows a1[0-4].data -- c1[0-4].data >found
	cat found
	# a third, and 1.2 of 3.2
	jq -se 'map(select(.sym == "second"))[0] | .significant and .delta_points > 2.5 and .delta_points < 6 and .ratio > 1.07 and .ratio < 1.18' found
	jq -se 'map(select(.sym == "second" or .sym == "first" or .sym == "third")) | max_by(.delta_points) | .sym == "second"' found
	rows a??.data -- b??.data >found
	cat found
	jq -se 'map(select(.sym == "second"))[0] | .significant and .delta_points > 0.4 and .delta_points < 2' found
}

# measuring: what else runs on the machine is no chance
# bats test_tags=measuring
@test "30 pairs of runs of the same program: few of them differ; six groups of five: one at most" {
	for i in $(seq 10 69); do run_of $i.data 0.1 1; done >shares
	false=0 false_groups=0
	for i in $(seq 10 2 68); do
		rows $i.data $((i + 1)).data >pair
		jq -se 'any(.significant == true)' pair >/dev/null && false=$((false + 1)) && cat pair
	done
	echo "$false of 30 pairs have a row that is said to have changed"
	[ $false -le 4 ] # 1.5 are expected; five or more come in one of 50 such tests
	for i in 10 20 30 40 50 60; do
		rows $i.data $((i + 1)).data $((i + 2)).data $((i + 3)).data $((i + 4)).data -- $((i + 5)).data $((i + 6)).data $((i + 7)).data $((i + 8)).data $((i + 9)).data >group
		jq -se 'any(.significant == true) | not' group >/dev/null || { cat group; false_groups=$((false_groups + 1)); }
	done
	[ $false_groups -le 1 ] # 5 in 100 of such groups may
}
