/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Wire shapes of the sampler: ring records and the two hashes of aggregate mode. */
#ifndef SKEP_BPF_SAMPLE_H
#define SKEP_BPF_SAMPLE_H

#include <linux/types.h>

#include "bpf/loss.h"
#include "bpf/stack.h"
#include "bpf/target.h"

#define SAMPLE_COMM_LEN 16
#define SAMPLE_COUNTS_DEFAULT 16384 /* distinct (stacks, task, comm) */

/* Who and where: the key of `counts`, and the head of a ring record. No padding: it is hashed. */
struct sample_key {
	union {
		__u64 kstack; /* hash of the frames, 0 for no frames */
		__u64 addr;   /* in a ring record: what the event is about; 0: none, or not requested */
	};
	__u64 ustack;	      /* likewise */
	__u64 cgroup;	      /* of the thread; 0 unless cfg_cgroup */
	__u32 pid;
	__u32 tid;	      /* 0 in `counts` unless cfg_by_tid */
	__u32 exec_id;	      /* task_struct.self_exec_id: distinguishes the address spaces of one pid */
	__u16 event;
	__u8 has_user; /* user frames were requested and the task has user memory */
	__u8 pad;
	char comm[SAMPLE_COMM_LEN];
};
_Static_assert(sizeof(struct sample_key) == 56, "no padding in a hash key");

struct sample_count {
	__u64 count;
	__u64 weight;  /* sum of periods */
	__u64 last_ns; /* CLOCK_MONOTONIC of the newest */
};

/*
 * A ring record is cut after ips[nr_kips + nr_uips]; where the event's values are wanted, after those: a word with a bit for each that
 * could not be read, then the values as their expressions place them.
 */
struct sample_rec {
	__u64 time_ns;
	__u64 weight;
	struct sample_key key;
	__u32 cpu;
	__u16 nr_kips, nr_uips;
	__u64 ips[2 * (STACK_MAX_FRAMES + 1)]; /* kernel frames, then user frames, leaf first */
};
_Static_assert(sizeof(struct sample_rec) == 80 + 16 * 128, "sample_rec");

#endif
