/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Samples that were delivered, summed, to be delivered again: under other keys, or to another view. */
#ifndef SKEP_CAPTURE_SOURCE_KEPT_H
#define SKEP_CAPTURE_SOURCE_KEPT_H

#include "bpf/sample.h"
#include "sample.h"

struct kept;

/* NULL: no memory. */
struct kept *kept_new(void);
void kept_free(struct kept *kept); /* NULL is nothing */

/*
 * Adds count and weight of s to what is kept of who (its stacks are those of s, as they came from the kernel), of which comm is
 * NUL-terminated. At most 65536 sums and 32 MB of frames: then new ones are added to one sum for each event, [other], without stacks.
 * 0 or -ENOMEM.
 */
int kept_add(struct kept *kept, const struct sample *s, const struct sample_key *who);

/* Calls each() for all that is kept, as sums_take(). Returns 0, or what each() returned if that is not 0. */
int kept_each(const struct kept *kept, int (*each)(void *arg, struct sample *s, struct sample_key *key), void *arg);

/* Forgets all of it. */
void kept_clear(struct kept *kept);

#endif
