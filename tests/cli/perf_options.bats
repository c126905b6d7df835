#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What skep does with every option of perf: see perf_options.txt.
load ../lib.bash

TABLE=$BATS_TEST_DIRNAME/perf_options.txt

@test "perf's options: taken, taken without effect, or refused with a reason and what to type instead" {
	n=0
	while IFS=$'\t' read -r command option verdict; do
		[[ "$command" != "#"* ]] || continue
		# no file of that name: what is taken fails by that; what records does nothing
		read -ra words <<<"${option//FILE/nosuch.data}"
		if [ "$command" = record ]; then
			words+=(--dry-run -- true nosuch.data)
		elif [[ "$option" != *FILE* ]]; then
			words+=(-i nosuch.data)
		fi
		output=$("$SKEP" -v "$command" "${words[@]}" 2>&1) && status=0 || status=$?
		at="$command $option: exit $status: $output"
		[ "$command" != record ] || [ "$status" != 0 ] || { status=1 output+=" nosuch.data"; }
		[[ "$output" != *"unknown option"* ]] || { echo "$at"; false; }
		case $verdict in
		same) [ "$status" = 1 ] && [[ "$output" != *"has no effect"* ]] && [[ "$output" == *nosuch.data* ]] ;;
		"no effect") [ "$status" = 1 ] && [[ "$output" == *" has no effect: "* ]] && [[ "$output" == *nosuch.data* ]] ;;
		refused) [ "$status" = 2 ] && [ -n "$output" ] && [[ "$output" != *nosuch.data* ]] ;;
		*) false ;;
		esac || { echo "$at"; false; }
		n=$((n + 1))
	done <"$TABLE"
	[ "$n" -ge 150 ]
}

@test "perf's options: the table has all that this perf knows" {
	need perf
	for command in $(cut -f1 "$TABLE" | grep -v '^#' | sort -u); do
		perf "$command" -h 2>&1 | grep -oE '^ +(-[a-zA-Z], )?--[a-z-]+' | grep -oE -- '--?[a-zA-Z][a-z-]*' | sort -u >theirs
		cut -f1,2 "$TABLE" | sed -n "s/^$command	//p" | grep -oE -- '^--?[a-zA-Z][a-z-]*' | sort -u >ours
		output=$(comm -23 theirs ours)
		[ -z "$output" ] || { echo "perf $command: not in the table: $output"; false; }
	done
}
