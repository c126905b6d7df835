#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Lists of flags and constants out of user/calls/names.txt. usage: tools/names.sh lists|words NAMES
# lists: a line NAMES(list) each. words: their C, in which a name that the headers do not have is left out, unless it has its value.
case $1 in
lists) awk '/^[a-z]/ { print "NAMES(" $1 ")" }' "$2" ;;
words)
	awk '
	function end() { if (list) printf "};\nconst struct names names_%s = { \"%s\", all_%s, sizeof(all_%s) / sizeof(*all_%s) };\n", list, unknown, list, list, list }
	/^#include/ { print; next }
	/^#/ || /^$/ { next }
	/^[a-z]/ { end(); list = $1; unknown = $2; if (unknown == "-") unknown = ""; gsub(/\?/, "\\?", unknown); printf "static const struct name all_%s[] = {\n", list; next }
	{
		for (i = 1; i <= NF; i++) {
			n = split($i, part, "=")
			if (n == 2 && part[2] == "") printf "\t{ (uint32_t)%s, \"%s\" },\n", part[1], part[1] # of an enum
			else if (n == 2) { gsub(/~/, " ", part[1]); printf "\t{ %s, \"%s\" },\n", part[2], part[1] }
			else printf "#ifdef %s\n\t{ (uint32_t)%s, \"%s\" },\n#endif\n", $i, $i, $i
		}
	}
	END { end() }' "$2" ;;
esac
