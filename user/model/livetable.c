/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "model/livetable.h"

#include <errno.h>
#include <string.h>

int live_table_init(struct live_table *t, const struct report_request *q, struct err *err)
{
	*t = (struct live_table){ .request = *q };
	t->request.now = true;
	return report_init(&t->table, &t->request, err);
}

/* Its rows are copies: what they point to is the table's. */
static void free_shown(struct live_table *t)
{
	vec_free(&t->shown.rows);
	vec_free(&t->order);
}

void live_table_free(struct live_table *t)
{
	free_shown(t);
	vec_free(&t->rows);
	report_free(&t->table);
}

int live_table_zero(struct live_table *t)
{
	struct report_request request = t->request;
	struct err err;

	live_table_free(t);
	return live_table_init(t, &request, &err);
}

/* Also of rows that got nothing. */
static int keep_history(struct live_table *t, uint64_t whole_now)
{
	struct live_row *fresh;
	size_t nr_fresh = t->table.rows.n - t->rows.n;

	if (nr_fresh) {
		fresh = vec_take(&t->rows, nr_fresh);
		if (!fresh)
			return -ENOMEM;
		memset(fresh, 0, nr_fresh * sizeof(*fresh));
	}
	for (size_t i = 0; i < t->table.rows.n; i++) {
		struct report_row *r = &t->table.rows.data[i];
		struct live_row *l = &t->rows.data[i];

		r->now = r->self - l->self;
		l->self = r->self;
		l->shares[t->rounds % LIVE_ROUNDS] = whole_now ? (uint16_t)((double)r->now / whole_now * LIVE_SHARE_ONE) : 0;
	}
	return 0;
}

/* A row's `mark` is free between two samples of a table: in the copy it says which row it is of. */
static int copy_rows(struct live_table *t)
{
	size_t n = t->table.rows.n;
	struct report_row *rows;
	uint32_t *order;

	free_shown(t);
	t->shown = t->table;
	t->shown.index = NULL;
	memset(&t->shown.rows, 0, sizeof(t->shown.rows));
	rows = vec_take(&t->shown.rows, n);
	order = vec_take(&t->order, n);
	if (n && (!rows || !order))
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		rows[i] = t->table.rows.data[i];
		rows[i].mark = i;
	}
	report_sort(&t->shown);
	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)rows[i].mark;
	return 0;
}

int live_table_round(struct live_table *t, uint64_t whole)
{
	uint64_t whole_now = whole - t->whole;
	int ret = keep_history(t, whole_now);

	if (!ret)
		ret = copy_rows(t);
	t->shown.whole = whole;
	t->shown.whole_now = whole_now;
	t->whole = whole;
	t->rounds++;
	return ret;
}

uint16_t live_table_share(const struct live_table *t, size_t i, uint32_t ago)
{
	return ago < t->rounds ? t->rows.data[t->order.data[i]].shares[(t->rounds - 1 - ago) % LIVE_ROUNDS] : 0;
}
