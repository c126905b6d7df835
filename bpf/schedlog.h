/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Every switch, wake-up and migration of the target's tasks: records of the rings, and of the iterator over live tasks at the end. */
#ifndef SKEP_BPF_SCHEDLOG_H
#define SKEP_BPF_SCHEDLOG_H

#include <linux/types.h>

#include "bpf/schedwords.h"
#include "bpf/stack.h"

#define SCHEDLOG_COMM_LEN 16

/* pid 0: the idle task, or one of outside the container. */
struct schedlog_who {
	__u32 pid, tid;
	char comm[SCHEDLOG_COMM_LEN];
};

/*
 * Times are of the scheduler's clock; 0: before the run, or not known. A task was put off its CPU at off_ns, able to run again from
 * ready_ns and on this CPU from on_ns until time_ns. Cut after ips[nr_kips + nr_uips].
 */
struct schedlog_rec {
	__u64 time_ns;
	__u64 off_ns, ready_ns, on_ns;
	__u64 delay_ns, run_ns; /* before this run, and this run: what the kernel added to its sums (/proc/PID/schedstat); or SCHEDLOG_UNKNOWN */
	__u32 cpu;
	__u32 other_cpu; /* SWITCH: where it ran before; NO_CPU: not known */
	__u16 state, off_state; /* task_struct.__state from now on, and from off_ns on; 0: able to run */
	__u8 kind, flags, waker_kind, now; /* enum ..., bits of enum ..., enum ..., LEFT: enum sched_state */
	__u16 nr_kips, nr_uips;
	__u32 unused;
	struct schedlog_who task, other, waker;
	__u64 ips[2 * (STACK_MAX_FRAMES + 1)]; /* kernel frames, then user frames, leaf first */
};
#define SCHEDLOG_HEAD_BYTES 144
_Static_assert(__builtin_offsetof(struct schedlog_rec, ips) == SCHEDLOG_HEAD_BYTES, "schedlog_rec");

#endif
