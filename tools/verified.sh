#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What a kernel's verifier said, against the committed baseline tools/verified.txt ("KERNEL OBJECT PROGRAM INSTRUCTIONS").
# usage: tools/verified.sh KERNEL <LINES_OF_VERIFY      one "ok" or "not ok" line a program; exit 1 with any "not ok"
#        tools/verified.sh -w KERNEL <LINES_OF_VERIFY   writes them down as the baseline of that kernel
# A program that the baseline does not have must load. One that it has may be refused only where it says "-", and may not
# cost a tenth and a hundred instructions more.
set -u
base=$(dirname "$0")/verified.txt
if [ "${1:-}" = -w ]; then
	new=$(awk -v k="$2" '$1 == "verify" { print k, $2, $3, $4 }')
	{ grep -vE "^${2//./\\.} " "$base"; echo "$new"; } | LC_ALL=C sort -V >"$base.new" && mv "$base.new" "$base"
	exit
fi
awk -v kernel="$1" '
	FILENAME != "-" { if ($1 == kernel) want[$2 "/" $3] = $4; next }
	$1 != "verify" { next }
	{
		name = $2 "/" $3; n++; seen[name] = 1
		if ($4 == "-") {
			why = $5; for (i = 6; i <= NF; i++) why = why " " $i
			if (want[name] == "-") print "ok " name ": refused, as expected: " why
			else { print "not ok " name ": refused: " why; bad = 1 }
		} else if (name in want && want[name] != "-" && $4 > want[name] * 1.1 && $4 > want[name] + 100) {
			print "not ok " name ": " $4 " verified instructions, " want[name] " in the baseline"; bad = 1
		} else print "ok " name ": " $4 " verified instructions"
	}
	END {
		for (name in want) if (!(name in seen)) { print "not ok " name ": in the baseline, but not verified"; bad = 1 }
		if (!n) { print "not ok nothing was verified"; bad = 1 }
		exit bad
	}' "$base" -
