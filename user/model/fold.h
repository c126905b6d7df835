/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* FOLD: named samples to a call tree, a table, or both: what every picture of stacks starts from. Pure. */
#ifndef SKEP_MODEL_FOLD_H
#define SKEP_MODEL_FOLD_H

#include "frame.h"
#include "model/report.h"
#include "model/slices.h"
#include "model/tree.h"
#include "profile.h"
#include "util/strpool.h"

/* What stands at the foot of every stack of the tree. */
enum fold_root { ROOT_COMM, ROOT_PID, ROOT_TID, ROOT_NONE };

/* Where samples go. The first three are the owner's, borrowed. */
struct fold_view {
	struct profile *profile;
	struct tree *tree;   /* NULL: not wanted */
	struct report *table; /* NULL: not wanted */
	struct slices *slices; /* of the tree, likewise borrowed; NULL: not wanted */
	uint64_t first_ns, last_ns, folded; /* folded: samples that were added */
};

struct fold {
	struct named_sink sink; /* first: the sink functions find the rest by it */
	/* Set by the owner; borrowed. */
	struct fold_view view; /* of all samples; and what the source lost is in its profile in any case */
	/* Where the samples of this event go; NULL as its result: nowhere. 0 or -errno. NULL: to view. */
	int (*choose)(void *arg, uint32_t event, struct fold_view **ret_view);
	void *choose_arg;
	/* Also gets what goes to a view. 0 or -errno. NULL: not called. */
	int (*also)(void *arg, const struct fold_view *view, const struct named *named);
	void *also_arg;
	enum fold_root root;
	uint32_t labels; /* above it stand these labels of a store: 1 << enum sample_label */
	/* Own. */
	struct strpool *pool; /* borrowed */
	struct frame down[2 * (STACK_FRAMES_MAX + 3) + LABEL_MAX]; /* outermost first, below what stands at the foot; then the waker */
};

/* Stacks of different roots are of different rows: by thread, process or command, as the keys of a table are. */
enum fold_root fold_root_of(const struct report_layout *l);

/* Fills the sink; pool: of the names of what will come. The fields above "Own" are the caller's to set after it. */
void fold_init(struct fold *f, struct strpool *pool);

#endif
