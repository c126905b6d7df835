/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep trace -c and -C: calls, errors and times, summed in the kernel, beside lines or alone. */
#ifndef SKEP_CMD_TRACE_SUMS_H
#define SKEP_CMD_TRACE_SUMS_H

#include "capture/byrows.h"
#include "capture/source/callsby.h"
#include "capture/source/trace.h"
#include "cmd/run.h"
#include "cmd/trace_columns.h"

/* The options of trace_sum_opts. */
struct trace_sum_options {
	bool summary, with_summary;
	struct callsum_view columns;
	struct trace_sort sort;
};

extern const struct opt trace_sum_opts[];
extern const struct opt_rule trace_sum_rules[];

struct trace_sums_cfg {
	const struct trace_sum_options *options;
	const struct trace_cfg *source; /* which calls */
	const struct view_options *view;
};

/* Points into itself: not to be moved. */
struct trace_sums {
	const struct trace_sums_cfg *cfg;
	bool is_table; /* as strace -c has it; else rows of the schema */
	bool is_part;  /* calls are chosen by their result */
	uint64_t keys;
	struct byrows_schema schema;
	struct callsby_cfg calls;
	struct table table;
};

/* 0, or -errno with err filled; trace_sums_free() in either case. cfg is borrowed. */
int trace_sums_init(struct trace_sums *s, const struct trace_sums_cfg *cfg, struct err *err);
void trace_sums_free(struct trace_sums *s);

/* Rows of the source that s->calls is for: is it one of the chosen results? Adds it if it is: 0 or -ENOMEM. */
bool trace_sums_has(const struct trace_sums *s, const struct row *row);
int trace_sums_add(struct trace_sums *s, const struct row *row);

/* Prints what was added, to the run's output. Returns how many rows there are, -ENOMEM or -EIO. */
int trace_sums_print(struct trace_sums *s, const struct rows_format *format, struct run *run);

#endif
