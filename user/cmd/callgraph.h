/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How stacks are walked: the option --call-graph of all commands that have one. */
#ifndef SKEP_CMD_CALLGRAPH_H
#define SKEP_CMD_CALLGRAPH_H

#include "util/err.h"

enum call_graph {
	CALL_GRAPH_AUTO, /* by tables where that is to be had */
	CALL_GRAPH_FP,	 /* by frame pointers */
	CALL_GRAPH_EH,	 /* user stacks by the tables of .eh_frame */
	CALL_GRAPH_NONE, /* only where it happened */
};

#define CALL_GRAPH_WORDS "auto|eh|fp|none"

/* perf's words for them, too. 0, or -EINVAL with err filled. */
int call_graph_parse(const char *text, enum call_graph *ret_mode, struct err *err);

#endif
