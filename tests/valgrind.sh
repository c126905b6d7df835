#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A record, a report and a flame under valgrind: no error, no definite leak. Exit 77 without root or valgrind.
command -v valgrind >/dev/null || { echo "no valgrind"; exit 77; }
[ "$(id -u)" = 0 ] || { echo "needs root"; exit 77; }
cd "$(dirname "$0")/.." || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
vg() {
	valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite --child-silent-after-fork=yes \
		--trace-children=no --suppressions=tests/valgrind.supp "$@"
}
set -e
vg build/skep -q record -F 999 -o "$dir/a.data" -- build/work/shares 1 >/dev/null
vg build/skep -q report -i "$dir/a.data" -g >/dev/null
vg build/skep -q flame -i "$dir/a.data" --inline -o "$dir/a.html"
vg build/skep -q flame -F 999 -o "$dir/b.folded" -- build/work/shares 0.5 >/dev/null
echo "record, report and flame are clean"
