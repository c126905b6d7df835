// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * CAPTURE, counts of tracepoints: one small program, loaded once for each of them with its index put into the instructions
 * (attach cookies of raw tracepoints came with 6.10). Atomic, since an interrupt may hit the same tracepoint on its CPU.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "bpf/tracepoint.h"
#include "lib/filter.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* one a CPU, by its number */
	__type(key, __u32);
	__type(value, struct tracepoint_tally);
} tallies SEC(".maps");

SEC("raw_tp/sched_switch")
int count_hit(void *ctx)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct tracepoint_tally *t;
	__u64 index;

	asm volatile("%0 = %1 ll" : "=r"(index) : "i"(TRACEPOINT_INDEX_MARK));
	if (!filter_pass(bpf_get_current_pid_tgid()))
		return 0;
	t = bpf_map_lookup_elem(&tallies, &cpu);
	if (t && index < TRACEPOINTS_MAX)
		__sync_fetch_and_add(&t->hits[index], 1);
	return 0;
}
