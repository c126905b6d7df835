#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Code of the kernel that runs: what may be read of it, and how, is the kernel's choice.
load ../lib.bash

@test "a kernel function: from its image, /proc/kcore or its memory; else a reason" {
	need jq
	"$SKEP" record -F "$(hz 999)" -o k.data -- dd if=/dev/zero of=/dev/null bs=1 count=200000
	status=0
	"$SKEP" annotate -i k.data -d '[kernel.kallsyms]' --json >k.json 2>err || status=$?
	if [ $status = 0 ]; then
		jq -e '.functions | map(select(.instructions)) | length > 3' k.json
		jq -e '[.functions[] | select(.instructions) | .start == .instructions[0].address and (.start | test("^0x[0-9a-f]+$"))] | all' k.json
		jq -e '[.functions[] | select(.instructions) | (.instructions | map(.count // 0) | add) == .count] | all' k.json
	else
		cat err
		grep -qE 'kcore|names' err
	fi
	if perf record -q --kcore -F "$(hz 999)" -o kept.data -- dd if=/dev/zero of=/dev/null bs=1 count=200000 2>/dev/null; then
		"$SKEP" annotate -i kept.data -d '[kernel.kallsyms]' --json >k.json
		jq -e '.functions | map(select(.instructions)) | length > 3' k.json
	fi
	run "$SKEP" annotate -i k.data -d '[kernel.kallsyms]' -k "$WORK/shares" --top 1
	[[ "$output" == *"another build id than the recorded kernel"* ]]
}
