/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* FOLD: a table that goes on: what its rows have since the start, and what they got since the last refresh. Pure. */
#ifndef SKEP_MODEL_LIVETABLE_H
#define SKEP_MODEL_LIVETABLE_H

#include "model/report.h"

struct live_table {
	struct report table; /* samples are added to it */
	struct report shown; /* the rows as they were at the last refresh, in their order; valid until the next one */
	/* Own. */
	struct report_request request;
	uint64_t whole; /* at the last refresh */
};

/* What q points to is borrowed. As report_init(). */
int live_table_init(struct live_table *t, const struct report_request *q, struct err *err);
void live_table_free(struct live_table *t);

/* A refresh: whole is the weight of all samples so far. Fills shown. 0 or -ENOMEM. */
int live_table_round(struct live_table *t, uint64_t whole);

/* Begins again with nothing. 0 or -ENOMEM. */
int live_table_zero(struct live_table *t);

#endif
