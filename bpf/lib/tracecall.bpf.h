/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which system calls are shown, and those that have not returned: one a thread, from its entry to its end. */
#ifndef SKEP_TRACECALL_BPF_H
#define SKEP_TRACECALL_BPF_H

#include "lib/filter_task.bpf.h"
#include "lib/syscall.bpf.h"
#include "lib/tracematch.bpf.h"

const volatile __u32 cfg_task_storage = 1; /* 5.11; else a hash by thread */
const volatile __u32 cfg_all_calls = 0;
const volatile __u64 cfg_wanted[SYSCALL_ABIS][SYSCALL_NR_MAX / 64] = {};
const volatile __u64 cfg_wanted_any[SYSCALL_NR_MAX / 64] = {}; /* of any table */
const volatile __u32 cfg_execve = 59, cfg_execveat = 322; /* native: COMMAND's first call is one, when it is no target yet */

/* Which results are shown. */
const volatile __u64 cfg_min_ns = 0;
const volatile __u32 cfg_results = TRACE_ALL_RESULTS; /* bits of enum trace_results */
const volatile __u64 cfg_errnos[64] = {}; /* bits; with TRACE_ERRNOS: only these */

/* A call that has not returned. */
struct call {
	__u64 start_ns;
	__u64 args[TRACE_ARGS];
	__u32 epoch; /* of `targets`, in which its task passed the filter */
	__u16 nr;
	__u8 abi, is_open, flags;
	__u8 is_first; /* COMMAND's exec: shown if it becomes a target by it */
	__u8 is_match; /* on entry: a path or file of it is selected */
	__u8 unused[5];
};

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

static __always_inline int wanted(__u32 abi, __u64 nr)
{
	if (nr >= SYSCALL_NR_MAX)
		return cfg_all_calls;
	return cfg_all_calls || (abi < SYSCALL_ABIS && cfg_wanted[abi][nr / 64] >> (nr % 64) & 1);
}

/* A quick test, which most calls that are not selected fail: to find their table and task takes longer. nr -1: rt_sigreturn() has returned. */
static __always_inline int may_be_wanted(__u64 nr)
{
	if (cfg_all_calls || nr == ~0ull)
		return 1;
	nr &= ~(__u64)X32_BIT;
	return nr < SYSCALL_NR_MAX && cfg_wanted_any[nr / 64] >> (nr % 64) & 1;
}

const volatile __u64 no_call[sizeof(struct call) / 8] = {}; /* not on the stack, of which the programs and what they call have 512 bytes */

static __always_inline struct call *find_call(struct task_struct *task, __u32 tid, int create)
{
	if (cfg_task_storage)
		return bpf_task_storage_get(&task_calls, task, NULL, create ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
	if (create)
		bpf_map_update_elem(&thread_calls, &tid, (const void *)no_call, BPF_ANY);
	return bpf_map_lookup_elem(&thread_calls, &tid);
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

/* Has each call a line, whatever its result? Else that is not known before its end. */
static __always_inline int all_results_are_wanted(void)
{
	return (cfg_results & (TRACE_DONE | TRACE_FAILED | TRACE_ERRNOS)) == (TRACE_DONE | TRACE_FAILED) && !cfg_min_ns && !cfg_select;
}

static __always_inline int ends_are_wanted(void)
{
	return cfg_results & TRACE_UNFINISHED && !cfg_min_ns && !cfg_select;
}

static __always_inline int result_is_wanted(__s64 ret, __u64 took_ns)
{
	int is_failed = ret < 0 && ret >= -SYSCALL_ERRNO_MAX;
	__u32 error = -ret;

	if (took_ns < cfg_min_ns)
		return 0;
	if (cfg_results & TRACE_ERRNOS)
		return is_failed && cfg_errnos[(error >> 6) & 63] >> (error & 63) & 1;
	return cfg_results & (is_failed ? TRACE_FAILED : TRACE_DONE);
}

#endif
