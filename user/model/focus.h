/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* FOLD: of a call tree what goes through one function: who calls it, and what it calls. Pure. */
#ifndef SKEP_MODEL_FOCUS_H
#define SKEP_MODEL_FOCUS_H

#include "model/tree.h"

/* Which nodes are the function. Both may be NULL: any. */
struct focus_match {
	bool (*is_root)(const void *arg, const char *name); /* of what stands at the foot */
	bool (*is_node)(const void *arg, const struct tree_node *node); /* NULL: what stands at the foot is the function */
	const void *arg;
};

struct focus {
	struct tree callers; /* below its root who calls the function, then who calls that */
	struct tree callees; /* below its root what the function calls, then what that calls */
	uint64_t self, total; /* of the function, in it and below it; one that calls itself counts once */
	uint64_t self_count, total_count;
};

/*
 * has_foot: stacks have a mark at their foot (ROOT_COMM and the like), which is no caller. After tree_end(); the trees of ret_focus are,
 * too: heaviest first. 0 or -ENOMEM; focus_free() in either case.
 */
int focus_make(const struct tree *tree, bool has_foot, const struct focus_match *match, struct focus *ret_focus);
void focus_free(struct focus *f);

#endif
