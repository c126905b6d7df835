#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Rewrites the files of tests/golden as they are rendered now. Review with git diff.
# golden.sh [DIR]: DIR has the built tests (default: make them in build/unit).
cd "$(dirname "$0")/.." || exit 1
for name in test_annotate test_render test_schedlog test_viewers test_views; do
	test=${1:-build/unit}/$name
	[ -n "$1" ] || make -s "$test" || exit 1
	GOLDEN_UPDATE=1 "$test" >/dev/null || exit 1
	"$test" >/dev/null || exit 1
done
git --no-pager diff --stat -- tests/golden
