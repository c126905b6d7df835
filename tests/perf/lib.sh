# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the benchmarks share: paired runs A B A B ..., medians, a ratio. Machines are noisy: no figure passes or fails,
# but a run that failed does, and says so instead of giving a figure.
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
SKEP=$PWD/build/skep
WORK=$PWD/build/work
RUNS=${RUNS:-7}
TMP=$(mktemp -d) || exit 1
at_end() { :; } # a benchmark's own: what it undoes, when its programs have ended
trap 'kill $(jobs -p) 2>/dev/null; wait; at_end; rm -rf "$TMP"' EXIT

fail() { # fail WHAT...: ends the benchmark
	echo "  failed: $*"
	exit 1
}

[ "$(id -u)" = 0 ] || fail "needs root"
[ -x "$SKEP" ] || fail "no build/skep: make all work"
command -v perf >/dev/null || fail "no perf to compare with"

# must COMMAND...: it succeeds, or the benchmark ends with what it said
must() {
	"$@" >"$TMP/said" 2>&1 || { tail -5 "$TMP/said"; fail "$*"; }
}

# cgroups: where control groups of version 2 are mounted, or nothing
cgroups() { findmnt -nro TARGET -t cgroup2 | head -n 1; }

# make_end: $TMP/end, a program that does nothing but end, without a library
make_end() {
	cat >"$TMP/end.c" <<'END'
void _start(void) { for (;;) __asm__ volatile("syscall" : : "a"(231), "D"(0)); }
END
	must cc -O1 -nostdlib -static -o "$TMP/end" "$TMP/end.c"
}

# median FILE [COLUMN]; of nothing it is a failure
median() {
	[ -s "$1" ] || fail "no figures in $(basename "$1")" >&2
	awk -v c="${2:-1}" '{ print $c }' "$1" | sort -n |
		awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

# timed FILE COMMAND...: adds "wall user+sys" in seconds to FILE. A shell of its own: `time` counts every child that
# its shell reaps, and that must not be a load that ends meanwhile.
timed() (
	local file=$1 TIMEFORMAT='%R %U %S'
	shift
	{ time must "$@" >&3; } 3>&1 2>"$TMP/time" || exit 1
	awk '{ print $1, $2 + $3 }' "$TMP/time" >>"$file"
)

# peak FILE COMMAND...: adds the peak resident memory of COMMAND in KiB to FILE, read while it runs
peak() {
	local file=$1 pid kib now
	shift
	"$@" >"$TMP/said" 2>&1 &
	pid=$!
	while now=$(awk '/^VmHWM:/ { print $2 }' /proc/$pid/status 2>/dev/null) && [ -n "$now" ]; do
		kib=$now
		sleep 0.02
	done
	wait $pid || { tail -5 "$TMP/said"; fail "$*"; }
	[ -n "$kib" ] || fail "no memory figure of $*"
	echo "$kib" >>"$file"
}

# ratio A B: of costs, nothing and less is what the machine's noise has hidden
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { if (a > 0 && b > 0) printf a / b < 0.01 ? "%.4f" : "%.2f", a / b; else printf "noise" }'; }

# compare WHAT UNIT NAME_A A NAME_B B: one line with the ratio A/B
compare() {
	[ -n "$4" ] && [ -n "$6" ] || fail "$1: $3 '$4', $5 '$6'"
	awk -v w="$1" -v u="$2" -v an="$3" -v a="$4" -v bn="$5" -v b="$6" -v r="$(ratio "$4" "$6")" 'BEGIN {
		f = u == "s" ? "%10.3f" : "%10d"
		printf "  %-14s %-26s " f " %-3s  %-26s " f " %-3s  ratio %s\n", w, an, a, u, bn, b, u, r }'
}

