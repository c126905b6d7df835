/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From the maps `stacks` and `counts` (bpf/sample.h) to samples. */
#ifndef SKEP_CAPTURE_SOURCE_SUMS_H
#define SKEP_CAPTURE_SOURCE_SUMS_H

#include <stdbool.h>

#include "bpf/sample.h"
#include "sample.h"

struct bpf_map;
struct sums; /* what has been taken of the two so far */

/* The maps are borrowed. NULL: no memory. */
struct sums *sums_new(struct bpf_map *stacks, struct bpf_map *counts);
void sums_free(struct sums *sums); /* NULL is nothing */

/*
 * Calls each() for every entry of counts that has grown since the last call, with frames, time, and the count and weight that it has grown
 * by; who it was is filled from the key. The programs may run meanwhile: what comes then is taken by this call or the next one.
 * Returns 0, -errno, or what each() returned if that is not 0.
 */
int sums_take(struct sums *sums, int (*each)(void *arg, struct sample *s, struct sample_key *key), void *arg);

/* Entries of counts, as of the last call of sums_take(). */
size_t sums_used(const struct sums *sums);

/* Are the hashes so full that they should be emptied, as far as the last sums_take() has seen? */
bool sums_are_full(const struct sums *sums);

/* Takes the rest and empties the hashes, while no program writes to them. As sums_take(). */
int sums_empty(struct sums *sums, int (*each)(void *arg, struct sample *s, struct sample_key *key), void *arg);

#endif
