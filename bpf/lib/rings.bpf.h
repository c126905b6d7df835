/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A ring buffer a CPU (user/capture/rings.h). */
#ifndef SKEP_RINGS_BPF_H
#define SKEP_RINGS_BPF_H

#include "lib/emit.bpf.h"

struct ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1); /* one a CPU, by its number */
	__type(key, __u32);
	__array(values, struct ring);
} rings SEC(".maps");

/* That of a CPU. NULL, which is counted: it has none. */
static __always_inline void *ring_of(__u32 cpu)
{
	void *ring = bpf_map_lookup_elem(&rings, &cpu);

	if (!ring)
		loss_count(LOSS_INTERNAL);
	return ring;
}

#endif
