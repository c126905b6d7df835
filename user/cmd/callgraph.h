/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How stacks are walked: options of all commands that have any. */
#ifndef SKEP_CMD_CALLGRAPH_H
#define SKEP_CMD_CALLGRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"
#include "util/opt.h"

struct unwind_guide;
struct unwinder_cfg;

enum call_graph {
	CALL_GRAPH_AUTO, /* by tables where available */
	CALL_GRAPH_FP,	 /* by frame pointers */
	CALL_GRAPH_EH,	 /* user stacks by the tables of .eh_frame */
	CALL_GRAPH_NONE, /* only where it happened */
};

struct walk_options {
	enum call_graph call_graph;
	uint64_t table_mb;   /* of unwinding tables in the kernel; 0: the default */
	uint64_t max_frames; /* of user stacks, of commands that have an option for it; 0: STACK_MAX_FRAMES */
};

/* --call-graph's value into a struct walk_options. 0 or -EINVAL. */
int walk_set_call_graph(void *walks, const char *text, struct err *err);

/* The group of options, and what is wrong with them: 0, or -errno with err filled. */
extern const struct opt walk_opts[];
int walk_check(const struct walk_options *walks, struct err *err);

/* Are user stacks to be walked by tables, if there is room for any? */
bool walk_by_tables(const struct walk_options *walks);

/* What a session needs to walk so, with the help of guide; NULL: by frame pointers. */
struct unwinder_cfg walk_cfg(const struct walk_options *walks, struct unwind_guide *guide);

#endif
