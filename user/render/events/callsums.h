/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SHOW: sums of system calls as strace -c writes them. */
#ifndef SKEP_RENDER_EVENTS_CALLSUMS_H
#define SKEP_RENDER_EVENTS_CALLSUMS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "row.h"

enum callsum_column {
	CALLSUM_PERCENT, CALLSUM_TOTAL, CALLSUM_MEAN, CALLSUM_CALLS, CALLSUM_ERRORS, CALLSUM_NAME, CALLSUM_MAX, CALLSUM_P50, CALLSUM_P99,
	CALLSUM_MIN, CALLSUM_COLUMNS
};

struct callsum {
	const char *name;
	uint64_t calls, errors, total_ns, max_ns, min_ns; /* min_ns UINT64_MAX: none has a time */
	uint64_t slots[HIST_SLOTS]; /* of times, powers of two */
};

/* Which columns, in which order; nr 0: strace's. */
struct callsum_view {
	uint8_t columns[CALLSUM_COLUMNS]; /* enum callsum_column */
	size_t nr;
};

/* Rows in their order, and their sum. Errors stay in the stream (ferror). */
void callsums_print(FILE *out, const struct callsum *sums, size_t n, const struct callsum_view *view);

/* A number of a column that has one; of CALLSUM_PERCENT that of CALLSUM_TOTAL. */
double callsum_number(const struct callsum *s, enum callsum_column column);

#endif
