/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which system calls are selected, and those that have not returned: one a thread, from its entry to its end. Who includes this has defined
 * struct call, with: epoch (of `targets`, in which its task passed the filter) and is_first (COMMAND's exec: it counts if COMMAND becomes a
 * target by it).
 */
#ifndef SKEP_OPENCALL_BPF_H
#define SKEP_OPENCALL_BPF_H

#include "lib/filter.bpf.h"
#include "lib/renumber.bpf.h"
#include "lib/syscall.bpf.h"

const volatile __u32 cfg_task_storage = 1; /* 5.11; else a hash by thread */
const volatile __u32 cfg_execve = 59, cfg_execveat = 322; /* native: COMMAND's first call is one, when it is no target yet; ~0: not taken */
const volatile __u32 cfg_all_calls = 0;
const volatile __u64 cfg_wanted[SYSCALL_ABIS][SYSCALL_NR_MAX / 64] = {};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct call);
} task_calls SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, struct call);
} thread_calls SEC(".maps");

const volatile __u64 no_call[sizeof(struct call) / 8] = {}; /* not on the stack, of which the programs and what they call have 512 bytes */

static __always_inline int wanted(__u32 abi, __u64 nr)
{
	if (nr >= SYSCALL_NR_MAX)
		return cfg_all_calls;
	return cfg_all_calls || (abi < SYSCALL_ABIS && cfg_wanted[abi][nr / 64] >> (nr % 64) & 1);
}

static __always_inline struct call *find_call(struct task_struct *task, __u32 tid, int create)
{
	if (cfg_task_storage)
		return bpf_task_storage_get(&task_calls, task, NULL, create ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
	if (create)
		bpf_map_update_elem(&thread_calls, &tid, (const void *)no_call, BPF_ANY);
	return bpf_map_lookup_elem(&thread_calls, &tid);
}

/* Of a thread that is not in a call any more, or gone. */
static __always_inline void forget_call(__u32 tid)
{
	if (!cfg_task_storage)
		bpf_map_delete_elem(&thread_calls, &tid);
}

/* The filter runs once a task and epoch, where nothing else than `targets` can change its result. NULL: not a target. */
static __always_inline struct call *pass(struct task_struct *current, __u64 nr)
{
	__u32 epoch = targets_epoch, is_kept = cfg_task_storage && !(cfg_filter & (FILTER_CGROUPS | FILTER_UIDS | FILTER_COMMS));
	__u64 id = current_id(current);
	struct call *call = NULL;
	int is_first = 0;

	if (is_kept)
		call = find_call(current, id, 0);
	if (call && call->epoch == epoch && !call->is_first)
		return call;
	if (!filter_pass(id)) {
		is_first = (nr == cfg_execve || nr == cfg_execveat) && run_armed && filter_at_exec(id); /* of what it does before only that is shown */
		if (!is_first)
			return NULL;
	}
	if (!call)
		call = find_call(current, id, 1);
	if (call) {
		call->epoch = epoch;
		call->is_first = is_first;
	} else {
		loss_count(LOSS_INTERNAL);
	}
	return call;
}

SEC("?raw_tp/sched_process_exec")
int thread_renumber(struct bpf_raw_tracepoint_args *ctx)
{
	return thread_renumbered(ctx, &thread_calls);
}

#endif
