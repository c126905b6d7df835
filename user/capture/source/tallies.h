/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A mmapable array of a BPF object with a struct a CPU: programs add to it, we read it in place. */
#ifndef SKEP_CAPTURE_SOURCE_TALLIES_H
#define SKEP_CAPTURE_SOURCE_TALLIES_H

#include <bpf/libbpf.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

struct tallies {
	const char *base;
	size_t stride, bytes;
	uint64_t start_ns, stop_ns; /* stop_ns 0: it is still counted */
};

/* Before load: room for every possible CPU. */
void tallies_size(struct bpf_map *map);

/* After load. 0, or -errno with err filled. */
int tallies_map(struct tallies *t, const struct bpf_map *map, struct err *err);

/* The struct of a CPU; NULL for one that the machine cannot have. */
const void *tallies_of(const struct tallies *t, uint32_t cpu);

void tallies_start(struct tallies *t);
void tallies_stop(struct tallies *t);

/* Since the start, up to the stop or now. */
uint64_t tallies_counted_ns(const struct tallies *t);

void tallies_unmap(struct tallies *t);

#endif
