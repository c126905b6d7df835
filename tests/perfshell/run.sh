#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# perf's own shell tests with skep under the name perf: list, stat, record, report, script, annotate, probe and sched go to skep, all else to
# the real perf. Each script runs with the real perf first; what does not pass there is not counted.
# usage: tests/perfshell/run.sh [-d DIR] [SCRIPT...]
# DIR has usr/bin/perf and usr/lib/perf-core/tests/shell (default: /, perf as installed); see fetch.sh for other versions. SECONDS_EACH is the time
# of a script (60).
# A line for each subtest that passes with perf: "ok SCRIPT SUBTEST", "not ok SCRIPT SUBTEST"; then "N of M subtests pass (P %)". A script
# that names no subtests is one, "-". Exit 1 when one fails that differs.txt does not list; 77 when there are no tests. What the scripts
# print is under build/perfshell/out.
set -u
cd "$(dirname "$0")/../.." || exit 1
FROM=/
[ "${1:-}" != -d ] || { FROM=$2; shift 2; }
FROM=$(cd "$FROM" && pwd) || exit 1
FROM=${FROM%/}
export SKEP=$PWD/build/skep REAL=$FROM/usr/bin/perf
export REACHED=$PWD/build/perfshell/reached
SECONDS_EACH=${SECONDS_EACH:-60}
SHELL_TESTS=$FROM/usr/lib/perf-core/tests/shell
if [ "$(id -u)" != 0 ] || [ ! -d "$SHELL_TESTS" ] || ! "$REAL" --version >/dev/null 2>&1; then
	echo "needs root and $SHELL_TESTS with its perf"
	exit 77
fi
VERSION=$("$REAL" --version | sed -E 's/^perf version ([0-9]+\.[0-9]+).*/\1/')
OUT=$PWD/build/perfshell/out/$VERSION
rm -rf "$OUT" && mkdir -p "$OUT/perf" "$OUT/skep" "$OUT/bin/perf" "$OUT/bin/skep" "$OUT/home"
cp -r "$FROM/usr/lib/perf-core/tests" "$OUT/tests"
ln -s "$REAL" "$OUT/bin/perf/perf"
cat >"$OUT/bin/skep/perf" <<'EOF'
#!/bin/bash
case ${1:-} in
list | stat | record | report | script | annotate | probe | sched)
	: >"$REACHED"
	exec -a perf "$SKEP" "$@"
	;;
*) exec "$REAL" "$@" ;;
esac
EOF
chmod +x "$OUT/bin/skep/perf"

# run perf|skep SCRIPT: under the name perf; its status is the last line of the log
run() {
	(cd "$OUT" && HOME=$OUT/home PATH=$OUT/bin/$1:$PATH timeout -k 5 "$SECONDS_EACH" "$OUT/tests/shell/$2") >"$OUT/$1/$2.log" 2>&1 </dev/null
	echo "exit $?" >>"$OUT/$1/$2.log"
}

# passed LOG: the subtests in it that passed. A result without a name, since a warning came between the two, is not counted: there is nothing to
# compare it with.
passed() {
	sed -E 's/\x1b\[[0-9;]*m//g' "$1" | awk '
		/\[Success\]/ { sub(/ *\[Success\].*/, ""); if ($0 != "") print; named = 1; next }
		/\[(Failed|Skip)/ { named = 1 }
		/^-- \[ PASS \] --/ { sub(/^-- \[ PASS \] -- */, ""); print; named = 1; next }
		/^-- \[ (FAIL|SKIP) \] --/ { named = 1 }
		/^exit / && !named && $2 == 0 { print "-" }'
}

# Of the commands that go to skep
scripts() {
	[ $# = 0 ] || { printf '%s\n' "$@"; return; }
	(cd "$OUT/tests/shell" && grep -lE 'perf(_tool)?["}]* +(list|stat|record|report|script|annotate|probe|sched)|base_(probe|report)' ./*.sh | sed 's,^\./,,')
}

for script in $(scripts "$@"); do
	[ -x "$OUT/tests/shell/$script" ] || continue
	run perf "$script"
	passed "$OUT/perf/$script.log" | sort -u >"$OUT/perf/$script.passed"
	[ -s "$OUT/perf/$script.passed" ] || continue
	rm -f "$REACHED"
	run skep "$script"
	[ -e "$REACHED" ] || continue
	passed "$OUT/skep/$script.log" | sort -u >"$OUT/skep/$script.passed"
	comm -12 "$OUT/perf/$script.passed" "$OUT/skep/$script.passed" | sed "s/^/ok $script /"
	comm -23 "$OUT/perf/$script.passed" "$OUT/skep/$script.passed" | sed "s/^/not ok $script /"
done | tee "$OUT/result"

# differs.txt: VERSION<tab>SCRIPT<tab>SUBTEST<tab>REASON
awk -F'\t' -v version="$VERSION" '
	FNR == NR { if (!/^#/ && $1 == version) known[$2 " " $3] = 1; next }
	/^ok / { ok++; name = substr($0, 4); if (name in known) print "passes, though differs.txt has it: " name; next }
	{ failed++; name = substr($0, 8); if (!(name in known)) { print "FAILED: " name; bad = 1 } }
	END {
		all = ok + failed
		printf "%d of %d subtests pass (%.0f %%)\n", ok, all, all ? 100 * ok / all : 0
		exit bad || !all
	}' tests/perfshell/differs.txt "$OUT/result"
