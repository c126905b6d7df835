/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rows in pages. A page that has any begins with the rule that is in force there, so that no other page is ever looked at. */
#include "unwind/ehtable.h"

#include <errno.h>
#include <stdlib.h>

#define ROWS_MAX (1u << 26) /* 80 times those of libLLVM */
#define FIRST_ROWS 4096u

int eh_rows_begin(struct eh_rows *rows, struct unwind_table *table, uint64_t from, uint64_t to)
{
	uint64_t first = from & ~(uint64_t)(UNWIND_PAGE_BYTES - 1);

	if (to - first > EH_SPAN_MAX_BYTES)
		return -E2BIG;
	*rows = (struct eh_rows){ .table = table, .rule = UNWIND_CFA_NONE };
	table->vaddr = first;
	table->nr_pages = (uint32_t)((to - first + UNWIND_PAGE_BYTES - 1) >> UNWIND_PAGE_SHIFT);
	/* One more, to end the last. */
	table->pages = calloc(table->nr_pages + 1, sizeof(*table->pages));
	return table->pages ? 0 : -ENOMEM;
}

static int append(struct eh_rows *rows, uint32_t low, uint32_t rule)
{
	struct unwind_table *t = rows->table;

	if (t->nr_rows == rows->cap) {
		uint32_t cap = rows->cap ? rows->cap * 2 : FIRST_ROWS;
		uint32_t *p;

		if (cap > ROWS_MAX)
			return -E2BIG;
		p = realloc(t->rows, cap * sizeof(*p));
		if (!p)
			return -ENOMEM;
		t->rows = p;
		rows->cap = cap;
	}
	t->rows[t->nr_rows++] = rule << UNWIND_ROW_SHIFT | low;
	return 0;
}

/* Goes on to a page, and through those before it in which nothing changes. */
static int go_to(struct eh_rows *rows, uint64_t page)
{
	int ret = 0;

	while (!ret && rows->page < page) {
		rows->table->pages[rows->page].nr = rows->table->nr_rows - rows->table->pages[rows->page].row;
		rows->page++;
		rows->table->pages[rows->page].row = rows->table->nr_rows;
		if (rows->page < page && rows->rule != UNWIND_CFA_NONE)
			ret = append(rows, 0, rows->rule);
	}
	return ret;
}

int eh_rows_put(struct eh_rows *rows, uint64_t vaddr, uint32_t rule)
{
	struct unwind_table *t = rows->table;
	uint64_t off = vaddr - t->vaddr;
	uint32_t low = (uint32_t)off & (UNWIND_PAGE_BYTES - 1);
	int ret = 0;

	if (rule == rows->rule)
		return 0;
	if (off >> UNWIND_PAGE_SHIFT != rows->page)
		ret = go_to(rows, off >> UNWIND_PAGE_SHIFT);
	if (!ret && low && t->pages[rows->page].row == t->nr_rows)
		ret = append(rows, 0, rows->rule);
	if (!ret)
		ret = append(rows, low, rule);
	rows->rule = rule;
	return ret;
}

int eh_rows_end(struct eh_rows *rows, uint64_t to)
{
	struct unwind_table *t = rows->table;
	uint32_t *p;
	int ret = 0;

	if ((to - t->vaddr) % UNWIND_PAGE_BYTES)
		ret = eh_rows_put(rows, to, UNWIND_CFA_NONE);
	if (!ret)
		ret = go_to(rows, t->nr_pages);
	if (ret)
		return ret;
	p = realloc(t->rows, (t->nr_rows ? t->nr_rows : 1) * sizeof(*p));
	if (p)
		t->rows = p;
	return 0;
}

void unwind_table_free(struct unwind_table *table)
{
	free(table->pages);
	free(table->rows);
	*table = (struct unwind_table){ 0 };
}

uint32_t unwind_rows_find(const uint32_t *rows, uint32_t nr, uint32_t low)
{
	uint32_t at = 0;

	if (!nr)
		return UNWIND_CFA_NONE;
	/* The last row that begins at low or before: the first one does. */
	for (uint32_t end = nr; end - at > 1;) {
		uint32_t mid = at + (end - at) / 2;

		if ((rows[mid] & UNWIND_ROW_LOW) <= low)
			at = mid;
		else
			end = mid;
	}
	return rows[at] >> UNWIND_ROW_SHIFT;
}

uint32_t unwind_table_find(const struct unwind_table *table, uint64_t vaddr)
{
	uint64_t off = vaddr - table->vaddr;
	const struct unwind_page *page;

	if (vaddr < table->vaddr || off >> UNWIND_PAGE_SHIFT >= table->nr_pages)
		return UNWIND_CFA_NONE;
	page = &table->pages[off >> UNWIND_PAGE_SHIFT];
	return unwind_rows_find(table->rows + page->row, page->nr, (uint32_t)off & (UNWIND_PAGE_BYTES - 1));
}
