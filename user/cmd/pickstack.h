/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is shown of each sample's stack: perf's -p -x --max-stack --ignore-callees. A sink between NAMES and whoever shows what it delivers,
 * used as cmd/pick.h is.
 */
#ifndef SKEP_CMD_PICKSTACK_H
#define SKEP_CMD_PICKSTACK_H

#include "cmd/pick.h"
#include "util/err.h"
#include "util/opt.h"

struct pickstack_options {
	const char *parent;	    /* an extended regular expression; NULL: perf's, if want_parent */
	const char *ignore_callees; /* likewise, or NULL */
	uint64_t frames_max;	    /* 0: all */
	bool from_root;		    /* as perf does it with callers first: the outermost N frames and the leaf; the outermost parent */
	bool parents_only;	    /* leave out samples without a parent */
	bool want_parent;	    /* the parent is a key */
};

extern const struct opt pickstack_opts[];

struct pickstack;

/* *ret_p is NULL if nothing is to be done. 0, or -errno with err filled; o must outlive it. */
int pickstack_new(const struct pickstack_options *o, struct pickstack **ret_p, struct err *err);
void pickstack_free(struct pickstack *p); /* NULL is nothing */

/* The samples without a parent: they count where percentages are of all. */
struct pick_out pickstack_out(const struct pickstack *p, uint32_t event);

/* Puts it before names->to. */
void pickstack_insert(struct pickstack *p, struct names *names);

#endif
