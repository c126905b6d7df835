#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# All tests, one line each kind while they run, then "N passed, N failed, N skipped". Exit 1 on a failure.
# usage: tests/run.sh [unit|cli|root|browser|valgrind|san ...]   (default: all)
set -u
cd "$(dirname "$0")/.." || exit 1
OUT=build/test
mkdir -p $OUT
passed=0 failed=0 skipped=0

count() { # count NAME PASSED FAILED SKIPPED [WHY]
	passed=$((passed + $2)) failed=$((failed + $3)) skipped=$((skipped + $4))
	printf '%-22s %4d passed %3d failed %3d skipped  %s\n' "$1" "$2" "$3" "$4" "${5:-}"
}

# cmocka programs print "[  PASSED  ] 5 test(s)." and friends on stderr
unit() {
	local b=$1 name=$2 p f s
	for t in "$b"/unit/*; do
		[ -x "$t" ] && [ -f "$t" ] && [ "${t%.d}" = "$t" ] || continue
		timeout 300 "$t" >$OUT/unit.log 2>&1
		local status=$?
		p=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' $OUT/unit.log | head -1)
		f=$(sed -n 's/^\[  FAILED  \] \([0-9]*\) test.*/\1/p' $OUT/unit.log | head -1)
		s=$(sed -n 's/^\[  SKIPPED \] \([0-9]*\) test.*/\1/p' $OUT/unit.log | head -1)
		[ $status = 0 ] || [ "${f:-0}" -gt 0 ] || f=1
		[ "${f:-0}" = 0 ] || cat $OUT/unit.log
		[ "${p:-0}" -gt 0 ] || [ "${s:-0}" -gt 0 ] || [ "${f:-0}" -gt 0 ] || { f=1 && echo "$t ran no test"; }
		count "$name $(basename "$t")" "${p:-0}" "${f:-0}" "${s:-0}"
	done
}

tap() { # tap NAME FILE...: bats
	local name=$1
	shift
	for f in "$@"; do
		timeout 900 bats --tap "$f" >$OUT/bats.log 2>&1
		local p s n
		n=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' $OUT/bats.log)
		s=$(grep -c '^ok .*# skip' $OUT/bats.log)
		p=$(($(grep -c '^ok ' $OUT/bats.log) - s))
		[ $((p + s)) = "${n:-0}" ] && [ "${n:-0}" -gt 0 ] || cat $OUT/bats.log
		grep '# skip' $OUT/bats.log
		[ "${n:-0}" -gt 0 ] || n=$((p + s + 1))
		count "$name $(basename "$f")" $p $((n - p - s)) "$s"
	done
}

script() { # script NAME COMMAND...: 0 passed, 77 skipped
	local name=$1
	shift
	timeout 900 "$@" >$OUT/script.log 2>&1
	case $? in
	0) count "$name" 1 0 0 "$(tail -1 $OUT/script.log)" ;;
	77) count "$name" 0 0 1 "$(tail -1 $OUT/script.log)" ;;
	*) cat $OUT/script.log; count "$name" 0 1 0 ;;
	esac
}

kinds=${*:-unit san cli root browser valgrind fuzz}
for kind in $kinds; do
	case $kind in
	unit) unit build unit ;;
	san) unit build/san san ;;
	cli) tap cli tests/cli/*.bats ;;
	root) tap root tests/root/*.bats ;;
	browser) script browser tests/browser/run.sh ;;
	valgrind) script valgrind tests/valgrind.sh ;;
	fuzz) for f in build/fuzz/fuzz/*; do [ "${f%.d}" = "$f" ] && script "fuzz $(basename "$f")" tests/fuzz/run.sh "$f"; done ;;
	esac
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
