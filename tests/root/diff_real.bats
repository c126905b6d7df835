#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# skep diff of two builds of a real program, SQLite without and with optimisation: times are the processes' own, functions perf's.
# bats file_tags=user-space
load ../lib.bash

# build LEVEL: ./LEVEL/sql, a program that runs its argument; the library is compiled once
build() {
	local sources=$ROOT/build/npm/node_modules/better-sqlite3/deps/sqlite3 object=$ROOT/build/npm/sqlite$1.o
	[ -e "$sources/sqlite3.c" ] || skip "no better-sqlite3 of npm here: tools/packages.sh test"
	[ -e "$object" ] || cc "-O$1" -g -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -c "$sources/sqlite3.c" -o "$object"
	mkdir -p "O$1"
	cat >sql.c <<-'C'
		#include <stdio.h>
		#include <sys/resource.h>
		#include "sqlite3.h"
		int main(int argc, char **argv)
		{
			struct rusage u;
			sqlite3 *db;
			if (argc < 2 || sqlite3_open(":memory:", &db) || sqlite3_exec(db, argv[1], NULL, NULL, NULL))
				return 1;
			getrusage(RUSAGE_SELF, &u);
			printf("%ld\n", (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000L + u.ru_utime.tv_usec + u.ru_stime.tv_usec);
		}
	C
	cc -O1 -g "-I$sources" sql.c "$object" -o "O$1/sql" -lm
}

SQL="create table t(a, b, c);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 300000) insert into t select i * 7919 % 100003, 'name' || (i % 977), i from n;
create index x on t(b, a);
select count(*) from (select b, sum(a), max(c), group_concat(a) from t where b like '%7%' group by b order by 2)"

# of perf report, "NAME PERIOD" of the program's ten heaviest functions
perf_has() {
	perf report -i "$1" --no-children -g none -s sym -F period,sym --dsos sql -t ';' --stdio 2>perf.said |
		awk -F ';' '/^ *[0-9]/ { sub(/^ *\[.\] /, "", $2); gsub(/ +$/, "", $2); print $2, $1 + 0 }' | sort -k2,2nr | head -10 | sort
}

# bats test_tags=measuring,slow
@test "SQLite, -O2 and -O0: the times, functions and stacks of both sides" {
	need cc jq perf
	build 2
	build 0
	for o in 2 0; do "$SKEP" -q record -F 1999 -g -o O$o.data -- O$o/sql "$SQL" >cpu_us.$o; done
	cat cpu_us.?
	"$SKEP" diff O2.data O0.data -o change.folded
	"$SKEP" -q diff O2.data O0.data -s sym --json >change.json
	# What each side weighs is the CPU time that its process had
	for o in 2 0; do "$SKEP" -q report -i O$o.data -s sym --no-children --json | jq '[.rows[].self] | add' >weight.$o; done
	awk -v old="$(cat cpu_us.2)" -v new="$(cat cpu_us.0)" -v w2="$(cat weight.2)" -v w0="$(cat weight.0)" 'BEGIN {
		a = w2 / 1000 / old; b = w0 / 1000 / new; print "weight per CPU time", a, b, "slower", w0 / w2
		exit !(a > 0.95 && a < 1.08 && b > 0.95 && b < 1.08 && w0 > 1.5 * w2) }'
	# The picture has all samples of both
	for o in 2 0; do "$SKEP" -q script -i O$o.data --json | wc -l; done | paste -s -d ' ' >samples
	awk '{ a += $(NF - 1); b += $NF } END { print a, b }' change.folded | diff samples -
	# Shares of the functions are those of perf's periods
	for o in 2 0; do
		perf_has O$o.data >perf.$o
		[ "$(wc -l <perf.$o)" = 10 ]
		side=$([ $o = 2 ] && echo before || echo after)
		jq -r --arg side $side 'select(.sym) | "\(.sym) \(.[$side + "_pct"])"' change.json |
			awk -v all="$(cat weight.$o)" 'NR == FNR { share[$1] = $2; next } { n++; d = share[$1] - 100 * $2 / all; if (d > 0.01 || d < -0.01) { print; bad = 1 } } END { exit bad || n != 10 }' - perf.$o
	done
	# Inlined into others by -O2, a function of its own with -O0: without --inline it is new, with it both have it
	jq -se 'map(select(.sym == "insertCellFast"))[0] | .before_pct == 0 and .significant' change.json
	"$SKEP" -q diff O2.data O0.data -s sym --inline --json | jq -se 'map(select(.sym == "insertCellFast"))[0] | (. == null) or .before_pct > 0'
}
