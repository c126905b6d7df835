/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Kernel side of the loss ledger: per-CPU counters. */
#ifndef SKEP_LOSS_BPF_H
#define SKEP_LOSS_BPF_H

#include "bpf/loss.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64[COUNT_MAX]);
} counters SEC(".maps");

/* what: enum loss, or enum counted. Atomic: a program may be interrupted, or preempted, by another one that counts. */
static __always_inline void loss_count(__u32 what)
{
	__u32 zero = 0;
	__u64 *c = bpf_map_lookup_elem(&counters, &zero);

	if (c)
		__sync_fetch_and_add(&c[what], 1);
}

/* The same where nothing that interrupts or preempts the program counts the same. */
static __always_inline void loss_count_alone(__u32 what)
{
	__u32 zero = 0;
	__u64 *c = bpf_map_lookup_elem(&counters, &zero);

	if (c)
		c[what]++;
}

#endif
