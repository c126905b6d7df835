# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What the bats files share: a directory of their own, background processes that end with the test, and the truth.
ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
SKEP=$ROOT/build/skep
WORK=$ROOT/build/work
bats_require_minimum_version 1.5.0 # run !: a bare ! that is not a test's last command cannot fail

setup() {
	BACKGROUND=()
	cd "$BATS_TEST_TMPDIR" || return
	[ "$(basename "$BATS_TEST_DIRNAME")" != root ] || need_root
}

# Ends only processes that the test started, by their pids.
teardown() {
	stop "${BACKGROUND[@]}"
	if declare -F cleanup >/dev/null; then cleanup; fi
}

# stop PID...: ended and waited for; one that SIGSTOP stopped goes on to its end
stop() {
	local pid
	for pid; do
		kill "$pid" 2>/dev/null && kill -CONT "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
}

# background COMMAND...: its pid in BG. File descriptor 3 is bats's own: a child that keeps it open keeps bats waiting. A shell's background
# commands ignore SIGINT, this one does not.
background() {
	local exec=exec
	[ "$(type -t "$1")" != function ] || exec=
	(trap - INT; $exec "$@") 3>&- &
	BG=$!
	BACKGROUND+=("$BG")
}

# has COMMAND: is it installed?
has() {
	command -v "$1" >/dev/null
}

# interrupt PID: Ctrl-C, as soon as skep has signals in hand; waits for its end. Returns its status.
interrupt() {
	eventually grep -q '^SigBlk:.*[2367abef]$' "/proc/$1/status"
	kill -INT "$1"
	wait "$1"
}

# busy COMMAND...: in the background with the lowest priority, so that a load does not slow skep
busy() {
	background nice -n 19 "$@"
}

# eventually COMMAND...: until it succeeds, within 20 s
eventually() {
	local i
	for ((i = 0; i < 400; i++)); do
		if "$@"; then return 0; fi
		sleep 0.05
	done
	echo "waited in vain for: $*"
	return 1
}

# times N: N, or more of it where all is emulated (SKEP_SLOW, a whole number)
times() {
	awk -v n="$1" -v slow="${SKEP_SLOW:-1}" 'BEGIN { print n * slow }'
}

# hz N: samples per second, or fewer where all is emulated: there a sample costs as much as the work between two of them
hz() {
	echo $(($1 / (${SKEP_SLOW:-1} > 1 ? 5 : 1)))
}

need_root() {
	[ "$(id -u)" = 0 ] || skip "needs root"
}

# need PROGRAM...: or the test is skipped
need() {
	local program
	for program; do
		command -v "$program" >/dev/null || skip "no $program here"
	done
}

# stolen: ns so far in which the hypervisor ran other machines, on all CPUs, in ticks; to the kernel that is neither run nor wait of a task
stolen() {
	awk '/^cpu / { printf "%.0f\n", $9 * 1e7 }' /proc/stat
}

# steadily COMMAND...: its output in ./truth; run up to three times, while a line "disturbed" there says that the machine stood still
steadily() {
	local i
	for ((i = 0; i < (${SKEP_SLOW:-1} > 1 ? 1 : 3); i++)); do
		"$@" >truth || return
		grep '^disturbed' truth || return 0
	done
}

# shares_ok TRUTH FOLDED [POINTS]: every "share NAME PCT" line of TRUTH against the samples of FOLDED that hold
# NAME as a frame, both as a part of all named functions. Prints the comparison, fails beyond POINTS (default 2, or
# SKEP_POINTS: an emulated CPU that waits for a real one gets no samples, but its clock goes on; and what TRUTH calls disturbed, 8 at most,
# is as uncertain) and below 2,000 samples (SKEP_SAMPLES).
shares_ok() {
	awk -v tol="${3:-${SKEP_POINTS:-2}}" -v enough="${SKEP_SAMPLES:-2000}" '
		NR == FNR { if ($1 == "share") { pct = $NF; n = $0; sub(/^share /, "", n); sub(/ [0-9.]+$/, "", n); want[n] = pct }
			if ($1 == "disturbed") tol += $2 < 8 ? $2 : 8
			next
		}
		{
			count = $NF; line = $0; sub(/ [0-9]+$/, "", line)
			k = split(line, f, ";")
			for (i = k; i > 0; i--) if (f[i] in want) { got[f[i]] += count; all += count; break }
		}
		END {
			if (!all) { print "no sample in any named function"; exit 1 }
			if (all < enough) { print "only " all " samples"; bad = 1 }
			for (n in want) {
				g = 100 * got[n] / all; d = g - want[n]
				printf "%s: truth %.2f skep %.2f of %d samples\n", n, want[n], g, all
				if (d > tol || d < -tol) bad = 1
			}
			exit bad
		}' "$1" "$2"
}

# named_ok FOLDED OBJECT: of all frames 99 in a hundred have a name; those of other objects, which may have no symbols
# (the stripped loader of the C library), do not count, nor do stacks that are marked as broken, which may be one in ten.
named_ok() {
	awk -v obj="[$2]" -v enough="${SKEP_SAMPLES:-2000}" '
		{
			count = $NF; all += count; line = $0; sub(/ [0-9]+$/, "", line)
			if (line ~ /;\[truncated: /) { broken += count; next }
			n = split(line, f, ";")
			bad = 0
			for (i = 2; i <= n; i++) { frames += count; bad += f[i] == obj || f[i] == "[unknown]" }
			unnamed += bad * count
			if (bad && count > worst) { worst = count; heavy = $0 }
		}
		END {
			printf "%d of %d frames without a name, %d of %d stacks broken\n", unnamed, frames, broken, all
			if (unnamed * 100 >= frames) print "the most of it: " heavy
			exit !(all >= enough && frames >= all && unnamed * 100 < frames && broken * 10 < all)
		}' "$1"
}

# skipped: hits, calls or switches that the kernel skipped while it handled another one, as the run's notes in ./said report them
skipped() {
	grep -oE 'the kernel skipped [0-9]+|[0-9]+  hits that the kernel skipped' said | awk '{ n += $1 + $4 } END { print n + 0 }'
}

# counted WANT GOT: as many as the truth; fewer only by what the kernel skipped
counted() {
	local missing=$(($1 - $2))
	echo "truth $1, skep $2, skipped $(skipped)"
	[ $missing -ge 0 ] && [ $missing -le "$(skipped)" ]
}

# comms FOLDED: the threads that were sampled
comms() {
	cut -d';' -f1 "$1" | sed 's/ [0-9]*$//' | sort -u
}

# ends FILE: the last of its JSON lines is the ledger, the only one; it goes to FILE.end, the rows stay.
ends() {
	tail -1 "$1" | jq -ec 'select(has("end")) | .end | select(.losses and .receipt and .notes)' >"$1.end" && [ "$(wc -l <"$1.end")" = 1 ] &&
		[ "$(grep -c '^{"end":' "$1")" = 1 ] && sed -i '$d' "$1"
}

# two_cgroups: ./cg has cgroups $a and $b; cleanup() is to call remove_cgroups
two_cgroups() {
	mkdir cg
	mount -t cgroup2 none cg || skip "no cgroup v2"
	a=skep-test-a-$$ b=skep-test-b-$$
	mkdir "cg/$a" "cg/$b"
	echo 0 >"cg/$a/cgroup.procs" || skip "no process can be moved"
	echo 0 >cg/cgroup.procs
}

remove_cgroups() {
	local d
	for d in cg/skep-test-*; do [ ! -d "$d" ] || rmdir "$d" || true; done
	! mountpoint -q cg || umount cg
}
