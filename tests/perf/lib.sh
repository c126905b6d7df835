# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the benchmarks share: paired runs A B A B ..., medians, a ratio. Never pass or fail: machines are noisy.
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
SKEP=$PWD/build/skep
WORK=$PWD/build/work
RUNS=${RUNS:-7}
TMP=$(mktemp -d)
trap 'rm -rf "$TMP"' EXIT
[ "$(id -u)" = 0 ] || { echo "$0: needs root" >&2; exit 0; }

median() { sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

# timed COMMAND...: "wall user+sys" in seconds on standard output; the command's own output is dropped
timed() {
	local TIMEFORMAT='%R %U %S'
	{ time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ print $1, $2 + $3 }'
}

# pair NAME_A NAME_B A... ::: B...: runs in turn, prints medians of wall and CPU and the ratios A/B
pair() {
	local a=$1 b=$2 i
	shift 2
	local A=() B=()
	while [ "$1" != ::: ]; do A+=("$1"); shift; done
	shift
	B=("$@")
	: >"$TMP/a"; : >"$TMP/b"
	for ((i = 0; i < RUNS; i++)); do
		timed "${A[@]}" >>"$TMP/a"
		timed "${B[@]}" >>"$TMP/b"
	done
	for col in 1 2; do
		local ma mb
		ma=$(cut -d' ' -f$col "$TMP/a" | median)
		mb=$(cut -d' ' -f$col "$TMP/b" | median)
		printf '  %-5s %-34s %8.3f s   %-34s %8.3f s   ratio %.3f\n' "$([ $col = 1 ] && echo wall || echo CPU)" \
			"$a" "$ma" "$b" "$mb" "$(awk -v a="$ma" -v b="$mb" 'BEGIN { print b ? a / b : 0 }')"
	done
}
