/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* FOLD: the call trees before and after a change as one, with the weight of each node on both sides. Pure. */
#ifndef SKEP_MODEL_TREEPAIR_H
#define SKEP_MODEL_TREEPAIR_H

#include "model/tree.h"
#include "util/strpool.h"

struct tree_before {
	uint64_t self, total; /* weight in this frame; in it and its callees, of treepair_join() */
	uint64_t self_count, total_count; /* samples */
};

struct treepair {
	struct tree tree; /* what is after the change has its weights, what is only before has none */
	VEC(struct tree_before) before; /* of each node, by its number */
};

/*
 * Stacks whose frames have the same names, kinds and last parts of their objects' paths are one: two builds of a program lie in two folders, and their
 * functions at other addresses. A function that is inlined on one side only is the same one. pool is that of both trees' names, and gets more. The
 * trees are not changed.
 * 0 or -ENOMEM; treepair_free() in any case.
 */
int treepair_join(struct treepair *pair, const struct tree *before, const struct tree *after, struct strpool *pool);
void treepair_free(struct treepair *pair);

#endif
