/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Records that were taken out of rings and wait until they are shown, in the order of time: they may come faster than they can be shown.
 * A record stays where it is until it is dropped, so that more can be taken meanwhile.
 */
#ifndef SKEP_CAPTURE_SPOOL_H
#define SKEP_CAPTURE_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/vec.h"

struct spool_chunk;

struct spool_place {
	uint64_t time_ns;
	const struct spool_head *record;
};

/* Zeroed before its first use, but for max_bytes. */
struct spool {
	uint64_t max_bytes; /* beyond it, it is full */
	VEC(struct spool_place) places; /* those before `first` are gone, those before `sorted` in the order of time */
	size_t first, sorted;
	struct spool_chunk *chunk, *free; /* that is being filled; a few that are empty */
	size_t nr_free;
	uint64_t bytes; /* of chunks in use */
	uint32_t taken; /* records so far */
};

/*
 * Room for a record of n bytes, at a multiple of 8: the caller fills it at once. Whether the spool is full is for the caller to check. NULL
 * without memory.
 */
void *spool_take(struct spool *s, uint64_t time_ns, size_t n);
bool spool_is_full(const struct spool *s);

/* After some were taken, before spool_first() and spool_drop(). Of one time those that were taken first come first. */
void spool_sort(struct spool *s);

/* The oldest, of n bytes, if it is not newer than until_ns; else NULL. Valid until it is dropped. */
const void *spool_first(const struct spool *s, uint64_t until_ns, size_t *ret_n);
void spool_drop(struct spool *s);

void spool_free(struct spool *s);

#endif
