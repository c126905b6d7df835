/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Samples of a file whose callers are not shown, summed before anything is looked up: those of one event, thread and address have one name
 * until the next task event. In: samples. Out: one for many, with their count, their weight, and the time of the last.
 */
#ifndef SKEP_SYM_LEAFSUMS_H
#define SKEP_SYM_LEAFSUMS_H

#include "sample.h"

struct leaf_sums;

/* NULL: no memory. */
struct leaf_sums *leaf_sums_new(void);
void leaf_sums_free(struct leaf_sums *sums); /* NULL is nothing */

/*
 * Adds a sample: 1. 0: it goes its own way, as it has more than its leaf, is the first of its event, whose time may be wanted, or comes where
 * hardly two samples were alike. -ENOSPC: there is no room until leaf_sums_take().
 */
int leaf_sums_add(struct leaf_sums *sums, const struct sample *s);

/* Calls each() for all sums, and forgets them. 0, or what each() returned if that is less than 0. */
int leaf_sums_take(struct leaf_sums *sums, int (*each)(void *arg, const struct sample *s), void *arg);

#endif
