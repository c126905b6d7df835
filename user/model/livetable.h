/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * FOLD: a table that goes on: what its rows have since the start, what they got since the last refresh and in the refreshes before, and
 * how their shares have changed since a moment that was marked. Pure.
 */
#ifndef SKEP_MODEL_LIVETABLE_H
#define SKEP_MODEL_LIVETABLE_H

#include "model/report.h"

#define LIVE_ROUNDS 60 /* of a row's history */
#define LIVE_SHARE_ONE 10000 /* a share of 100 % in it */

struct live_row {
	uint64_t marked; /* self at the mark */
	uint16_t shares[LIVE_ROUNDS]; /* by number of the refresh % LIVE_ROUNDS */
};

struct live_table {
	struct report table; /* samples are added to it */
	struct report shown; /* the rows as they were at the last refresh, in their order; valid until the next one */
	bool has_mark, by_change; /* by_change: rows with the greatest change since the mark first */
	/* Own. */
	struct report_request request;
	VEC(struct live_row) rows; /* beside those of table */
	uint64_t whole, whole_at_mark; /* at the last refresh */
	uint32_t rounds; /* how many there were */
};

/* What q points to is borrowed. As report_init(). */
int live_table_init(struct live_table *t, const struct report_request *q, struct err *err);
void live_table_free(struct live_table *t);

/* A refresh: whole is the weight of all samples so far. Fills shown. 0 or -ENOMEM. */
int live_table_round(struct live_table *t, uint64_t whole);

/* Puts shown in order again, after by_change has changed. */
void live_table_order(struct live_table *t);

/* Begins again with nothing. What there was, and is shown, goes to ret_was, which is freed before. 0 or -ENOMEM. */
int live_table_zero(struct live_table *t, struct live_table *ret_was);

/* Marks what there was at the last refresh. */
void live_table_mark(struct live_table *t);

/*
 * The shares that a row of shown had in the last `columns` spans of `per` refreshes, the oldest first: their means. Spans begin with
 * refreshes whose number is a multiple of per, so that all but the last stay as they are until a new one begins. columns * per: at most
 * LIVE_ROUNDS.
 */
void live_table_history(const struct live_table *t, const struct report_row *row, uint32_t per, uint32_t columns, uint16_t *ret_shares);

/* A row's share of what came since the mark less its share of what came before, from -1 to 1; 0 without a mark, or while nothing came. */
double live_table_change(const struct live_table *t, const struct report_row *row);

#endif
