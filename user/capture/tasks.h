/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The user side of bpf/lib/task.bpf.h and taskstate.bpf.h, which every skeleton that includes them has in the same words. */
#ifndef SKEP_CAPTURE_TASKS_H
#define SKEP_CAPTURE_TASKS_H

#include <bpf/libbpf.h>
#include <linux/types.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/source.h"

/* Where a skeleton has it. */
struct tasks {
	__u32 *task_storage, *has_state, *pidns_level;
	__u64 *pidns;
	struct bpf_map *stored, *hashed;
	volatile __u64 *run_start_ns, *run_end_ns;
	volatile __s64 *run_offset_ns;
	volatile __u32 *run_armed;
	uint64_t started_ns, ended_ns; /* by the scheduler's clock; 0: not yet */
	int64_t offset_ns; /* CLOCK_MONOTONIC less that, when the run began: one for everything that is reported */
};

#define TASKS_OF(skel)                                                                                                      \
	{                                                                                                                   \
		.task_storage = &(skel)->rodata->cfg_task_storage, .has_state = &(skel)->rodata->cfg_has_state,             \
		.pidns_level = &(skel)->rodata->cfg_pidns_level, .pidns = &(skel)->rodata->cfg_pidns,                       \
		.stored = (skel)->maps.stored_tasks, .hashed = (skel)->maps.hashed_tasks,                                   \
		.run_start_ns = &(skel)->bss->run_start_ns, .run_end_ns = &(skel)->bss->run_end_ns,                         \
		.run_offset_ns = &(skel)->bss->run_offset_ns, .run_armed = &(skel)->bss->run_armed,                         \
	}

/* A program on a hook. */
struct tasks_hook {
	struct bpf_program *prog;
	struct bpf_link **link;
};

/* Those of taskstate.bpf.h, which are attached before the others. */
#define TASKS_STATE_HOOKS(skel)                                                                                             \
	{ (skel)->progs.task_new, &(skel)->links.task_new }, { (skel)->progs.task_fork, &(skel)->links.task_fork },         \
		{ (skel)->progs.task_exec, &(skel)->links.task_exec }

/* Before load. 0, or -EBADMSG with err filled: the kernel's types cannot be read. */
int tasks_set(const struct tasks *t, const struct place *place, struct err *err);

/*
 * After load and filter_start(): attaches in this order what is to be loaded, then runs the iterator over the tasks that are there. 0,
 * or -errno with err filled.
 */
int tasks_attach(const struct tasks_hook *hooks, size_t nr_hooks, const struct bpf_program *first, struct err *err);

/* Arms, once both clocks are known: at most a hundred times 1 us are waited for that. */
void tasks_start(struct tasks *t);

/*
 * Ends the run. A process is reaped before it has left its CPU for the last time; after a barrier of all CPUs it has. Programs go on:
 * what lasts longer they count up to run_end_ns.
 */
void tasks_stop(struct tasks *t);

/* By the scheduler's clock. */
uint64_t tasks_now(const struct tasks *t);

/*
 * Waits until every CPU has passed a point where it runs no program of ours. What a hook reads afresh after that it reads as it is
 * now.
 */
void tasks_barrier(void);

#endif
