/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "model/livetable.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int live_table_init(struct live_table *t, const struct report_request *q, struct err *err)
{
	*t = (struct live_table){ .request = *q };
	t->request.now = true;
	return report_init(&t->table, &t->request, err);
}

void live_table_free(struct live_table *t)
{
	vec_free(&t->shown.rows); /* copies: what they point to is the table's */
	vec_free(&t->rows);
	report_free(&t->table);
}

int live_table_zero(struct live_table *t, struct live_table *ret_was)
{
	struct report_request request = t->request;
	struct err err;

	live_table_free(ret_was);
	*ret_was = *t;
	return live_table_init(t, &request, &err);
}

void live_table_mark(struct live_table *t)
{
	for (size_t i = 0; i < t->rows.n; i++)
		t->rows.data[i].marked = t->table.rows.data[i].self - t->table.rows.data[i].now;
	t->whole_at_mark = t->whole;
	t->has_mark = true;
}

static double part(uint64_t of, uint64_t whole)
{
	return whole ? (double)of / (double)whole : 0;
}

/* A row's `mark` is free between two samples of a table: in the copy it says which row it is of. */
static const struct live_row *live_of(const struct live_table *t, const struct report_row *row)
{
	return &t->rows.data[row->mark];
}

void live_table_history(const struct live_table *t, const struct report_row *row, uint32_t per, uint32_t columns, uint16_t *ret_shares)
{
	const uint16_t *shares = live_of(t, row)->shares;
	uint32_t spans = (t->rounds + per - 1) / per; /* that have begun */

	for (uint32_t i = 0; i < columns; i++) {
		uint32_t back = columns - i, sum = 0, at, end;

		ret_shares[i] = 0;
		if (back > spans)
			continue;
		at = (spans - back) * per;
		end = at + per < t->rounds ? at + per : t->rounds;
		for (uint32_t round = at; round < end; round++)
			sum += shares[round % LIVE_ROUNDS];
		ret_shares[i] = (uint16_t)(sum / (end - at));
	}
}

double live_table_change(const struct live_table *t, const struct report_row *row)
{
	uint64_t marked = live_of(t, row)->marked;

	return t->has_mark && t->whole != t->whole_at_mark ? part(row->self - marked, t->whole - t->whole_at_mark) - part(marked, t->whole_at_mark) : 0;
}

static int change_cmp(const void *a, const void *b, void *arg)
{
	double x = fabs(live_table_change(arg, a)), y = fabs(live_table_change(arg, b));

	return x > y ? -1 : x < y;
}

/* Also of rows that got nothing. */
static int keep_history(struct live_table *t, uint64_t whole_now)
{
	size_t nr_new = t->table.rows.n - t->rows.n;
	struct live_row *fresh;

	if (nr_new) {
		fresh = vec_take(&t->rows, nr_new);
		if (!fresh)
			return -ENOMEM;
		memset(fresh, 0, nr_new * sizeof(*fresh));
	}
	for (size_t i = 0; i < t->table.rows.n; i++)
		t->rows.data[i].shares[t->rounds % LIVE_ROUNDS] = (uint16_t)(part(t->table.rows.data[i].now, whole_now) * LIVE_SHARE_ONE);
	return 0;
}

void live_table_order(struct live_table *t)
{
	report_sort(&t->shown);
	if (t->by_change && t->has_mark)
		qsort_r(t->shown.rows.data, t->shown.rows.n, sizeof(*t->shown.rows.data), change_cmp, t);
}

int live_table_round(struct live_table *t, uint64_t whole)
{
	size_t n = t->table.rows.n;
	struct report_row *rows;

	vec_free(&t->shown.rows);
	t->shown = t->table;
	t->shown.index = NULL;
	memset(&t->shown.rows, 0, sizeof(t->shown.rows));
	t->shown.whole = whole;
	t->shown.whole_now = whole - t->whole;
	if (keep_history(t, whole - t->whole))
		return -ENOMEM;
	t->whole = whole;
	t->rounds++;
	rows = vec_take(&t->shown.rows, n);
	if (n && !rows)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		rows[i] = t->table.rows.data[i];
		rows[i].mark = i;
		t->table.rows.data[i].now = 0;
	}
	live_table_order(t);
	return 0;
}
