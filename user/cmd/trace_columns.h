/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The columns of the table of skep trace -c: strace's words of -U and -S. */
#ifndef SKEP_CMD_TRACE_COLUMNS_H
#define SKEP_CMD_TRACE_COLUMNS_H

#include "render/events/callsums.h"
#include "util/err.h"

/* What the table is sorted by. */
enum trace_order {
	TRACE_BY_COLUMN,
	TRACE_BY_NUMBER, /* of the calls */
};

struct trace_sort {
	uint8_t order;	/* enum trace_order */
	uint8_t column; /* enum callsum_column; CALLSUM_PERCENT, the first, is by time */
};

/* -U: "calls,p99-time,name". The name is added at the end if it is missing. 0, or -EINVAL with err filled. */
int trace_columns(const char *text, struct callsum_view *ret_view, struct err *err);

/* -S. 0, or -EINVAL with err filled. */
int trace_sort(const char *text, struct trace_sort *ret_sort, struct err *err);

/* The largest number first; names, and calls with the same number, in the order of the alphabet; or by the numbers of the calls. */
void trace_sort_sums(struct callsum *sums, size_t n, const struct trace_sort *sort);

#endif
