/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Time off a CPU, by bpf/offcpu.bpf.c: of each span that a task of the target was on no CPU, up to two samples with its stacks, the
 * first for the time up to the wake-up or, of a preempted task, for all of it; the second for the wait for a CPU. Weights are ns,
 * exact; of a wait that started before the run or ends after it, the part inside. Sums are also delivered while it runs (snapshots): of
 * spans that have ended.
 */
#ifndef SKEP_CAPTURE_SOURCE_OFFCPU_H
#define SKEP_CAPTURE_SOURCE_OFFCPU_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/source.h"

/* Parts of spans. */
enum offcpu_part {
	OFFCPU_PART_BLOCKED = 1 << 0,	/* from the task's own wish to the wake-up */
	OFFCPU_PART_QUEUED = 1 << 1,	/* from there to a CPU */
	OFFCPU_PART_PREEMPTED = 1 << 2, /* from one turn on a CPU to the next */
	OFFCPU_PART_ALL = 7,
};

struct offcpu_cfg {
	bool aggregate; /* sum in the kernel; else the samples of each span, with the time of its end */
	bool no_kernel_stack, no_user_stack;
	bool by_tid;
	bool has_cgroup; /* samples have their cgroup */
	bool from_caller; /* kernel stacks begin with what called the scheduler */
	bool empties;	   /* tables that fill up while the run goes on: what was delivered cannot be delivered again */
	bool wakers;	   /* with the stack of who woke it; not when streaming */
	bool bpf_stats;
	uint32_t parts;	     /* enum offcpu_part */
	uint16_t event;	     /* of the samples */
	uint32_t stacks_max; /* 0: default */
	uint64_t ring_bytes; /* per CPU, power of two; 0: default */
};

/* cfg outlives it. NULL without memory. */
struct source *src_offcpu_new(const struct offcpu_cfg *cfg);

#endif
