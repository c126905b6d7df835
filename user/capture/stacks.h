/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Hashes of a BPF object read whole, and the map `stacks` (bpf/lib/stacks.bpf.h) by its keys. */
#ifndef SKEP_CAPTURE_STACKS_H
#define SKEP_CAPTURE_STACKS_H

#include <stdint.h>

#include "bpf/stack.h"
#include "util/map.h"
#include "util/vec.h"

struct bpf_map;

/*
 * All entries: keys and values side by side, room for as many as the map may have. While programs run each entry is as it was when it was
 * read, and none may be deleted. Returns how many or -errno.
 */
long hash_read(struct bpf_map *map, void *keys, void *values);

/* Deletes all entries, while no program runs that uses them. 0 or -errno. */
int hash_clear(struct bpf_map *map);

/* Zeroed before its first use. */
struct stacks {
	struct stack_val *values;
	struct map by_key;
};

/* 0 or -errno; to be freed in either case. */
int stacks_read(struct stacks *stacks, struct bpf_map *map);

/* NULL for key 0, and for one that is not there; nr is within bounds. */
const struct stack_val *stacks_find(const struct stacks *stacks, uint64_t key);

void stacks_free(struct stacks *stacks);

/* The same while programs run: stacks are read on first use, and kept. Zeroed before its first use. */
struct stack_cache {
	VEC(struct stack_val *) values; /* no longer than they have frames */
	struct map by_key;
};

/* NULL for key 0, one that is not there, and without memory. */
const struct stack_val *stack_cache_get(struct stack_cache *cache, const struct bpf_map *map, uint64_t key);

/* Moves one from a cache that is to be freed. 0 (also where it is not there) or -ENOMEM. */
int stack_cache_move(struct stack_cache *to, struct stack_cache *from, uint64_t key);

void stack_cache_free(struct stack_cache *cache);

#endif
