#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Claim: memory stays flat beside 100,000 processes that begin, call exec and end. In MB, after each fifth of them.
. "$(dirname "$0")/lib.sh"
EXECS=${CHURN_EXECS:-100000}
PARTS=5

[ "$(uname -m)" = x86_64 ] || fail "only on x86-64"
make_end

rss() { awk '/^VmRSS:/ { printf "%8.1f", $2 / 1024 }' "/proc/$1/status"; }

# beside WHAT COMMAND...: its memory at the start and after each part
beside() {
	local what=$1 pid i
	shift
	"$@" >"$TMP/out" 2>"$TMP/said" &
	pid=$!
	sleep 2
	printf '  %-22s' "$what"
	rss $pid || fail "$what: $(tail -1 "$TMP/said")"
	for ((i = 0; i < PARTS; i++)); do
		must build/perf/rate 0 $((EXECS / PARTS)) "$TMP/end"
		rss $pid || fail "$what: $(tail -1 "$TMP/said")"
	done
	echo
	kill -INT $pid
	wait $pid || fail "$what: $(tail -1 "$TMP/said")"
}

echo "churn: resident memory in MB at the start, and after each of $PARTS times $((EXECS / PARTS)) processes"
beside "record -a" "$SKEP" record -a -o "$TMP/a.data"
beside "net -a" "$SKEP" net -a
beside "sched -a -I 1000" "$SKEP" sched -a -I 1000 -o "$TMP/sched"
beside "stat --by pid -I 1000" "$SKEP" stat -a --by pid -e 'syscalls:*' -I 1000 -o "$TMP/stat"
