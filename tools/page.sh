#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# usage: tools/page.sh >FILE
# The page of the HTML flame graph from its parts: style and program take the place of their lines in page.html.
cd "$(dirname "$0")/../user/render/tree/page" || exit 1
scripts="words frames trees state picture colours table strip actions input head"
for part in *.js; do
	case " $scripts " in
	*" ${part%.js} "*) ;;
	*) echo "page.sh: $part is not in the list of parts" >&2; exit 1 ;;
	esac
done
awk -v scripts="$scripts" '
	function put(file) { while ((got = (getline line < file)) > 0) print line; if (got < 0) exit 1; close(file) }
	/^@@SKEP_STYLE@@$/ { put("style.css"); next }
	/^@@SKEP_SCRIPT@@$/ { n = split(scripts, part, " "); for (i = 1; i <= n; i++) put(part[i] ".js"); next }
	{ print }' page.html
