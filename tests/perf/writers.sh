#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Claim: a million samples are a file for any viewer in less time than perf script takes to print them, in memory that does not grow with them.
. "$(dirname "$0")/lib.sh"
SAMPLES=${WRITERS_SAMPLES:-1000000}
RUNS=${WRITERS_RUNS:-1}
FREQ=20000

load
must "$SKEP" -q record -a -F $FREQ -o "$TMP/r.data" -- sleep "$(awk -v n="$SAMPLES" -v f=$FREQ -v c="$(nproc)" 'BEGIN { printf "%.2f", n / f / c }')"
idle
n=$("$SKEP" -q report -i "$TMP/r.data" --json | jq -es 'last.kept') || fail "skep report"
echo "a recording of $n samples, $(($(stat -c %s "$TMP/r.data") / 1000000)) MB"

# What stackcollapse-perf.pl does, without its options: stacks of perf script, each a line, and how often it is there
cat >"$TMP/collapse.awk" <<'END'
/^$/ { if (comm != "") n[comm stack]++; comm = stack = ""; next }
comm == "" { sub(/^ +/, ""); comm = $1; next }
{ name = $2; sub(/\+0x[0-9a-f]+$/, "", name); stack = ";" name stack }
END { if (comm != "") n[comm stack]++; for (s in n) print s, n[s] }
END
collapse() { perf script -i "$TMP/r.data" 2>/dev/null | awk -f "$TMP/collapse.awk" >"$TMP/perf.folded" && [ -s "$TMP/perf.folded" ]; }
gecko() { perf script report gecko -i "$TMP/r.data" --save-only "$TMP/gecko.json" >/dev/null 2>&1; }

# against WHAT PEER COMMAND: sets what the following formats are beside
against() {
	PEER=$1
	rm -f "$TMP/b" "$TMP/peak.b"
	timed "$TMP/b" "$2" || exit 1
}

# format NAME ENDING: time and memory of skep's file, and its size
format() {
	local out=$TMP/out$2 i
	rm -f "$TMP/a" "$TMP/peak.a"
	for ((i = 0; i < RUNS; i++)); do timed "$TMP/a" "$SKEP" -q flame -i "$TMP/r.data" -o "$out" || exit 1; done
	peak "$TMP/peak.a" "$SKEP" -q flame -i "$TMP/r.data" -o "$out"
	compare CPU s "$1" "$(median "$TMP/a" 2)" "$PEER" "$(median "$TMP/b" 2)"
	echo "  $1: $(shown "$(median "$TMP/peak.a")" KiB) of memory, a file of $(($(stat -c %s "$out") / 1000000)) MB"
	row "CPU time to write $n samples in $1 (in $(shown "$(median "$TMP/peak.a")" KiB))" s "\`flame -i -o X$2\`" "$(median "$TMP/a" 2)" "$PEER" "$(median "$TMP/b" 2)"
	rm -f "$out"*
}

against "\`perf script\` and awk to sum its stacks" collapse
format "folded stacks" .folded
format "pprof's format" .pb.gz
format "speedscope's format" .speedscope.json
format "Chrome's format" .trace.json
format "Perfetto's format" .pftrace
if [ -e /usr/lib/perf-core/scripts/python/gecko.py ]; then against "\`perf script report gecko\`" gecko; fi
format "the Firefox Profiler's format" .firefox.json
format "the same, packed" .firefox.json.gz
