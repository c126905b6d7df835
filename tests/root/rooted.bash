# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Checks of stacks: nearly all reach a root, with the frames that the workload prints.

# rooted_ok FOLDED [PERMILLE [LATE]]: of all samples at least 990 in a thousand reach a root; prints why the others do not. Samples from before the
# kernel had the program's table do not count as long as they are at most LATE in a thousand (default: they do).
rooted_ok() {
	awk -v want="${2:-990}" -v spare="${3:-0}" -v enough="${SKEP_SAMPLES:-1000}" '
		{ n = $NF; all += n }
		/;\[truncated: / { cut += n; why = $0; sub(/.*;\[truncated: /, "", why); sub(/\].*/, "", why); reason[why] += n
			if (n > most[why]) { most[why] = n; line[why] = $0 } }
		END {
			printf "%.0f of %.0f samples rooted\n", all - cut, all
			for (r in reason) printf "  %s: %.0f, most of it: %s\n", r, reason[r], substr(line[r], 1, 300)
			late = reason["unwinding table late"]
			if (late * 1000 <= spare * all) { all -= late; cut -= late }
			exit !(all >= enough && (all - cut) * 1000 >= want * all)
		}' "$1"
}

HZ=$(hz 2499)

# lasting N: seconds so long that samples from before the kernel had tables are few; longer where all is emulated
lasting() {
	echo $(($1 * (${SKEP_SLOW:-1} > 1 ? 4 : 1)))
}

# ways_ok TRUTH FOLDED: each way of TRUTH was sampled, with all frames between its own and burn(), and main() or the start of a thread
# below: in 99 of 100 samples
ways_ok() {
	awk '
		NR == FNR { if ($1 == "way") frames[$2] = $3; next }
		{
			n = $NF; line = $0; sub(/ [0-9]+$/, "", line); k = split(line, f, ";"); at = 0; burn = 0
			for (i = 2; i <= k; i++) { if (f[i] in frames && !at) at = i; if (f[i] == "burn" && !burn) burn = i }
			if (!at || !burn) next
			all[f[at]] += n
			below = f[at - 1]
			if (below == "main" || below == "thread" || below == "start_thread" || below == "start" || below == "main@plt") good[f[at]] += n * (burn - at - 1 >= frames[f[at]])
			else other[f[at]] = line
		}
		END {
			for (w in frames) {
				printf "%s: %d of %d samples whole\n", w, good[w], all[w]
				if (!all[w] || good[w] * 100 < all[w] * 99) { bad = 1; print "  " substr(other[w], 1, 300) }
			}
			exit bad
		}' "$1" "$2"
}
