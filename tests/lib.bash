# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the bats files share. SKEP and WORK are set by tests/run.sh; by hand they default to build/.
ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
SKEP=${SKEP:-$ROOT/build/skep}
WORK=${WORK:-$ROOT/build/work}

need_root() {
	[ "$(id -u)" = 0 ] || skip "needs root"
}

need() {
	command -v "$1" >/dev/null || skip "no $1 here"
}

# shares_ok TRUTH FOLDED [POINTS]: every "share NAME PCT" line of TRUTH against the samples of FOLDED that hold
# NAME as a frame, both as a part of all named functions. Prints the comparison, fails beyond POINTS (default 2).
shares_ok() {
	awk -v tol="${3:-2}" '
		NR == FNR { if ($1 == "share") { pct = $NF; n = $0; sub(/^share /, "", n); sub(/ [0-9.]+$/, "", n); want[n] = pct } next }
		{
			count = $NF; line = $0; sub(/ [0-9]+$/, "", line)
			k = split(line, f, ";")
			for (i = k; i > 0; i--) if (f[i] in want) { got[f[i]] += count; all += count; break }
		}
		END {
			if (!all) { print "no sample in any named function"; exit 1 }
			if (all < 2000) { print "only " all " samples"; bad = 1 }
			for (n in want) {
				g = 100 * got[n] / all; d = g - want[n]
				printf "%s: truth %.2f skep %.2f of %d samples\n", n, want[n], g, all
				if (d > tol || d < -tol) bad = 1
			}
			exit bad
		}' "$1" "$2"
}

# The children of bats itself keep no fd 3 open.
background() {
	"$@" 3>&- &
	BG=$!
}
