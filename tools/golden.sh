#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Rewrites tests/golden/flame.* from flame.in with the renderers as they are now. Review with git diff.
# golden.sh [TEST]: TEST is the built test_render (default: make it).
cd "$(dirname "$0")/.." || exit 1
test=${1:-build/unit/test_render}
[ -n "$1" ] || make -s "$test" || exit 1
GOLDEN_UPDATE=1 "$test" >/dev/null || exit 1
"$test" >/dev/null && git --no-pager diff --stat -- tests/golden
