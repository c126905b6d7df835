#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# One fuzzer for FUZZ_SECONDS (default 15), seeded with real files; the corpus grows under build/.
fuzzer=$1
corpus=build/corpus/$(basename "$fuzzer")
mkdir -p "$corpus"
case $fuzzer in
*elf*) cp -n build/work/shares build/work/shares_stripped /usr/bin/true /usr/lib/*/libz.so.1 "$corpus" 2>/dev/null ;;
*perfmap*) printf '400 10 a\n0x410 0x20 b c\n408 4 d\n' >"$corpus/seed" ;;
*perfdata*) [ "$(id -u)" = 0 ] && build/skep -q record -F 999 -o "$corpus/seed.data" -- true >/dev/null 2>&1 ;;
esac
"$fuzzer" -max_total_time="${FUZZ_SECONDS:-15}" -timeout=20 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 "$corpus" 2>build/test/fuzz.log
status=$?
[ $status = 0 ] || { tail -40 build/test/fuzz.log; exit 1; }
echo "$(sed -n 's/^stat::number_of_executed_units: *//p' build/test/fuzz.log) inputs"
