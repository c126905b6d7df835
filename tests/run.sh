#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# All tests, a line for each file as it ends, with the minutes and seconds so far, then what passed only at another try and what failed, once
# more, then "N passed, N failed, N skipped". Exit 1 on a failure; a kind, or a file, that runs no test has failed.
# usage: tests/run.sh [--quick] [unit|san|cli|cores|alone|root|probe|browser|valgrind|fuzz|strace|vm ...]
# (default: all; FUZZ_SECONDS for each fuzzer, KERNELS for vm). --quick: the kinds of QUICK, without long tests (tag slow), and one virtual
# machine; the unit tests with sanitizers only.
set -u
cd "$(dirname "$0")/.." || exit 1
OUT=build/test
ALL="unit san cli cores alone root probe browser valgrind fuzz strace vm"
QUICK="san cli alone root probe browser vm"
WAITING=tests/root/uprobe.bats # root tests that mostly wait for the kernel to detach: kind probe
BESIDE=tests/root/cores.bats   # those that ask nothing of the kernel: kind cores
# Those that compare shares of CPU time, or waits, with what the kernel or the workload says, or that set or count what is the whole
# machine's, have the machine for themselves: kind alone
ALONE=$(printf 'tests/root/%s.bats\n' agent_figures by container ends offcpu record refused sched stat symbols target timehist truth)
WALKED=$(printf 'tests/root/%s.bats\n' strange unwind walks)
kinds=${*:-$ALL} without=
# What a virtual machine runs: see tests/vm/run.sh
export VM_PLAN=all
[ $# -gt 0 ] || VM_PLAN=spread
if [ "${1:-}" = --quick ]; then
	kinds=${*:2} without=slow VM_PLAN=quick
	kinds=${kinds:-$QUICK}
fi
for kind in $kinds; do
	[[ " $ALL " == *" $kind "* ]] || { echo "usage: $0 [--quick] [${ALL// /|} ...]" >&2; exit 2; }
done
# A fresh boot may have no tracefs: the tests have one, among mounts of their own that end with them.
if [ "$(id -u)" = 0 ] && [ -z "${SKEP_MOUNTS:-}" ] && unshare -m true 2>/dev/null; then
	SKEP_MOUNTS=1 exec unshare -m "tests/$(basename "$0")" "$@"
fi
[ -z "${SKEP_MOUNTS:-}" ] || [ -e /sys/kernel/tracing/events ] || mount -t tracefs tracefs /sys/kernel/tracing || true
mkdir -p $OUT
rm -f $OUT/*.count $OUT/failed $OUT/unsteady

count() { # count KIND FILE PASSED FAILED SKIPPED [WHY]
	echo "$3 $4 $5" >>"$OUT/$1.count"
	[ "$4" = 0 ] || echo "FAILED: $1 $2: $4, see $OUT/$1*.log" >>$OUT/failed
	printf '%02d:%02d %-24s %4d passed %3d failed %3d skipped  %s\n' $((SECONDS / 60)) $((SECONDS % 60)) "$1 $2" "$3" "$4" "$5" "${6:-}"
}

# failure LOG: what failed of a TAP, and the first lines of why, for the end; of one that was killed, the last test that ended
failure() {
	awk '/^not ok/ { n = 12 } /^ok/ { n = 0 } n-- > 0
		/^1\.\.[0-9]+$/ { plan = substr($0, 4) } /^(not )?ok / { ended++; last = $0 }
		END { if (ended < plan + 0) print "killed in the test after: " (last ? last : "none") }' "$1" >>$OUT/failed
}

total() { # total FILE...: "PASSED FAILED SKIPPED"
	cat "$@" 2>/dev/null | awk '{ p += $1; f += $2; s += $3 } END { print p + 0, f + 0, s + 0 }'
}

# cmocka programs print "[  PASSED  ] 5 test(s)." and friends on stderr
unit() { # unit KIND BUILD
	local log=$OUT/$1.log name status p f s
	for name in tests/unit/*.c; do
		name=$(basename "$name" .c)
		timeout 600 "$2/unit/$name" >"$log" 2>&1 # test_data with sanitizers and perf: 140 s with a machine for itself
		status=$?
		p=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$log" | head -1)
		f=$(sed -n 's/^\[  FAILED  \] \([0-9]*\) test.*/\1/p' "$log" | head -1)
		s=$(sed -n 's/^\[  SKIPPED \] \([0-9]*\) test.*/\1/p' "$log" | head -1)
		[ $status = 0 ] && [ $((${p:-0} + ${s:-0})) -gt 0 ] || [ "${f:-0}" -gt 0 ] || f=1
		[ "${f:-0}" = 0 ] || cat "$log"
		count "$1" "$name" "${p:-0}" "${f:-0}" "${s:-0}"
	done
}

