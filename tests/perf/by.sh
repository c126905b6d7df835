#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Claim: summing every system call by comm and name, its time in a histogram (--by comm,syscall --latency), adds at most twice what
# programs on entry and return add that only read the clock. Beside it keys alone, a key with a field of the trace record, bpftrace.
. "$(dirname "$0")/lib.sh"
N=${N:-2000000}

o="$TMP/out"
echo "system calls by key: ns of one, best of 5 rounds of $((N / 5)), in turn"
for ((i = 0; i < RUNS; i++)); do
	rate bare "$WORK/callrate" "$N"
	rate floor build/perf/floor "$WORK/callrate" "$N"
	rate floor-both build/perf/floor -x "$WORK/callrate" "$N"
	rate floor-clock build/perf/floor -t "$WORK/callrate" "$N"
	rate by-syscall "$SKEP" stat --by syscall -o "$o" -- "$WORK/callrate" "$N"
	rate by-comm,syscall "$SKEP" stat --by comm,syscall -o "$o" -- "$WORK/callrate" "$N"
	rate latency-syscall "$SKEP" stat --latency --by syscall -o "$o" -- "$WORK/callrate" "$N"
	rate latency-comm,syscall "$SKEP" stat --latency --by comm,syscall -o "$o" -- "$WORK/callrate" "$N"
	rate latency-a "$SKEP" stat -a --latency --by comm,syscall -o "$o" -- "$WORK/callrate" "$N"
	rate field "$SKEP" stat --by 'args->id' -e raw_syscalls:sys_enter -o "$o" -- "$WORK/callrate" "$N"
	if command -v bpftrace >/dev/null && [ $i -lt 2 ]; then
		rate bpftrace-latency bpftrace -q -e 'tracepoint:raw_syscalls:sys_enter { @s[tid] = nsecs; @n[tid] = args->id; }
			tracepoint:raw_syscalls:sys_exit /@s[tid]/ { @[comm, @n[tid]] = hist(nsecs - @s[tid]); delete(@s[tid]); }' \
			-c "$WORK/callrate $((N / 10))"
	fi
done
FLOOR=floor tell by-syscall by-comm,syscall field
FLOOR=floor-both tell floor-both floor-clock latency-syscall latency-comm,syscall latency-a bpftrace-latency
row "a call by command and name, with a histogram of times (two empty programs: $(added floor-both) ns; that read the clock: $(added floor-clock) ns)" ns '`stat --latency --by comm,syscall`' \
	"$(added latency-comm,syscall)" bpftrace "$(added bpftrace-latency)"
