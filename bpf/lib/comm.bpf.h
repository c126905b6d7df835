/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of tasks, as parts of keys: 16 bytes, zeroes after the name. */
#ifndef SKEP_COMM_BPF_H
#define SKEP_COMM_BPF_H

#include "lib/current.bpf.h"

/* Zeroes what is after the first zero byte; both architectures are little-endian. */
static __always_inline __u64 comm_word(__u64 w, __u64 *ended)
{
	__u64 zero = (w - 0x0101010101010101ull) & ~w & 0x8080808080808080ull;

	if (*ended)
		return 0;
	*ended = zero;
	return zero ? w & (((zero & -zero) >> 7) - 1) : w;
}

/* Of a task that the verifier knows as one. */
static __always_inline void comm_copy(void *to, struct task_struct *task)
{
	__u64 *comm = (void *)task->comm, *out = to, ended = 0;

	out[0] = comm_word(comm[0], &ended);
	out[1] = comm_word(comm[1], &ended);
}

/* Of any. */
static __always_inline void comm_read(void *to, struct task_struct *task)
{
	__u64 comm[2] = {}, *out = to, ended = 0;

	bpf_probe_read_kernel(comm, sizeof(comm), &task->comm);
	out[0] = comm_word(comm[0], &ended);
	out[1] = comm_word(comm[1], &ended);
}

/*
 * Of the current task. bpf_get_current_comm(), which copies and pads, costs 35 to 50 ns more. Kernels before 6.14 may leave the rest of a
 * longer name after the zero.
 */
static __always_inline void comm_of(void *to, struct task_struct *current)
{
	if (HAS_TASK_BTF)
		comm_copy(to, current);
	else
		bpf_get_current_comm(to, 2 * sizeof(__u64));
}

static __always_inline void comm_of_current(void *to)
{
	comm_of(to, HAS_TASK_BTF ? bpf_get_current_task_btf() : NULL);
}

#endif
