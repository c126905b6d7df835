#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Claim: sampling the whole machine at 999 Hz with every CPU busy costs at most half of perf record -a -g -F 999:
# the tool's own CPU (user + system), and the work that the busy programs lose to the sampling interrupt.
. "$(dirname "$0")/lib.sh"
RUNS=${SAMPLING_RUNS:-5}
SECONDS_EACH=4
cat >"$TMP/spin.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
/* Loops done in a second of wall time: what is left of the CPU. Stacks are 20 deep, as programs' are. */
static volatile unsigned long n;
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }
__attribute__((noinline)) static void spin(int d, double end)
{
	if (d) { spin(d - 1, end); __asm__ volatile(""); return; }
	while (now() < end) for (int i = 0; i < 2000; i++) n++;
}
int main(int c, char **v) { spin(20, now() + atof(v[c - 1])); printf("%lu\n", n); return 0; }
C
must gcc -O2 -fno-omit-frame-pointer -fno-optimize-sibling-calls "$TMP/spin.c" -o "$TMP/spin"
cpus=$(nproc)
# run NAME COMMAND...: the tool beside one spinner a CPU; adds "loops cpu" to NAME.out
run() {
	local name=$1 spinners
	shift
	rm -f "$TMP/cpu"
	(for ((i = 0; i < cpus; i++)); do taskset -c $i "$TMP/spin" $SECONDS_EACH & done; wait) >"$TMP/loops" &
	spinners=$!
	timed "$TMP/cpu" "$@" || exit 1
	wait $spinners
	[ "$(wc -l <"$TMP/loops")" = "$cpus" ] || fail "a spinner beside $name"
	echo "$(awk '{ n += $1 } END { print n }' "$TMP/loops") $(cut -d' ' -f2 "$TMP/cpu")" >>"$TMP/$name.out"
}

for ((r = 0; r < RUNS; r++)); do
	run none sleep $SECONDS_EACH
	run record "$SKEP" -q record -a -F 999 -o "$TMP/s.data" -- sleep $SECONDS_EACH
	run perf perf record -q -a -g -F 999 -e cpu-clock -B -o "$TMP/p.data" -- sleep $SECONDS_EACH
	run flame "$SKEP" -q flame -a -F 999 -o "$TMP/s.html" -- sleep $SECONDS_EACH
done
echo "sampling at 999 Hz, $cpus busy CPUs, $SECONDS_EACH s"
base=$(median "$TMP/none.out") || exit 1
lost() { awk -v b="$base" -v l="$(median "$TMP/$1.out")" 'BEGIN { printf "%.2f %%", 100 * (b - l) / b }'; }
for t in flame record; do
	compare "tool CPU" s "skep $t" "$(median "$TMP/$t.out" 2)" "perf record -g" "$(median "$TMP/perf.out" 2)"
	row "the tool's own CPU time, $SECONDS_EACH s of $cpus busy CPUs at 999 Hz" s "\`$t -a\`" "$(median "$TMP/$t.out" 2)" '`perf record -a -g`' \
		"$(median "$TMP/perf.out" 2)"
done
# No ratio: both are near the noise of the machine, and may be below nothing.
echo "  work lost by the programs: skep flame $(lost flame), skep record $(lost record), perf record -g $(lost perf)"
words "work that the busy programs lose during that" "\`flame\` $(lost flame)" "$(lost perf)"

# Beside processes that come and go, at the rate of a profiler that is always on.
# beside NAME COMMAND...: as run, beside short processes
beside() {
	local name=$1 rate
	shift
	churn $((SECONDS_EACH + 1)) &
	rate=$!
	sleep 0.5
	timed "$TMP/churn.$name" "$@" || exit 1
	wait $rate || fail "processes beside $name"
}

for ((r = 0; r < RUNS; r++)); do
	beside flame "$SKEP" -q flame -a -F 99 -o "$TMP/s.html" -- sleep $SECONDS_EACH
	beside perf perf record -q -a -g -F 99 -e cpu-clock -B -o "$TMP/p.data" -- sleep $SECONDS_EACH
done
echo "sampling at 99 Hz, $CHURN short processes a second, $SECONDS_EACH s"
compare "tool CPU" s "skep flame" "$(median "$TMP/churn.flame" 2)" "perf record -g" "$(median "$TMP/churn.perf" 2)"
row "the same at 99 Hz beside $CHURN short processes a second" s '`flame -a`' "$(median "$TMP/churn.flame" 2)" '`perf record -a -g`' "$(median "$TMP/churn.perf" 2)"
