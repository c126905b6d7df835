/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of skep trace. */
#ifndef SKEP_CMD_TRACE_OPTIONS_H
#define SKEP_CMD_TRACE_OPTIONS_H

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

/* The cfg of trace_groups. */
struct trace_options {
	struct trace_cfg source;
	struct trace_events events;
	struct call_style style;
	struct call_lines lines;
	struct target target;
	struct view_options view;
	struct honesty h;
	struct walk_options walks;
	uint64_t max_stack; /* frames; 0: all */
	uint64_t text, column, ring_kb, min_ns; /* text: bytes */
	uint64_t hex, files; /* how often -x and -y were given */
	struct trace_sum_options sums;
	struct trace_strace strace;
	const char *record, *input; /* files; NULL: none */
	bool has_text, has_column, ok, failed, has_events, stacks;
};

extern const struct opt_group trace_groups[];

/* After the options: fills what they leave to defaults, and what follows from others of them. source.plan is not theirs. */
void trace_options_complete(struct trace_options *o);

#endif