tap() { # tap KIND FILE...: bats
	local kind=$1 log f p s n again
	shift
	for f in "$@"; do
		log=$OUT/$kind-$(basename "$f").log
		tests/bats.sh "$f" 900 $without >"$log"
		n=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$log")
		s=$(grep -c '^ok .*# skip' "$log")
		again=$(sed -n 's/^again: ok [0-9]* /passed at another try: /p' "$log")
		p=$(($(grep -c '^ok ' "$log") - s))
		[ -z "$again" ] || p=$((p + $(wc -l <<<"$again")))
		[ $((p + s)) = "${n:-0}" ] && [ "${n:-0}" -gt 0 ] || { cat "$log"; failure "$log"; }
		grep '^ok .*# skip' "$log"
		# What the first try of a test said that passed then
		[ -z "$again" ] || { echo "$kind $(basename "$f"): $again"; sed -n '/^again/d; /^not ok/,/^ok/s/^#/#/p' "$log"; } | tee -a $OUT/unsteady
		[ "${n:-0}" -gt 0 ] || n=$((p + s + 1))
		count "$kind" "$(basename "$f")" $p $((n - p - s)) "$s"
	done
}

script() { # script KIND FILE COMMAND...: 0 passed, 77 skipped
	local kind=$1 file=$2 log=$OUT/$1-$2.log
	shift 2
	timeout 900 "$@" >"$log" 2>&1
	case $? in
	0) count "$kind" "$file" 1 0 0 "$(tail -1 "$log")" ;;
	77) count "$kind" "$file" 0 0 1 "$(tail -1 "$log")" ;;
	*) cat "$log"; count "$kind" "$file" 0 1 0 ;;
	esac
}

# Each fuzzer has its time, whoever else runs: at once.
fuzz() {
	for f in tests/fuzz/*.c; do
		f=$(basename "$f" .c)
		script fuzz "$f" tests/fuzz/run.sh "build/fuzz/fuzz/$f" &
	done
	wait
}

# Two at a time
root() {
	tap root $WALKED &
	tap root $(ls tests/root/*.bats | grep -vxF -e $WAITING -e $BESIDE -e "$ALONE" -e "$WALKED")
	wait
}

# strace's own tests: a line for those whose options are a width and names of calls, one for the others. Those of tests/strace/differs.txt are
# skipped; what failed, and what of the list passes, is printed.
strace() {
	local log=$OUT/strace.log status word which p f s why
	timeout 1500 tests/strace/run.sh >"$log" 2>&1
	status=$?
	if [ $status = 77 ]; then
		count strace "" 0 0 1 "$(tail -1 "$log")"
		return
	fi
	grep -E '^(FAILED|passes)' "$log"
	while read -r word which p f s why; do
		[ "$word" != strace ] || count strace "$which" "$p" "$f" "$s" "$why"
	done <"$log"
	[ $status = 0 ] || [ "$(total "$OUT/strace.count" | cut -d' ' -f2)" != 0 ] || count strace "" 0 1 0 "exit $status"
}

# A kernel a line, "vm VERSION PASSED FAILED SKIPPED PACKAGE", and what failed or was skipped below it.
vm() {
	local log=$OUT/vm.log status word version p f s why
	tests/vm/run.sh ${KERNELS:-} >"$log" 2>&1
	status=$?
	if [ $status = 77 ]; then
		count vm "" 0 0 1 "$(tail -1 "$log")"
		return
	fi
	while read -r word version p f s why; do
		if [ "$word" = vm ]; then count vm "$version" "$p" "$f" "$s" "$why"; else echo "$word $version $p $f $s $why"; fi
	done <"$log"
	grep 'passed at another try' "$log" | sed 's/^/vm /' >>$OUT/unsteady
	grep -q '^not ok' "$log" && failure "$log"
	[ $status = 0 ] || count vm "" 0 1 0 "exit $status"
}

# lane KIND...: those of them that were asked for, one after the other
lane() {
	for kind; do
		[[ " $kinds " == *" $kind "* ]] || continue
		case $kind in
		unit) unit unit build ;;
		san) unit san build/san ;;
		cli) tap cli tests/cli/*.bats ;;
		alone) tap alone $ALONE ;;
		root) root ;;
		cores) tap cores $BESIDE ;;
		probe) tap probe $WAITING ;;
		browser) script browser drive.js tests/browser/run.sh ;;
		valgrind) script valgrind skep tests/valgrind.sh ;;
		fuzz) fuzz ;;
		strace) strace ;;
		vm) vm ;;
		esac
		[ "$(total "$OUT/$kind.count")" != "0 0 0" ] || count "$kind" "" 0 1 0 "ran no test"
	done
}

# Two at a time; then what has the machine for itself; then the other root tests beside one virtual machine, which takes one CPU; then two
# virtual machines at a time.
lane strace unit valgrind browser fuzz &
lane san cli cores &
wait
lane alone
export VM_LONE=$OUT/root.runs
touch "$VM_LONE"
{ lane root & lane probe; wait; rm "$VM_LONE"; } &
lane vm
wait
[ ! -s $OUT/unsteady ] || cut -c1-200 $OUT/unsteady
[ ! -e $OUT/failed ] || cat $OUT/failed
read -r passed failed skipped < <(total $OUT/*.count)
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
