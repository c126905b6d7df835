/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A run of skep trace that prints lines, and what the command line has said of it. */
#ifndef SKEP_CMD_TRACE_RUN_H
#define SKEP_CMD_TRACE_RUN_H

#include "calls/calls.h"
#include "capture/source/trace.h"
#include "cmd/callgraph.h"
#include "cmd/honesty.h"
#include "cmd/run.h"
#include "cmd/trace_events.h"
#include "cmd/trace_strace.h"
#include "cmd/trace_sums.h"
#include "render/events/call.h"
#include "target.h"

struct trace_options {
	struct trace_cfg source;
	struct trace_events events;
	struct call_style style;
	struct call_lines lines;
	struct target target;
	struct view_options view;
	struct honesty h;
	struct walk_options walks;
	uint64_t max_stack;
	uint64_t text, column, ring_kb, min_ns, hex, files;
	struct trace_sum_options sums;
	struct trace_strace strace;
	const char *record, *input; /* files; NULL: none */
	bool has_text, has_column, ok, failed, has_events, stacks;
};

/* sums: of -C, filled and printed after the last line; else NULL. *ret_status: COMMAND's. 0 or -errno. */
int trace_run(struct trace_options *o, struct trace_sums *sums, int *ret_status, struct err *err);

#endif
