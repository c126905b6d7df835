#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Claim: one binary of at most 10 MB; peak memory of a profile of the whole machine.
. "$(dirname "$0")/lib.sh"
cp "$SKEP" "$TMP/skep" && strip "$TMP/skep"
echo "weight: binary $(stat -c %s "$SKEP") bytes, stripped $(stat -c %s "$TMP/skep")"
"$SKEP" flame -a --duration 2 --receipt -o "$TMP/a.html" 2>&1 | grep '^cost:' | sed 's/^/  flame -a, 2 s: /'
