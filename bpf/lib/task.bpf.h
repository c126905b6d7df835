/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Something kept beside each task, by programs of the scheduler's hooks: struct task, which whoever includes this has defined. It is
 * made where a task is made, or by an iterator over those that are there: the hooks hold locks that an allocation may want.
 */
#ifndef SKEP_TASK_BPF_H
#define SKEP_TASK_BPF_H

#include "bpf/sched.h"
#include "lib/filter_task.bpf.h"
#include "lib/pidns.bpf.h"
#include "lib/tasksums.bpf.h"

const volatile __u32 cfg_task_storage = 1; /* 5.13 for tracing; else a hash by thread */
const volatile __u32 cfg_has_state = 1; /* 5.18, fa2c3254d7cf "sched/tracing: Don't re-read p->state when emitting sched_switch event" */
const volatile __u32 cfg_pidns_level = 1; /* 0: skep runs in the initial PID namespace */
const volatile __u64 cfg_pidns = 1;

/* What was so before it began then; the end, 0 before it is known: what lasts longer ends there. By the scheduler's clock. */
volatile __u64 run_start_ns = 0;
volatile __u64 run_end_ns = 0;

/* CLOCK_MONOTONIC less the scheduler's clock, of the last second; 0: not known yet. They drift apart, by up to 500 ppm. */
volatile __s64 run_offset_ns = 0;
#define OFFSET_AGE_NS 1000000000ull
static volatile __u64 offset_at_ns = 0;

/* include/linux/sched.h */
#define TASK_INTERRUPTIBLE 0x1
#define TASK_UNINTERRUPTIBLE 0x2
#define TASK_DEAD 0x80
#define TASK_WAKING 0x200
#define TASK_NOLOAD 0x400

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task);
} stored_tasks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SCHED_TASKS_MAX);
	__type(key, __u32);
	__type(value, struct task);
} hashed_tasks SEC(".maps");

/* A new task begins as this: too large for the stack. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct task);
} nothing SEC(".maps");

static __always_inline __u64 task_state(struct task_struct *t)
{
	if (bpf_core_field_exists(t->__state))
		return t->__state;
	return ((struct task_struct___old *)t)->state;
}

/*
 * As task_queued(), of a task that no switch has put on a CPU. From 6.12 on (152e11f6df29 "sched/fair: Implement delayed dequeue") one that sleeps
 * may still be moved between queues, which the kernel's note cannot tell from a wake-up; its state can.
 */
static __always_inline __u64 task_woken(struct task_struct *t, __u64 before_ns, __u64 until_ns)
{
	__u64 state = task_state(t);

	return state && !(state & TASK_WAKING) ? 0 : task_queued(t, before_ns, until_ns);
}

/* What the task that leaves its CPU will do then, in the kernel's words: of the context of sched_switch. */
static __always_inline __u64 task_switch_state(__u64 *ctx)
{
	return cfg_has_state ? (__u32)ctx[3] : task_state((void *)ctx[1]);
}

/* A bit field in 7.2. */
static __always_inline int task_is_running(struct task_struct *t)
{
	return bpf_core_field_exists(t->on_cpu) && BPF_CORE_READ_BITFIELD_PROBED(t, on_cpu);
}

/*
 * The clock of the run queue that the task is on, which is read by whoever holds its lock: what the scheduler counts is counted by
 * it (/proc/PID/schedstat), so that sums are the kernel's to the unit; and it costs a tenth of reading a clock of our own.
 */
static __always_inline __u64 task_clock(struct task_struct *t)
{
	if (bpf_core_field_exists(t->se.cfs_rq) && bpf_core_field_exists(((struct cfs_rq *)0)->rq))
		return t->se.cfs_rq->rq->clock;
	return bpf_ktime_get_ns();
}

/* In sched_switch, where both clocks can be read. */
static __always_inline void task_compare_clocks(__u64 now_ns)
{
	if (!run_armed || now_ns - offset_at_ns > OFFSET_AGE_NS) {
		offset_at_ns = now_ns;
		run_offset_ns = bpf_ktime_get_ns() - now_ns;
	}
}

static __always_inline struct task *task_find(struct task_struct *t)
{
	__u32 tid;

	if (cfg_task_storage)
		return bpf_task_storage_get(&stored_tasks, t, NULL, 0);
	tid = t->pid;
	return bpf_map_lookup_elem(&hashed_tasks, &tid);
}

/* In the context of a process, without locks. */
static __always_inline struct task *task_make(struct task_struct *t)
{
	__u32 zero = 0, tid = t->pid;
	struct task *empty;

	if (cfg_task_storage)
		return bpf_task_storage_get(&stored_tasks, t, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	empty = bpf_map_lookup_elem(&nothing, &zero);
	if (empty)
		bpf_map_update_elem(&hashed_tasks, &tid, empty, BPF_ANY);
	return bpf_map_lookup_elem(&hashed_tasks, &tid);
}

/* Of one that had another number before. */
static __always_inline void task_renumber(struct task_struct *t, __u32 old_tid)
{
	__u32 tid = t->pid;
	struct task *s;

	if (cfg_task_storage || tid == old_tid)
		return;
	s = bpf_map_lookup_elem(&hashed_tasks, &old_tid);
	if (!s)
		return;
	bpf_map_update_elem(&hashed_tasks, &tid, s, BPF_ANY);
	bpf_map_delete_elem(&hashed_tasks, &old_tid);
}

/* Of a task that has ended. */
static __always_inline void task_forget(struct task_struct *t)
{
	__u32 tid = t->pid;

	if (!cfg_task_storage)
		bpf_map_delete_elem(&hashed_tasks, &tid);
}

/* enum sched_state of a task that is not able to run. */
static __always_inline __u32 task_sleep(__u64 state)
{
	if (state & TASK_INTERRUPTIBLE || (state & TASK_UNINTERRUPTIBLE && state & TASK_NOLOAD))
		return SCHED_SLEEPING;
	return state & TASK_UNINTERRUPTIBLE ? SCHED_BLOCKED : SCHED_STOPPED;
}

/* Process and thread as skep's user sees them, as bpf_get_current_pid_tgid() has them. */
static __always_inline __u64 task_id(struct task_struct *t)
{
	if (!cfg_pidns_level)
		return (__u64)t->tgid << 32 | (__u32)t->pid;
	return (__u64)pidns_number(t->group_leader, cfg_pidns_level, (void *)cfg_pidns) << 32 |
	       (__u32)pidns_number(t, cfg_pidns_level, (void *)cfg_pidns);
}

#endif