# Lines of README's table: what a user of the defaults gets. tools/figures.sh puts them there.
ROWS=build/perf/rows/$(basename "$0" .sh)
mkdir -p build/perf/rows
rm -f "$ROWS"
git describe --always --dirty --abbrev=10 >build/perf/rows/commit 2>/dev/null || echo "no commit" >build/perf/rows/commit
words() { # words WHAT SKEP PEER [RATIO]
	echo "| $1 | $2 | $3 | ${4:-} |" >>"$ROWS"
}
shown() { # shown NUMBER UNIT: as README has it; of a cost, nothing and less is what the machine's noise has hidden
	awk -v n="$1" -v u="$2" 'BEGIN {
		if (u == "ns" && n <= 0) { printf "less than the noise"; exit }
		if (u == "s") { n *= 1000; u = "ms" }
		if (u == "KiB") { n *= 1024; u = "B" }
		if (u == "ms") { if (n >= 1000) printf "%.2f s", n / 1000; else printf "%.0f ms", n }
		else if (u == "B") { if (n >= 1e6) printf "%.1f MB", n / 1e6; else printf "%.0f KB", n / 1e3 }
		else printf "%.0f %s", n, u }'
}
row() { # row WHAT UNIT SKEP_AS A PEER_AS B: not of a peer that is not here
	[ -n "$6" ] || return 0
	words "$1" "${3:+$3 }$(shown "$4" "$2")" "$5 $(shown "$6" "$2")" "$(ratio "$4" "$6")"
}

# added NAME: ns of $TMP/rate.NAME over rate.bare, the median of what each turn says, for the machine's speed changes between turns;
# of a round of two switches half NAME is one's. Empty: it is not here
added() {
	[ -s "$TMP/rate.$1" ] || return 0
	paste -d ' ' "$TMP/rate.bare" "$TMP/rate.$1" | awk 'NF == 2 { printf "%.0f\n", $2 - $1 }' >"$TMP/added"
	median "$TMP/added"
}

# rate NAME COMMAND...: adds the ns that the workload tells of itself
rate() {
	local name=$1
	shift
	"$@" 2>/dev/null | awk '$1 == "ns" { print $2; ok = 1 } END { exit !ok }' >>"$TMP/rate.$name" || fail "$name: no rate"
}

# tell NAME...: ns of each that is here, and what it adds; FLOOR=NAME: times what that adds; SWITCHES=2: a round has so many
tell() {
	local name
	for name; do
		[ -s "$TMP/rate.$name" ] || continue
		awk -v n="$name" -v t="$(median "$TMP/rate.$name")" -v a="$(added "$name")" -v f="${FLOOR:+$(added "$FLOOR")}" -v s="${SWITCHES:-0}" 'BEGIN {
			printf "  %-22s %8.0f ns, adds %7.0f ns", n, t, a
			if (f > 0) printf ", %.2f times the floor", a / f
			if (s) printf ": %.0f a switch and its wake-up", a / s
			print "" }'
	done
}
half() { [ ! -s "$TMP/rate.$1" ] || awk -v t="$(added "$1")" 'BEGIN { printf "%.0f", t / 2 }'; }

# load: compilers on all CPUs, with many processes and symbols, until the file `busy` is gone; idle: ends them
load() {
	: >"$TMP/busy"
	for ((i = 0; i < $(nproc); i++)); do
		while [ -e "$TMP/busy" ]; do gcc -O2 -c tests/work/shares.c -Itests/work -o /dev/null; done &
	done
}

idle() {
	rm -f "$TMP/busy"
	wait
}

CHURN=450
churn() { exec build/perf/rate $CHURN $((CHURN * $1)) /bin/true; } # churn SECONDS &: so many short processes a second

# pair NAME_A NAME_B A... ::: B...: runs in turn, prints medians of wall and CPU time and the ratios A/B; has them in $TMP/a and $TMP/b
pair() {
	local a=$1 b=$2 i A=() B=()
	shift 2
	while [ "$1" != ::: ]; do A+=("$1"); shift; done
	shift
	B=("$@")
	rm -f "$TMP/a" "$TMP/b"
	for ((i = 0; i < RUNS; i++)); do
		timed "$TMP/a" "${A[@]}" || exit 1
		timed "$TMP/b" "${B[@]}" || exit 1
	done
	compare wall s "$a" "$(median "$TMP/a")" "$b" "$(median "$TMP/b")"
	compare CPU s "$a" "$(median "$TMP/a" 2)" "$b" "$(median "$TMP/b" 2)"
}
