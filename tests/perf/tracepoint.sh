#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Claim: a tracepoint's hit is recorded with its fields and a whole stack for what perf takes for a chain of frame pointers.
. "$(dirname "$0")/lib.sh"
N=${TRACEPOINT_HITS:-300000}
EVENT=raw_syscalls:sys_enter

[ -r /sys/kernel/tracing/events/raw_syscalls ] || fail "no tracefs at /sys/kernel/tracing"
# rate NAME COMMAND...: adds ns of a call, as the load says
rate() {
	local name=$1
	shift
	must "$@" "$WORK/callrate" "$N"
	awk '/^ns / { print $2 }' "$TMP/said" >>"$TMP/rate.$name"
}

for ((i = 0; i < RUNS; i++)); do
	rate bare env
	rate skep "$SKEP" -q record -e $EVENT -c 1 -o "$TMP/s.data"
	rate perf perf record -q -g -e $EVENT -c 1 -o "$TMP/p.data"
	rate skep_bare "$SKEP" -q record --call-graph none -e $EVENT -c 1 -o "$TMP/s.data"
	rate perf_bare perf record -q -e $EVENT -c 1 -o "$TMP/p.data"
done
compare "a hit" ns "skep record" "$(added skep)" "perf record -g" "$(added perf)"
compare "a hit" ns "skep record, no stack" "$(added skep_bare)" "perf record" "$(added perf_bare)"
row "a tracepoint's hit recorded with its fields and stacks" ns '`record -c 1`' "$(added skep)" '`perf record -g -c 1`' "$(added perf)"
row "the same without stacks" ns '`record --call-graph none`' "$(added skep_bare)" '`perf record -c 1`' "$(added perf_bare)"
