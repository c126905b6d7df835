/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is folded also goes to a profile in pprof's format (pprof/pprof.h), one for each view. */
#ifndef SKEP_CMD_PPROFOUT_H
#define SKEP_CMD_PPROFOUT_H

#include <stdio.h>

#include "cmd/live.h"
#include "pprof/pprof.h"
#include "util/vec.h"

struct pprof_view {
	const struct fold_view *view;
	struct pprof_writer *writer;
};

/* A zeroed one is not begun. */
struct pprof_out {
	struct picture *pic; /* borrowed */
	/*
	 * The owner's, after pprof_out_begin(): the labels of a sample, at most PPROF_LABELS_MAX; returns how many, or -ENOMEM. NULL: by what
	 * stands at the foot of stacks, comm and pid; also tid; or none.
	 */
	int (*label)(void *arg, const struct named *named, struct pprof_label *ret_labels);
	void *label_arg;
	VEC(struct pprof_view) views;
	/* Who was called before: what is added goes there, too. */
	int (*also)(void *arg, const struct fold_view *view, const struct named *named);
	void *also_arg;
};

/* From now on all that pic folds is added. */
void pprof_out_begin(struct pprof_out *o, struct picture *pic);
void pprof_out_free(struct pprof_out *o);

/* One sample, to one (pprof_out) that did not begin but has its pic and label. 0 or -ENOMEM. */
int pprof_out_add(void *pprof_out, const struct fold_view *view, const struct named *named);

/* A view begins again with nothing. */
void pprof_out_forget(struct pprof_out *o, const struct fold_view *view);

/* How many distinct stacks went to a view. */
size_t pprof_out_stacks(const struct pprof_out *o, const struct fold_view *view);

/* What went to a view, as p describes it. time_ns: when it began, CLOCK_REALTIME; 0: not known. 0 or -errno. */
int pprof_out_write(struct pprof_out *o, const struct fold_view *view, const struct profile *p, uint64_t time_ns, FILE *out);

#endif
