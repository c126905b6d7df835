/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Branch stacks instead of samples: perf's report -b. A sink before whoever shows what it delivers: in come named samples, out goes one
 * for each branch that the CPU recorded with them, worth 1, of the function that the branch led to.
 */
#ifndef SKEP_CMD_BRANCHES_H
#define SKEP_CMD_BRANCHES_H

#include "sym/names.h"

struct branches;

/* Puts it before names->to. named_only: only branches between functions that have names. NULL: no memory. */
struct branches *branches_insert(struct names *names, bool named_only);
void branches_free(struct branches *b); /* NULL is nothing */

/* How many samples there were, and of these without a branch. */
void branches_counts(const struct branches *b, uint64_t *ret_samples, uint64_t *ret_empty);

#endif
