#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# record --all-cgroups: perf's report by cgroup.
load ../lib.bash

cleanup() { remove_cgroups; }

@test "record --all-cgroups: samples by cgroup in perf's report, with their paths" {
	need perf
	two_cgroups
	echo 0 >"cg/$a/cgroup.procs"
	"$SKEP" record --all-cgroups -F "$(hz 999)" -o cgroups.data -- sh -c "$WORK/shares 0.6; echo 0 >cg/$b/cgroup.procs; exec $WORK/shares 0.2" 2>said
	echo 0 >cg/cgroup.procs
	cat said
	perf report -i cgroups.data --stdio --no-children -g none -s cgroup -F sample,cgroup 2>/dev/null | grep -vE '^#|^$' >rows
	cat rows
	awk -v a="/$a" -v b="/$b" '{ n += $1 } $2 == a { na = $1 } $2 == b { nb = $1 } END { exit !(nb > 0 && na > nb && n == na + nb) }' rows
	# skep's own reader passes over it
	"$SKEP" report -i cgroups.data --no-children -s sym | grep -q ' hot$'
}
