// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Walks of whoever runs it (BPF_PROG_TEST_RUN), or of a thread that a clock interrupts, for tests/root/unwind.c to compare. */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>

#include "lib/unwind.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define SAMPLES_MAX 4096
#define TIMED_WALKS 32

enum { SLOT_SELF, SLOT_SAMPLE };

struct stack_val walked = {};
__u64 timed_ns = 0; /* of TIMED_WALKS */
__u32 run_tid = 0;
__u32 nr_samples = 0;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, SAMPLES_MAX);
	__type(key, __u32);
	__type(value, struct stack_val);
} samples SEC(".maps");

#define SOME_PID 1 /* what has no number is not asked about */

SEC("raw_tp")
int walk_self(void *ctx)
{
	struct stack_val *walk = unwind_walk_task(SLOT_SELF, 1, SOME_PID);

	if (walk)
		bpf_probe_read_kernel(&walked, sizeof(walked), walk);
	return 0;
}

SEC("raw_tp")
int time_self(void *ctx)
{
	__u64 begin = bpf_ktime_get_ns();

	for (__u32 i = 0; i < TIMED_WALKS; i++)
		unwind_walk_task(SLOT_SELF, 1, SOME_PID);
	timed_ns = bpf_ktime_get_ns() - begin;
	return 0;
}

SEC("perf_event")
int sample_thread(struct bpf_perf_event_data *ctx)
{
	struct stack_val *walk;
	__u32 i = nr_samples;

	if ((__u32)bpf_get_current_pid_tgid() != run_tid)
		return 0;
	walk = unwind_walk_event(ctx, SLOT_SAMPLE, 1, SOME_PID);
	if (walk && !bpf_map_update_elem(&samples, &i, walk, BPF_ANY))
		nr_samples = i + 1;
	return 0;
}
