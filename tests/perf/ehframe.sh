#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Claim: tables for unwinding are made at about ten million rows per second, and are small. No peer: the figure is the claim.
. "$(dirname "$0")/lib.sh"
[ -x build/perf/ehframe ] || fail "no build/perf/ehframe: make bench"
echo "ehframe: unwinding tables out of .eh_frame, files in the page cache"
files=()
for f in /usr/lib/*/libc.so.6 /usr/bin/python3 "$(command -v node)" /usr/lib/*/libcrypto.so.3 /usr/lib/*/libLLVM-14.so.1; do
	[ ! -e "$f" ] || files+=("$(readlink -f "$f")")
done
for _ in 1 2; do must build/perf/ehframe "${files[@]}"; done
cat "$TMP/said"
find /usr/bin /usr/lib/*-linux-gnu -maxdepth 2 -type f \( -perm -100 -o -name '*.so*' \) -size +4k >"$TMP/list"
for _ in 1 2; do must xargs -a "$TMP/list" -n 100000 build/perf/ehframe -s; done
sed 's,^,  /usr/bin and /usr/lib:,' "$TMP/said"
