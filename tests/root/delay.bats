#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# -D of record and stat: COMMAND runs for a while before it is measured.
load ../lib.bash

# named FILE: its samples are of functions with their names, though all was mapped before the first of them
named() {
	"$SKEP" report -i "$1" --no-children -s comm,sym | grep -qE ' shares +\[\.\] hot$'
}

# first_sample_ms FILE: from the exec of COMMAND to its first sample
first_sample_ms() {
	"$SKEP" -q script -i "$1" -F comm,time --show-task-events --ns |
		awk '{ sub(/:$/, "", $2) } /PERF_RECORD_COMM exec/ { exec_at = $2 } !/PERF_RECORD/ { printf "%d\n", ($2 - exec_at) * 1000; exit }'
}

# bats test_tags=user-space
@test "record -D: no sample before the delay is over, and names of what was mapped before" {
	"$SKEP" record -D 400 -F "$(hz 999)" -o late.data -- "$WORK/shares" 1
	named late.data
	ms=$(first_sample_ms late.data)
	echo "the first sample after $ms ms"
	[ "$ms" -ge 300 ] && [ "$ms" -lt 900 ]
}

# bats test_tags=user-space
@test "record -D without privileges: an event of its own follows the mappings" {
	chmod 777 .
	cp "$SKEP" "$WORK/shares" .
	setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all --inh-caps -all \
		./skep record -D 400 -F "$(hz 999)" -o late.data -- ./shares 1 2>said || { cat said; [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 2 ] && skip "perf_event_paranoid"; false; }
	grep -q 'sampled by perf events, without BPF' said
	named late.data
	ms=$(first_sample_ms late.data)
	echo "the first sample after $ms ms"
	[ "$ms" -ge 300 ] && [ "$ms" -lt 900 ]
}

# bats test_tags=user-space,measuring
@test "stat -D: counts and seconds are those after the delay" {
	"$SKEP" stat -D 500 -x, -e task-clock -- "$WORK/shares" 1 2>csv
	cat csv
	# Of a second in all; on a busy machine less of it is before the delay ends
	awk -F, '$3 == "task-clock" { n++; ok = $1 > 300 && $1 < 950 } END { exit n != 1 || !ok }' csv
}

# bats test_tags=user-space
@test "-D: COMMAND ends before it is over, and what is refused" {
	run -1 "$SKEP" record -D 2000 -o none.data -- true
	[[ "$output" == *"no samples: the target ended within the 2000 ms of --delay"* ]]
	[ ! -e none.data ]
	"$SKEP" stat -D 2000 -e task-clock -- true 2>counts
	grep -q '<not counted>' counts
	run -2 "$SKEP" stat -D -1 -- true
	[[ "$output" == *"-D -1 waits for a command of --control, which is not available"* ]]
	run -2 "$SKEP" stat -D 10-20 -- true
	[[ "$output" == *"bad value '10-20' of '--delay': expected milliseconds"* ]]
	run -2 "$SKEP" stat -D 10 --by comm -e 'syscalls:*' -- true
	[[ "$output" == *"-D and --by exclude each other"* ]]
}

# bats test_tags=user-space,measuring
@test "record -D with ranges: samples are of these, with privileges and without; what is no range is refused" {
	chmod 777 .
	cp "$SKEP" "$WORK/shares" .
	nobody="setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all --inh-caps -all"
	for as in "" "$nobody"; do
		rm -f ranges.data
		$as ./skep record -D 200-400,700-800 -F "$(hz 999)" -o ranges.data -- ./shares 1 2>said || { cat said; [ -n "$as" ] && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 2 ] && continue; false; }
		"$SKEP" -q script -i ranges.data -F comm,time -G --show-task-events --ns | awk '
			{ sub(/:$/, "", $2) }
			/PERF_RECORD_COMM exec/ { exec_at = $2 }
			!/PERF_RECORD/ { ms = ($2 - exec_at) * 1000; if (ms > 190 && ms < 450) a++; else if (ms > 690 && ms < 850) b++; else { other++; print ms } }
			END { print a, b, other + 0; exit !(a > 20 && b > 10 && other <= 2) }'
	done
	for bad in 10-5 20-30,25-40 20-30, -5-10 x-y 10-20-30 -2; do
		run -2 "$SKEP" record -D "$bad" -o none.data -- true
		[[ "$output" == *"bad value '$bad' of '--delay': expected milliseconds"* ]]
	done
	run -2 "$SKEP" record -D 10-20 --off-cpu -o none.data -- true
	[[ "$output" == *"-D with ranges cannot be combined with --off-cpu"* ]]
}
