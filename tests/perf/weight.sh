#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Claim: one binary of at most 10 MB; fewer bytes and less memory than perf record for the same load.
. "$(dirname "$0")/lib.sh"
RUNS=${WEIGHT_RUNS:-3}
T=2

must cp "$SKEP" "$TMP/skep"
must strip "$TMP/skep"
cp "$(readlink -f "$(command -v perf)")" "$TMP/perf" && strip "$TMP/perf" 2>/dev/null
echo "weight: $T s of the whole machine at 999 Hz, every CPU busy"
# perf may be a script that picks one by kernel: then its size says nothing
if [ "$(head -c 4 "$TMP/perf" | tail -c 3)" = ELF ]; then
	compare binary B "skep, stripped" "$(stat -c %s "$TMP/skep")" "perf, stripped" "$(stat -c %s "$TMP/perf")"
	row "binary, stripped" B "" "$(stat -c %s "$TMP/skep")" perf "$(stat -c %s "$TMP/perf")"
else
	echo "  binary         skep, stripped: $(stat -c %s "$TMP/skep") B"
fi
for ((i = 0; i < $(nproc); i++)); do
	"$WORK/shares" $((RUNS * 3 * (T + 4))) >/dev/null &
done
for ((r = 0; r < RUNS; r++)); do
	peak "$TMP/record" "$SKEP" -q record -a -F 999 -o "$TMP/s.data" --duration $T
	peak "$TMP/perfmem" perf record -q -a -g -F 999 -e cpu-clock -o "$TMP/p.data" -- sleep $T
	peak "$TMP/flame" "$SKEP" -q flame -a -F 999 -o "$TMP/s.html" --duration $T
	stat -c %s "$TMP/s.data" >>"$TMP/sbytes"
	stat -c %s "$TMP/p.data" >>"$TMP/pbytes"
	stat -c %s "$TMP/s.html" >>"$TMP/hbytes"
done
compare "bytes written" B "skep record" "$(median "$TMP/sbytes")" "perf record -g" "$(median "$TMP/pbytes")"
compare "bytes written" B "skep flame, html" "$(median "$TMP/hbytes")" "perf record -g" "$(median "$TMP/pbytes")"
compare "peak memory" KiB "skep record" "$(median "$TMP/record")" "perf record -g" "$(median "$TMP/perfmem")"
compare "peak memory" KiB "skep flame" "$(median "$TMP/flame")" "perf record -g" "$(median "$TMP/perfmem")"
row "bytes written, $T s of the machine" B '`record -a`' "$(median "$TMP/sbytes")" '`perf record -a -g`' "$(median "$TMP/pbytes")"
row "the same as a picture" B '`flame -a`' "$(median "$TMP/hbytes")" '`perf record -a -g`' "$(median "$TMP/pbytes")"
row "peak memory, without the kernel's maps" KiB '`flame -a`' "$(median "$TMP/flame")" '`perf record -a -g`' "$(median "$TMP/perfmem")"
maps=$("$SKEP" flame -a -F 999 --receipt -o "$TMP/s.html" --duration $T 2>&1 | sed -n 's/^cost: BPF .* \([0-9.]* MB\) of kernel maps$/\1/p')
[ -n "$maps" ] || fail "no figure of kernel maps"
echo "  kernel maps    skep flame: $maps"
words "kernel memory of maps; the ring of samples, 8 MB of it, is in the row above, too" "\`flame -a\` $maps" ""
