#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# skep doctor tells what the machine is like, with a reason for each thing that is not there.
load ../lib.bash

@test "the text: a line for each feature, a reason below each that is missing" {
	"$SKEP" doctor >out
	[ "$(grep -cE '^[a-zA-Z].* (yes|no|NO) ' out)" -ge 20 ]
	# what has no reason is there
	awk '/ (no|NO) +[^ ]/ && /^[a-zA-Z]/ { want = 1; name = $0; next } want && !/^ / { print "no reason: " name; bad = 1 } { want = 0 } END { exit bad }' out
}

# bats test_tags=user-space
@test "the JSON and the CSV say the same" {
	"$SKEP" doctor --json >out.json
	"$SKEP" doctor --format json | cmp - out.json
	"$SKEP" doctor --format csv >out.csv
	[ "$(head -1 out.csv)" = name,has,needed,used_by,instead,why,enable ]
	[ "$(grep -o '"name":' out.json | wc -l)" = "$(tail -n +2 out.csv | wc -l)" ]
	[ "$(grep -o '"has":true' out.json | wc -l)" = "$(tail -n +2 out.csv | grep -cE '^("[^"]*"|[^,"]*),1,')" ]
	run "$SKEP" doctor --format csv --json
	[ "$status" = 2 ]
	"$SKEP" doctor >out
	[ "$(grep -o '"has":true' out.json | wc -l)" = "$(grep -cE '^[a-zA-Z].* yes ' out)" ]
	[ "$(grep -o '"has":false' out.json | wc -l)" = "$(grep -cE '^[a-zA-Z].* (no|NO) ' out)" ]
	grep -q '"works":true' out.json
}

@test "without privileges: exit 3, the missing capability and a hint" {
	run setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all "$SKEP" doctor
	echo "$output"
	[ "$status" = 3 ]
	[[ "$output" == *"CAP_BPF is missing"* ]]
	[[ "$output" == *"=ep '$(realpath "$SKEP")'"* ]]
	if grep -q 'events of own tasks  *yes' <<<"$output"; then
		[[ "$output" == *"only your own programs can be sampled here: no bpf"* ]]
	else
		[[ "$output" == *"nothing can be sampled here: no bpf"* ]]
	fi
}

@test "no BTF: exit 3 and the kernel option" {
	mkdir none
	run unshare -m sh -c "mount --bind '$PWD/none' /sys/kernel/btf && '$SKEP' doctor"
	[ "$status" = 3 ]
	[[ "$output" == *CONFIG_DEBUG_INFO_BTF* ]]
}

@test "tracefs and cgroup v2 are reported as they are" {
	"$SKEP" doctor >out
	if [ -e /sys/kernel/tracing/events ] || [ -e /sys/kernel/debug/tracing/events ]; then
		grep -qE '^tracefs +yes' out
	else
		grep -qE '^tracefs +no' out
		grep -q 'mount -t tracefs' out
	fi
	if grep -q ' - cgroup2 ' /proc/self/mountinfo; then grep -qE '^cgroup v2 +yes' out; else grep -qE '^cgroup v2 +no' out; fi
	run unshare -m sh -c "umount -l /sys/kernel/tracing /sys/kernel/debug/tracing 2>/dev/null; umount -l /sys/kernel/debug 2>/dev/null; '$SKEP' doctor"
	[[ "$output" == *"mount -t tracefs"* ]]
}
