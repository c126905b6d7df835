#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The kernel's side of skep agent: hashes that are emptied while programs write to them.
load ../lib.bash

@test "hits while the kernel's hashes are emptied: each is in the store" {
	background "$SKEP" agent --store store --every 1s -e syscalls:sys_enter_getpgid -c 1 --max-stacks 320 2>said
	run_pid=$BG
	eventually test -s store/skep-store
	sleep "$(times 1)"
	n=$([ "${SKEP_SLOW:-1}" = 1 ] && echo 300 || echo 30)
	for i in $(seq 6); do "$WORK/calls" "$n" 8 40 >>truth; sleep 0.2; done
	sleep "$(times 1.5)"
	interrupt $run_pid
	cat said
	[ "$(ls store/*.pb.gz | wc -l)" -ge 3 ]
	"$SKEP" report --store store -s comm --comms calls --format csv >rows
	cat rows
	got=$(awk -F, 'NR > 1 { n += $3 } END { print n }' rows) truth=$((6 * 49 * n))
	# A kernel skips a hit while it handles another one, and counts it
	lost=$(awk '/^lost: / { n += $2 } END { print n + 0 }' said)
	[ "$got" -le "$truth" ]
	[ $((got + lost)) -ge "$truth" ]
	# most went through the hashes, not only the first ones
	ring=$(sed -n 's/^note: \([0-9]*\) samples\{0,1\} went through the ring buffer.*/\1/p' said)
	[ "${SKEP_SLOW:-1}" != 1 ] || [ "${ring:-0}" -lt $((truth / 2)) ]
}

@test "waits while the kernel's tables are emptied: each has its stack, also of who slept through all of it" {
	cp "$(command -v sleep)" nap
	cp "$(command -v sleep)" longnap
	n=$([ "${SKEP_SLOW:-1}" = 1 ] && echo 400 || echo 40)
	background "$SKEP" agent --store store --every 1s --off-cpu --max-stacks 16384 2>said
	run_pid=$BG
	eventually compgen -G 'store/*.pb.gz' # it has begun
	./longnap "$(times 5)" &
	long=$!
	for i in $(seq "$n"); do ./nap 0.005; done
	wait $long
	sleep "$(times 1.5)"
	interrupt $run_pid
	cat said
	"$SKEP" -q flame --store store --view offcpu-time --by comm --format folded >stacks
	grep -E '^(long)?nap;.*nanosleep.* ' stacks >slept
	awk '/^nap/ { short += $NF } /^longnap/ { long += $NF } END { print short, long }' slept | tee times
	awk -v n="$n" -v s="${SKEP_SLOW:-1}" '{ exit !($1 > n * 5e6 && $2 > 4.5e9 * s && $2 < 6e9 * s) }' times
	# what had no room has no stack: nothing of that was so
	run ! grep -q 'stacks beyond' said
}
