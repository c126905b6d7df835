#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Claim: addresses are named at millions per second, in the largest objects too. No peer: the figure is the claim.
. "$(dirname "$0")/lib.sh"
[ -x build/perf/symbols ] || fail "no build/perf/symbols: make bench"
echo "symbols: random addresses of an object, demangling included the first time"
for f in /usr/lib/*/libLLVM-14.so.1 "$(command -v node)" /usr/lib/*/libc.so.6; do
	[ ! -e "$f" ] || build/perf/symbols "$(readlink -f "$f")" || fail "$f"
done
