#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The HTML and SVG flame graphs in a real Chromium. Needs chromium, chromedriver, node >= 18 and a C
# compiler; exit 77 when one is missing. SKEP_SHOTS=DIR also leaves pictures there.
cd "$(dirname "$0")/../.." || exit 1
for tool in chromium chromedriver node; do
	command -v $tool >/dev/null || { echo "1..0 # skip: no $tool"; exit 77; }
done
[ "$(node -p 'process.versions.node.split(".")[0]')" -ge 18 ] || { echo "1..0 # skip: node is older than 18"; exit 77; }

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
tools/page.sh >"$dir/flame.html" || exit 1
${CC:-gcc} -DFLAME_HTML="\"$dir/flame.html\"" -D_GNU_SOURCE -Iuser -I. -std=gnu11 -g -O2 -Wall -Wextra tests/browser/gen.c user/model/tree.c user/model/slices.c user/profile.c \
	user/render/ledger.c user/render/tree/html.c user/render/tree/svg.c user/render/xml.c user/render/tree/json.c user/util/json.c user/util/text.c user/util/vec.c \
	user/util/strpool.c user/util/map.c -lm -o "$dir/gen" || exit 1
for page in small.html small.svg views.html hostile.html big.html huge.html real.html real.svg; do
	"$dir/gen" "${page%.*}" "${page#*.}" >"$dir/$page" 2>/dev/null || { echo "not ok - gen $page"; exit 1; }
done
echo "# html without data $(wc -c <"$dir/flame.html") bytes, big.html $(wc -c <"$dir/big.html") bytes"
node tests/browser/drive.js "$dir"
ret=$?
[ -n "$SKEP_SHOTS" ] && node tests/browser/shots.js "$dir" "$SKEP_SHOTS"
exit $ret
