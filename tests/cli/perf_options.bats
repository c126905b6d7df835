#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What skep does with every option of perf: see perf_options.txt.
load ../lib.bash

TABLE=$BATS_TEST_DIRNAME/perf_options.txt

# placeholder COMMAND: what follows its options, so that those that are taken fail by a file that is not there
placeholder() {
	case $1 in
	report | script | "stat report") printf "%s\n" -i nosuch.data ;;
	record) printf "%s\n" --dry-run -- true ;;
	stat | top) printf "%s\n" -e nosuch.data -- true ;;
	list) echo u:nosuch.data:x ;;
	probe) echo u:./nosuch.data:f ;;
	sched*) printf "%s\n" -o nosuch.data/x -- true ;;
	esac
}

@test "perf's options: taken, taken without effect, or refused with a reason and what to type instead" {
	n=0
	while IFS=$'\t' read -r command option verdict; do
		[[ "$command" != "#"* ]] || continue
		read -ra words <<<"$command ${option//FILE/nosuch.data}"
		# shellcheck disable=SC2207
		[[ "$option" == *FILE* ]] || words+=($(placeholder "$command"))
		output=$("$SKEP" -v "${words[@]}" 2>&1) && status=0 || status=$?
		[[ "$output" != *"no cgroup v2"* ]] || continue # none is mounted
		at="$command $option: exit $status: $output"
		[ "$command" != record ] || [ "$status" != 0 ] || { status=1 output+=" nosuch.data"; } # --dry-run
		[[ "$output" != *"unknown option"* ]] || { echo "$at"; false; }
		case $verdict in
		same | differs) [[ "$status" = [12] ]] && [[ "$output" != *"has no effect"* ]] && [[ "$output" == *nosuch.data* ]] ;;
		"no effect") [[ "$status" = [12] ]] && [[ "$output" == *" has no effect: "* ]] && [[ "$output" == *nosuch.data* ]] ;;
		refused) [ "$status" = 2 ] && [ -n "$output" ] && [[ "$output" != *nosuch.data* ]] ;;
		*) false ;;
		esac || { echo "$at"; false; }
		n=$((n + 1))
	done <"$TABLE"
	[ "$n" -ge 480 ]
}

@test "perf's options: the opposite of each, --no-NAME or --NAME, is known" {
	n=0
	while IFS=$'\t' read -r command option _; do
		[[ "$command" != "#"* && "$option" == --* ]] || continue
		name=${option%%[= ]*}
		[[ "$name" == --no-* ]] && name=--${name#--no-} || name=--no-${name#--}
		read -ra words <<<"$command"
		output=$("$SKEP" "${words[@]}" "$name" -h 2>&1) || true
		[[ "$output" != *"unknown option"* ]] || { echo "$command $name: $output"; false; }
		n=$((n + 1))
	done <"$TABLE"
	[ "$n" -ge 300 ]
	run -2 "$SKEP" record --no-cgroup -- true
	[ "$output" = $'skep record: \'--no-cgroup\' cannot undo \'--cgroup\'\nhint: leave both out' ]
}

@test "perf's options: a refusal of stat, top, list, probe and sched has a hint" {
	while IFS=$'\t' read -r command option verdict; do
		[[ "$command" =~ ^(stat|top|list|probe|sched) ]] && [ "$verdict" = refused ] || continue
		read -ra words <<<"$command $option"
		output=$("$SKEP" "${words[@]}" 2>&1) || true
		[[ "$output" == *$'\n'"hint: "* ]] || { echo "$command $option: $output"; false; }
	done <"$TABLE"
}

@test "perf's options: the table has all that this perf knows" {
	need perf
	while read -r command; do
		# shellcheck disable=SC2086
		perf $command -h 2>&1 | grep -oE '^ +(-[a-zA-Z], )?--[a-z-]+' | grep -oE -- '--?[a-zA-Z][a-z-]*' | sort -u >theirs
		cut -f1,2 "$TABLE" | sed -n "s/^$command	//p" | grep -oE -- '^--?[a-zA-Z][a-z-]*' | sort -u >ours
		output=$(comm -23 theirs ours)
		[ -z "$output" ] || { echo "perf $command: not in the table: $output"; false; }
	done < <(cut -f1 "$TABLE" | grep -v '^#' | sort -u)
}
