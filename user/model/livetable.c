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

void live_table_free(struct live_table *t)
{
	vec_free(&t->shown.rows); /* copies: what they point to is the table's */
	report_free(&t->table);
}

int live_table_zero(struct live_table *t)
{
	struct report_request request = t->request;
	struct err err;

	live_table_free(t);
	return live_table_init(t, &request, &err);
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
	t->whole = whole;
	rows = vec_take(&t->shown.rows, n);
	if (n && !rows)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		rows[i] = t->table.rows.data[i];
		t->table.rows.data[i].now = 0;
	}
	report_sort(&t->shown);
	return 0;
}
