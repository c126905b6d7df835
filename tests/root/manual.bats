#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The manual says what the program does: the same options as -h, pages without a warning, examples that run.
# bats file_tags=user-space
load ../lib.bash

commands() {
	"$SKEP" --help | awk '/^commands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }'
}

# Commands of two words
subcommands() {
	for c in $(commands); do "$SKEP" "$c" -h | sed -n "s/^       skep \($c [a-z]*\)  .*/\1/p"; done
}

# Options, one a line, from standard input: of -h, and of the heads of the .TP paragraphs under OPTIONS
help_options() {
	grep -E '^ {2,6}-' | sed -E 's/ {2,}([^ -]).*/ \1/' | grep -oE '(^|[ ,])--?[a-zA-Z][a-z-]*' | tr -d ' ,' | LC_ALL=C sort
}

page_options() { # [SECTION [SUBSECTIONS]]: only of those
	awk -v section="${1:-OPTIONS}" -v part="${2:-}" '/^\.SH/ { on = $2 == section } /^\.SS/ && part { on = index(part, $2) } head && on { print } { head = $1 == ".TP" }' |
		sed -E 's/\\f.//g; s/^\.[A-Z]+ //; s/\\-/-/g; s/"//g' | grep -oE '(^|[ ,])--?[a-zA-Z][a-z-]*' | tr -d ' ,' | LC_ALL=C sort
}

# The examples of a page, and of -h without what stands beside them
page_examples() {
	awk '/^\.SH/ { on = $2 == "EXAMPLES" } /^\.nf/ { text = 1; next } /^\.fi/ { text = 0 } on && text' "$1" | sed 's/\\-/-/g'
}

# shellcheck disable=SC2086
help_examples() {
	"$SKEP" $1 -h | sed -n '/^Examples:/,$ { s/^  //; s/   *[^ ].*//; p }' | tail -n +2
}

@test "the options of every page are those of -h" {
	for c in $(commands); do
		# -h itself is in skep(1)
		"$SKEP" "$c" -h | help_options >help
		page_options <"$ROOT/man/skep-$c.1" >page
		diff help page || { echo "skep-$c.1: < only in -h, > only in the page"; false; }
	done
	[ "$("$SKEP" flame -h | help_options | wc -l)" -ge 30 ]
}

@test "the options of a two-word command are in a section of the page, but for the targets" {
	n=0
	while read -r c; do
		page=$ROOT/man/skep-${c% *}.1 section=${c#* }
		# shellcheck disable=SC2086
		"$SKEP" $c -h | help_options >help
		case $c in
		"stat record") page_options <"$page" ;; # those of stat
		"stat report") page_options REPORT <"$page" ;;
		*) page_options "${section^^}" <"$page"; page_options OPTIONS "Who Honesty" <"$page" ;;
		esac | LC_ALL=C sort >page
		diff help page || { echo "$c: < only in -h, > only in the page"; false; }
		grep -qF ".B skep $c" "$page"
		n=$((n + 1))
	done < <(subcommands)
	[ $n -ge 2 ]
}

@test "skep(1) lists every command with its summary" {
	for c in $(commands); do
		summary=$("$SKEP" --help | sed -n "s/^  $c  *//p")
		[ -n "$summary" ]
		grep -A1 -xF ".BR skep\\-$c (1)" "$ROOT/man/skep.1" | grep -xF "$summary"
	done
}

@test "the pages have no warning" {
	need mandoc
	mandoc -T lint -W warning "$ROOT"/man/*.1
}

# example_lacks LINE: what it probes cannot be probed here; in ./lacks, without names of features for -F and -V, which only read
example_lacks() {
	local f
	: >lacks
	case $1 in
	"skep probe -F "* | "skep probe -V "*) return 1 ;;
	*[\ \']t:*) [ -r /sys/kernel/tracing/events/sched ] || [ -r /sys/kernel/debug/tracing/events/sched ] || echo "tracefs is not mounted" >lacks ;;
	*[\ \']u:* | *[\ \']ur:* | "skep probe -x "*) f=uprobe ;;
	"skep probe "* | *" -e k:"*) f=kprobe ;;
	esac
	[ -z "${f:-}" ] || skep doctor --json | jq -r --arg f "$f" '.features[] | select(.name == $f and (.has | not)) | "\(.name): \(.why)"' >lacks
	[ -s lacks ]
}

# bounded LINE: an example of skep probe or top that only Ctrl-C would end, for a second
bounded() {
	case $1 in
	"skep probe -F "* | "skep probe -V "* | "skep probe "*" -D "* | *" -- "* | *--duration* | *" -n "*) echo "$1" ;;
	"skep top --store"*) echo "$1 -n 1" ;;
	"skep probe "* | "skep top"*) echo "$1 --duration 1" ;;
	"skep agent") echo "$1 --store here --duration 1" ;;
	"skep agent"*) echo "$1 --duration 1" ;;
	*) echo "$1" ;;
	esac
}

# bats test_tags=slow
@test "every example of the pages and of -h runs" {
	need jq
	[ "${SKEP_SLOW:-1}" = 1 ] || skip "the same words as on a real CPU, and a minute of them"
	# Their programs, short: skep is the one that was built, make burns some CPU, sleep 10 is one second, curl needs no server
	mkdir bin
	ln -s "$SKEP" bin/skep
	printf '#!/bin/sh\nexec %s 0.3\n' "$WORK/shares" >bin/make
	printf '#!/bin/sh\nexec %s 1\n' "$(command -v sleep)" >bin/sleep
	printf '#!/bin/bash\n: >/dev/udp/127.0.0.1/9\n' >bin/curl # no server: it makes a socket
	chmod +x bin/make bin/sleep bin/curl
	export PATH=$PWD/bin:$PATH
	background "$WORK/shares" 600 500 # on the CPU and off it for longer than all examples take on the slowest machine; ended with the test
	skep -q record -- make
	for f in old new old1 old2 new1 new2; do cp perf.data $f.data; done
	for f in old1 old2 old3 new1 new2 new3; do skep stat --json -- true 2>$f.json; done
	cp perf.data perf.data.old
	n=0
	while read -r line; do
		[ -n "$line" ] || continue
		line=$(bounded "$line" | sed -E "s/1234/$BG/; s/--duration [0-9]+/--duration 1/")
		if example_lacks "$line"; then
			echo "# not run: $line: $(cat lacks)"
			continue
		fi
		status=0
		bash -c "set -e -o pipefail; $line" >out 2>err 3>&- </dev/null || status=$?
		# A function, or a system call, that nobody calls in that second is no fault of the example, nor is what time it is
		[[ "$line" != *--store* ]] || ! grep -qE "nothing of that time|cannot open the store|clickhouse://db.*Could" err || status=0
		[ "$status" = 0 ] || { [ "$status" = 1 ] && [[ "$line" =~ ^skep\ (probe|trace)\  ]] && grep -qE '^skep (probe|trace): no (hits|calls) in ' err; } || { echo "$line"; cat err; false; }
		n=$((n + 1))
	done < <(for c in $(commands); do page_examples "$ROOT/man/skep-$c.1"; help_examples "$c"; done; subcommands | while read -r c; do help_examples "$c"; done)
	[ "$n" -ge 15 ]
}
