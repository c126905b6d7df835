/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Hashes of a BPF object read whole, and the map `stacks` (bpf/lib/stacks.bpf.h) by its keys. */
#ifndef SKEP_CAPTURE_STACKS_H
#define SKEP_CAPTURE_STACKS_H

#include <stdint.h>

#include "bpf/stack.h"

struct bpf_map;

/* All entries: keys and values side by side, room for as many as the map may have. Programs are at rest. Returns how many or -errno. */
long hash_read(struct bpf_map *map, void *keys, void *values);

/* Zeroed before its first use. */
struct stacks {
	uint64_t *keys;
	struct stack_val *values;
	uint32_t *slots; /* open addressing: 1 + index */
	uint64_t mask;
};

/* 0 or -errno; to be freed in either case. */
int stacks_read(struct stacks *stacks, struct bpf_map *map);

/* NULL for key 0, and for one that is not there; nr is within bounds. */
const struct stack_val *stacks_find(const struct stacks *stacks, uint64_t key);

void stacks_free(struct stacks *stacks);

/* The same while programs run: stacks are read on first use, and kept. Zeroed before its first use. */
struct stack_cache {
	uint64_t *keys; /* 0: free */
	struct stack_val **values; /* no longer than they have frames */
	uint32_t n, size;
};

/* NULL for key 0, one that is not there, and without memory. */
const struct stack_val *stack_cache_get(struct stack_cache *cache, const struct bpf_map *map, uint64_t key);

void stack_cache_free(struct stack_cache *cache);

#endif
