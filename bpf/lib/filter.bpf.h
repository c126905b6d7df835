/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The only filter. Every program calls filter_pass() first; the three raw tracepoints below keep the
 * table of target processes: children are added before they first run; COMMAND becomes active at its
 * exec; entries go when the task is freed.
 */
#ifndef SKEP_FILTER_BPF_H
#define SKEP_FILTER_BPF_H

#include "bpf/target.h"
#include "lib/current.bpf.h"
#include "lib/loss.bpf.h"

/* Defaults are the most expensive path, so that the verifier sees all of it. */
const volatile __u32 cfg_filter = ~0u;
const volatile __u32 cfg_follow = 1; /* children of processes are targets, too */
const volatile __u32 cfg_nr_cgroups = FILTER_LIST_MAX;
const volatile __u32 cfg_nr_uids = FILTER_LIST_MAX;
const volatile __u32 cfg_nr_comms = FILTER_LIST_MAX;
const volatile __u32 cfg_uids[FILTER_LIST_MAX] = {};
const volatile __u64 cfg_comms[FILTER_LIST_MAX][2] = {};

/* Skep's own process, which is left out: its work on one event would cause the next. 0: no process is. */
const volatile __u32 cfg_self_pid = 1;

/* One store starts every program at one instant. */
volatile __u32 run_armed = 0;

/* How many of 2^32 hits are left out, to keep to a budget. */
volatile __u32 run_leave_out = 0;

/* A process of `targets` that is active, or 0: known at once, where the look-up takes 30 ns. */
volatile __u32 run_target = 0;

/* Changes with `targets`: what was looked up under another number may be wrong. */
volatile __u32 targets_epoch = 0;

/* Forks of all tasks, where filter_fork is attached: only after one can the address of a task, or of its stack, be another's. */
volatile __u32 forks_epoch = 0;

struct {
	__uint(type, BPF_MAP_TYPE_HASH); /* preallocated: perf_event programs on 5.10 take no other */
	__uint(max_entries, TARGETS_MAX);
	__type(key, __u64);
	__type(value, __u32);
} targets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, FILTER_LIST_MAX);
	__type(key, __u32);
	__type(value, __u32);
} cgroups SEC(".maps");

/* Of a process, by its first thread: microseconds since boot, in place. */
static __always_inline __u32 filter_birth(struct task_struct *task)
{
	return ((__u32)(BPF_CORE_READ(task, start_boottime) >> 10) | 1) << TARGET_BIRTH_SHIFT;
}

static __always_inline int filter_target(__u64 key)
{
	__u32 *state = bpf_map_lookup_elem(&targets, &key);

	return state && (*state & TARGET_STATE) == TARGET_ACTIVE;
}

/* Is it COMMAND before its exec? id is bpf_get_current_pid_tgid(). */
static __always_inline int filter_at_exec(__u64 id)
{
	__u64 key = TARGET_PID(id >> 32);
	__u32 *state = bpf_map_lookup_elem(&targets, &key);

	return state && (*state & TARGET_STATE) == TARGET_AT_EXEC;
}

static __always_inline int filter_lists(void)
{
	__u64 comm[2] = {};
	__u32 uid, hit = 0;

	if (cfg_filter & FILTER_CGROUPS) {
		for (__u32 i = 0; i < FILTER_LIST_MAX && !hit; i++)
			if (i < cfg_nr_cgroups && bpf_current_task_under_cgroup(&cgroups, i) == 1)
				hit = 1;
		if (!hit)
			return 0;
	}
	if (cfg_filter & FILTER_UIDS) {
		uid = bpf_get_current_uid_gid();
		hit = 0;
		for (__u32 i = 0; i < FILTER_LIST_MAX && !hit; i++)
			if (i < cfg_nr_uids && cfg_uids[i] == uid)
				hit = 1;
		if (!hit)
			return 0;
	}
	if (cfg_filter & FILTER_COMMS) {
		bpf_get_current_comm(comm, sizeof(comm));
		hit = 0;
		for (__u32 i = 0; i < FILTER_LIST_MAX && !hit; i++)
			if (i < cfg_nr_comms && cfg_comms[i][0] == comm[0] && cfg_comms[i][1] == comm[1])
				hit = 1;
		if (!hit)
			return 0;
	}
	return 1;
}

/* Is this process, by the kernel's number, skep itself, which is left out? */
static __always_inline int filter_is_self(__u32 pid)
{
	return cfg_self_pid && pid == cfg_self_pid;
}

