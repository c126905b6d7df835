/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep trace -c: calls, errors and times, summed in the kernel. */
#ifndef SKEP_CMD_TRACE_SUMMARY_H
#define SKEP_CMD_TRACE_SUMMARY_H

#include "capture/source/trace.h"
#include "cmd/run.h"

struct trace_summary {
	const struct trace_cfg *source; /* which calls */
	const struct target *target;
	const struct view_options *view;
	const struct honesty *h;
	const char *sort; /* -S; NULL: time */
};

/* 0, or -errno with err filled; *ret_status: the exit code. */
int trace_summary_run(const struct trace_summary *o, int *ret_status, struct err *err);

#endif
