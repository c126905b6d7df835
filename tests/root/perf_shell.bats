#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# perf's own shell tests with skep under the name perf; tests/perfshell/run.sh runs more of them, and those of newer perfs.
# bats file_tags=user-space
load ../lib.bash

@test "perf's own shell tests pass, but for those that have a reason in differs.txt" {
	need_root
	need perf
	need gcc
	[ -d /usr/lib/perf-core/tests/shell ] || skip "this perf comes without its tests"
	run "$ROOT/tests/perfshell/run.sh" buildid.sh pipe_test.sh record+zstd_comp_decomp.sh stat.sh stat+csv_output.sh stat+csv_summary.sh \
		stat+json_output.sh stat+shadow_stat.sh stat_all_metricgroups.sh stat_all_metrics.sh stat_all_pmu.sh
	echo "$output"
	[ "$status" = 0 ]
	passed=$(sed -nE 's/^([0-9]+) of [0-9]+ subtests pass.*/\1/p' <<<"$output")
	all=$(sed -nE 's/^[0-9]+ of ([0-9]+) subtests pass.*/\1/p' <<<"$output")
	[ "$all" -ge 10 ] && [ $((passed * 100)) -ge $((all * 80)) ]
}