/* Is the current task a target, if it is not skep? */
static __always_inline int filter_selected(__u64 id)
{
	__u32 pid = id >> 32, tid = id;

	if ((cfg_filter & FILTER_IDLE) && pid == 0)
		return 0;
	if (cfg_filter & (FILTER_PIDS | FILTER_TIDS)) {
		int hit = 0;

		if (cfg_filter & FILTER_PIDS)
			hit = (pid && pid == run_target) || filter_target(TARGET_PID(pid));
		if (!hit && (cfg_filter & FILTER_TIDS))
			hit = filter_target(TARGET_TID(tid));
		if (!hit)
			return 0;
	}
	return filter_lists();
}

/* Is the current task a target, whether the run has started or not? id is bpf_get_current_pid_tgid(). */
static __always_inline int filter_who(__u64 id)
{
	return !filter_is_self(id >> 32) && filter_selected(id);
}

/* The same, once the run has begun; what skep itself would have had is counted. */
static __always_inline int filter_pass(__u64 id)
{
	if (!run_armed || !filter_selected(id))
		return 0;
	if (!filter_is_self(id >> 32))
		return 1;
	loss_count(COUNT_SELF);
	return 0;
}

/* Of programs that do not ask filter_pass(), each time that they would count something of the current task, which is of this process. */
static __always_inline void filter_count_self(__u32 pid)
{
	if (run_armed && filter_is_self(pid) && filter_selected(bpf_get_current_pid_tgid()))
		loss_count(COUNT_SELF);
}

/* Of what passed. By chance: what comes in turns would be left out in turns. The caller counts it, when it is known to be wanted. */
static __always_inline int filter_is_left_out(void)
{
	__u32 part = run_leave_out;

	return part && bpf_get_prandom_u32() < part;
}

static __always_inline int filter_leaves_out(void)
{
	if (!filter_is_left_out())
		return 0;
	loss_count(LOSS_BUDGET);
	return 1;
}

static __always_inline void filter_drop(__u64 key)
{
	if (!bpf_map_delete_elem(&targets, &key))
		__sync_fetch_and_add(&targets_epoch, 1);
}

/*
 * A number may be given again before the task that had it is freed: the new one is a target by its parent alone. Not sched_process_fork:
 * from 7.0 on (a46023d5616e "tracing: Guard __DECLARE_TRACE() use of __DO_TRACE_CALL() with SRCU-fast") a task may lose its CPU in the middle
 * of a program there, and the kernel skips the program for others that reach the tracepoint on that CPU meanwhile. Here the lock of a run
 * queue is held.
 */
SEC("?raw_tp/sched_wakeup_new")
int filter_fork(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *parent = current_task(), *child = (void *)ctx->args[0];
	__u64 from = TARGET_PID(BPF_CORE_READ(parent, tgid));
	__u64 to = TARGET_PID(BPF_CORE_READ(child, tgid));
	__u32 state;

	__sync_fetch_and_add(&forks_epoch, 1);
	if (cfg_filter & FILTER_TIDS)
		filter_drop(TARGET_TID(BPF_CORE_READ(child, pid)));
	if (!(cfg_filter & FILTER_PIDS))
		return 0;
	if (from == to) /* a thread */
		return 0;
	if (!cfg_follow || !filter_target(from)) {
		if (run_target == to)
			run_target = 0;
		filter_drop(to);
		return 0;
	}
	state = TARGET_ACTIVE | filter_birth(child);
	if (bpf_map_update_elem(&targets, &to, &state, BPF_ANY))
		loss_count(LOSS_TARGETS_FULL);
	__sync_fetch_and_add(&targets_epoch, 1);
	return 0;
}

SEC("?raw_tp/sched_process_exec")
int filter_exec(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (void *)ctx->args[0];
	__u64 key = TARGET_PID(BPF_CORE_READ(task, tgid));
	__u32 *state = bpf_map_lookup_elem(&targets, &key);

	if (state && *state == TARGET_AT_EXEC) {
		*state = TARGET_ACTIVE;
		run_target = key;
		__sync_fetch_and_add(&targets_epoch, 1);
	}
	return 0;
}

/* Not sched_process_exit: a task still closes files and frees memory after that, on its own account. */
SEC("?raw_tp/sched_process_free")
int filter_free(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = (void *)ctx->args[0];
	__u32 tid = BPF_CORE_READ(task, pid), *state;
	__u64 key;

	if (cfg_filter & FILTER_TIDS)
		filter_drop(TARGET_TID(tid));
	if (tid == (__u32)BPF_CORE_READ(task, tgid)) {
		key = TARGET_PID(tid);
		state = bpf_map_lookup_elem(&targets, &key);
		/* The number may already be another's, whose fork came before this task's memory was given back. */
		if (!state || (*state >> TARGET_BIRTH_SHIFT && (*state & ~TARGET_STATE) != filter_birth(task)))
			return 0;
		if (run_target == tid)
			run_target = 0;
		filter_drop(key);
	}
	return 0;
}

#endif
