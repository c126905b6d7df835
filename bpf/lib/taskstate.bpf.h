/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What each task does, and since when, from where it is made to its end: kept beside it for programs on the scheduler's hooks. Who
 * includes this defines struct task_own first.
 */
#ifndef SKEP_TASKSTATE_BPF_H
#define SKEP_TASKSTATE_BPF_H

#include "bpf/sched.h"
#include "lib/filter_task.bpf.h"

struct task {
	__u64 since_ns;
	__u32 state; /* enum sched_state */
	__u32 is_target, epoch; /* checked in which epoch of `targets` */
	__u32 pid, tid; /* as skep's user sees them: a task that has ended has no numbers any more */
	__u32 unused;
	struct task_own own;
};

#include "lib/task.bpf.h"

/* For the includer to define: what is its own of a task that was there before, whose state in the kernel's words is known. */
static __always_inline void task_own_first(struct task *s, struct task_struct *t, __u64 state);

/* The current task once more, where something else than its own doing may have made it one. */
static __always_inline void task_ask(struct task *s, __u64 id)
{
	__u32 epoch = targets_epoch;

	if (!(cfg_filter & (FILTER_CGROUPS | FILTER_UIDS | FILTER_COMMS)) && s->epoch == epoch)
		return;
	s->epoch = epoch;
	s->is_target |= filter_who(id);
}

/* One that leaves its CPU and has nothing beside it. */
static __always_inline void task_count_unknown(struct task_struct *t, __u64 state)
{
	/* Of a container the iterator has only its own; who is ending has left its tables before */
	if (run_armed && !cfg_pidns_level && !(state & TASK_DEAD) && filter_task(t))
		loss_count(LOSS_TARGETS_FULL);
}

static __always_inline void task_begin(struct task *s, struct task_struct *t)
{
	__u64 id = task_id(t);

	s->pid = id >> 32;
	s->tid = id;
	s->epoch = targets_epoch;
	s->is_target = filter_task(t);
}

/*
 * Every new task, also those that the kernel makes for a process (io_uring's workers). What is kept of it is made here, where no run queue is
 * locked.
 */
SEC("tp_btf/task_newtask")
int task_new(__u64 *ctx)
{
	struct task_struct *t = (void *)ctx[0];
	struct task *s = task_make(t);

	if (s)
		task_begin(s, t);
	else if (filter_task(t))
		loss_count(LOSS_TARGETS_FULL);
	return 0;
}

/* Behind filter_fork, which was attached first: a child of a target is one now. */
SEC("tp_btf/sched_wakeup_new")
int task_fork(__u64 *ctx)
{
	struct task_struct *t = (void *)ctx[0];
	struct task *s = task_find(t);

	if (s)
		task_begin(s, t);
	return 0;
}

/* A thread that is not the first takes the number of the process with its exec. */
SEC("tp_btf/sched_process_exec")
int task_exec(__u64 *ctx)
{
	struct task_struct *t = (void *)ctx[0];
	struct task *s;

	task_renumber(t, ctx[1]);
	s = task_find(t);
	if (s)
		s->tid = s->pid;
	return 0;
}

/* Before the run: every task that is there. What happened to it meanwhile is known already. */
SEC("iter/task")
int task_first(struct bpf_iter__task *ctx)
{
	struct task_struct *t = ctx->task;
	struct task *s;
	__u64 state;

	if (!t || !t->pid || task_find(t))
		return 0;
	s = task_make(t);
	if (!s) {
		loss_count(LOSS_TARGETS_FULL);
		return 0;
	}
	state = task_state(t);
	task_begin(s, t);
	task_own_first(s, t, state);
	if (s->state == SCHED_NEW)
		s->state = state ? task_sleep(state) : task_is_running(t) ? SCHED_RUNNING : SCHED_WAITING;
	return 0;
}

#endif
