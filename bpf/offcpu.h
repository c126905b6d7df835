/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Time that tasks were off the CPUs: the key of `spans`, its sums, and the records of a stream. */
#ifndef SKEP_BPF_OFFCPU_H
#define SKEP_BPF_OFFCPU_H

#include <linux/types.h>

#include "bpf/stack.h"

#define OFFCPU_COMM_LEN 16
#define OFFCPU_ROWS_DEFAULT 16384

/* Bits: how a stack was taken. */
enum offcpu_how {
	OFFCPU_PREEMPTED = 1 << 0, /* was preempted */
	OFFCPU_BEFORE = 1 << 1,	   /* was off its CPU when the run began: of another task the user stack cannot be walked */
	OFFCPU_NO_ROOM = 1 << 2,   /* for one of the stacks, in `stacks` */
	OFFCPU_HAS_USER = 1 << 3,  /* user frames were requested and the task has user memory */
};

/* A task at one place: no padding, it is hashed. */
struct offcpu_who {
	__u64 kstack, ustack; /* keys in `stacks`, 0: no frames */
	__u32 pid, tid;	      /* tid 0 unless cfg_by_tid */
	__u32 exec_id;	      /* as in struct sample_key */
	__u32 how;	      /* enum offcpu_how */
	__u64 cgroup;	      /* 0 unless cfg_cgroup */
	char comm[OFFCPU_COMM_LEN];
};
_Static_assert(sizeof(struct offcpu_who) == 56, "no padding in a hash key");

/* The task that left its CPU, and, if requested, its waker. */
struct offcpu_key {
	struct offcpu_who task, waker;
};

/* Spans of one key: from the moment that the task left its CPU to the wake-up, and on to the next one on a CPU. */
struct offcpu_sums {
	__u64 spans, off_ns; /* up to the wake-up; all of it when preempted */
	__u64 waits, wait_ns; /* for a CPU after the wake-up */
	__u64 last_ns; /* when it left its CPU, the last time; by the scheduler's clock */
};

/* One span: a record of the rings. Without a waker the end is cut off. */
struct offcpu_rec {
	__u64 time_ns; /* CLOCK_MONOTONIC of its end */
	__u64 off_ns, wait_ns;
	__u32 cpu, pad;
	struct offcpu_key key;
};
_Static_assert(sizeof(struct offcpu_rec) == 32 + 2 * 56, "offcpu_rec");

/* Of a task that left its CPU in an earlier turn. */
struct offcpu_asleep {
	__u64 stacks[4]; /* keys; 0: none */
};

#endif
