/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's maps of bpf/lib/unwindmaps.bpf.h, filled: tables, mappings, and the ring of what walkers ask. */
#ifndef SKEP_CAPTURE_UNWINDSTORE_H
#define SKEP_CAPTURE_UNWINDSTORE_H

#include <stdbool.h>
#include <stdint.h>

#include "profile.h"
#include "unwinding.h"
#include "util/err.h"

struct bpf_map;
struct bpf_object;

/*
 * bytes: of rows and pages, at most; UNWIND_BYTES_MIN at least. rests_bytes: of the ring, a power of two. 0, or -errno with err filled.
 */
#define UNWIND_BYTES_DEFAULT (64ull << 20)
#define UNWIND_BYTES_MIN (2ull << 20)
#define UNWIND_BYTES_MAX (4ull << 30)
int unwindstore_new(uint64_t bytes, uint32_t rests_bytes, struct unwind_store **ret_store, struct err *err);
void unwindstore_free(struct unwind_store *store); /* NULL is nothing */

/* Before an object is loaded: it takes these maps for its own, or, of NULL, none. 0 or -errno. */
int unwindstore_lend(const struct unwind_store *store, struct bpf_object *obj);

/* Is this map of an object one that unwindstore_lend() stands for? */
bool unwindstore_has(const struct bpf_map *map);

/* The ring of struct unwind_rest. */
int unwindstore_rests_fd(const struct unwind_store *store);

struct unwindstore_use {
	uint64_t evicted_bytes; /* of rows that made way for others */
	uint64_t bytes, room_bytes; /* of rows and pages: kernel memory that they have, and may have */
	uint64_t maps, room_maps; /* mappings of processes */
	bool is_full;		/* of mappings: later processes cause a request each time */
	bool has_no_pages;	/* for later objects: stacks end at them */
};
struct unwindstore_use unwindstore_use(struct unwind_store *store);

/* Adds the kernel memory of its maps. */
void unwindstore_cost(struct unwind_store *store, struct receipt *receipt);

#endif
