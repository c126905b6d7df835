#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Claim: a large recording with whole stacks as a table costs a fifth of perf report's CPU time and less, with callers a twentieth.
. "$(dirname "$0")/lib.sh"
RUNS=${REPORT_RUNS:-3}
T=${REPORT_SECONDS:-18}

load # hardly a stack of it is there twice
must "$SKEP" -q record -a -F 20000 -o "$TMP/r.data" -- sleep "$T"
idle
n=$("$SKEP" -q report -i "$TMP/r.data" --json | jq -es 'last.kept') || fail "skep report"
echo "a recording of $n samples, $(($(stat -c %s "$TMP/r.data") / 1000000)) MB, read"

# beside WHAT SKEP_AS PERF_AS SKEP... ::: PERF...: CPU time of both, and a line of README
beside() {
	local what=$1 a=$2 b=$3
	shift 3
	pair "skep $a" "perf $b" "$@"
	row "$what" s "\`$a\`" "$(median "$TMP/a" 2)" "\`perf $b\`" "$(median "$TMP/b" 2)"
}

# peaks: the same of peak memory
peaks() {
	local what=$1 a=$2 b=$3 A=()
	shift 3
	while [ "$1" != ::: ]; do A+=("$1"); shift; done
	rm -f "$TMP/peak.a" "$TMP/peak.b"
	peak "$TMP/peak.a" "${A[@]}"
	peak "$TMP/peak.b" "${@:2}"
	compare "peak memory" KiB "skep $a" "$(median "$TMP/peak.a")" "perf $b" "$(median "$TMP/peak.b")"
	row "$what" KiB "\`$a\`" "$(median "$TMP/peak.a")" "\`perf $b\`" "$(median "$TMP/peak.b")"
}

[ "$(build/perf/reader "$TMP/r.data")" = "$n" ] || fail "build/perf/reader"
pair "skep report" "an empty reader" "$SKEP" -q report --no-children -i "$TMP/r.data" ::: build/perf/reader "$TMP/r.data"
floor=$(median "$TMP/b" 2)
beside "CPU time to read $n samples as a table (a program that reads and counts them: $(shown "$floor" s))" "report --no-children" "report --no-children -g none" \
	"$SKEP" -q report --no-children -i "$TMP/r.data" ::: perf report --stdio --no-children -g none -i "$TMP/r.data"
RUNS=1 # perf takes most of a minute
beside "the same with the time in callees" "report" "report" "$SKEP" -q report -i "$TMP/r.data" ::: perf report --stdio -i "$TMP/r.data"
RUNS=${REPORT_RUNS:-3}
RUNS=1
peaks "peak memory of that" "report" "report" "$SKEP" -q report -i "$TMP/r.data" ::: perf report --stdio -i "$TMP/r.data"
RUNS=${REPORT_RUNS:-3}
beside "the same as text, sample by sample" "script" "script" "$SKEP" -q script -i "$TMP/r.data" ::: perf script -i "$TMP/r.data"
peaks "peak memory of that" "script" "script" "$SKEP" -q script -i "$TMP/r.data" ::: perf script -i "$TMP/r.data"
FOLD=/usr/lib/perf-core/scripts/python/stackcollapse.py
[ -e $FOLD ] || fail "no $FOLD"
beside "the same as a picture; as folded stacks" "flame -i" "script -s stackcollapse.py" \
	"$SKEP" -q flame -i "$TMP/r.data" -o "$TMP/r.html" ::: perf script -i "$TMP/r.data" -s $FOLD
RUNS=1
beside "the same as a profile for pprof; as folded stacks" "flame -i -o X.pb.gz" "script -s stackcollapse.py" \
	"$SKEP" -q flame -i "$TMP/r.data" -o "$TMP/r.pb.gz" ::: perf script -i "$TMP/r.data" -s $FOLD
RUNS=${REPORT_RUNS:-3}

load
must "$SKEP" -q record -a -F 20000 -o "$TMP/d.data" -- sleep $((T / 2))
idle
beside "the same with a second recording of half as many, and what has changed" "diff" "diff" "$SKEP" -q diff --stdio "$TMP/r.data" "$TMP/d.data" ::: \
	perf diff "$TMP/r.data" "$TMP/d.data"

# Two events of a program of templates, all of them inlined
must g++ -O2 -g -fno-omit-frame-pointer -o "$TMP/inlines" tests/perf/inlines.cc
perf record -q -e cpu-clock,task-clock -F 20000 -g -o "$TMP/i.data" "$TMP/inlines" $((T * 3 / 2)) >/dev/null 2>&1 || fail "perf record of inlines"
n=$(build/perf/reader "$TMP/i.data") || fail "build/perf/reader"
beside "CPU time to read $n samples of two events, functions inlined, as a table" "report --no-children" "report --no-children -g none" \
	"$SKEP" -q report --no-children -i "$TMP/i.data" ::: perf report --stdio --no-children -g none -i "$TMP/i.data"
RUNS=1
beside "the same with the time in callees" "report" "report" "$SKEP" -q report -i "$TMP/i.data" ::: perf report --stdio -i "$TMP/i.data"
RUNS=${REPORT_RUNS:-3}
beside "the same as text" "script" "script" "$SKEP" -q script -i "$TMP/i.data" ::: perf script -i "$TMP/i.data"
beside "the same as annotated code" "annotate" "annotate main" "$SKEP" -q annotate -i "$TMP/i.data" main ::: perf annotate --stdio -i "$TMP/i.data" main

# Stacks as copies: perf unwinds them when it reads the file, and so does skep
load
perf record -q -a -F 499 --call-graph dwarf -o "$TMP/d.data" -- sleep 6 >/dev/null 2>&1 || fail "perf record --call-graph dwarf"
idle
n=$("$SKEP" -q script -G -i "$TMP/d.data" | wc -l)
beside "CPU time to unwind the stack copies of $n samples, as a table" "report" "report --no-inline" \
	"$SKEP" -q report -g -i "$TMP/d.data" ::: perf report --stdio --no-inline -i "$TMP/d.data"
peaks "peak memory of that" "report" "report --no-inline" "$SKEP" -q report -g -i "$TMP/d.data" ::: perf report --stdio --no-inline -i "$TMP/d.data"
beside "the same as text" "script" "script --no-inline" "$SKEP" -q script -i "$TMP/d.data" ::: perf script --no-inline -i "$TMP/d.data"
