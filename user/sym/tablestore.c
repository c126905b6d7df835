/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* In come pages and rows of objects, as the guide compiles them; out go those of a page. Rows are never replaced. */
#include "sym/tablestore.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "util/vec.h"

#define ROWS_MAX (16u << 20)
#define PAGES_MAX (4u << 20) /* of 16 GB of text */

struct tables {
	struct unwind_store store; /* first: a pointer to it is one to us */
	VEC(struct unwind_page) pages;
	VEC(uint32_t) rows;
};

/* The guide has the rules itself. */
static int put_rules(struct unwind_store *store, const struct unwind_rule *rules, uint32_t n)
{
	(void)store;
	(void)rules;
	(void)n;
	return 0;
}

static int make_pages(struct unwind_store *store, uint32_t nr, uint32_t *ret_page)
{
	struct tables *t = (struct tables *)store;
	size_t first = t->pages.n;
	struct unwind_page *pages;

	if (nr > PAGES_MAX - first)
		return -ENOSPC;
	pages = vec_take(&t->pages, nr);
	if (!pages)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++)
		pages[i] = (struct unwind_page){ .nr = UNWIND_PAGE_ASK };
	*ret_page = (uint32_t)first;
	return 0;
}

static int put_rows(struct unwind_store *store, uint32_t page, const struct unwind_page *pages, uint32_t nr, const uint32_t *rows)
{
	struct tables *t = (struct tables *)store;
	size_t first = t->rows.n;
	uint32_t n = 0, *kept;

	for (uint32_t i = 0; i < nr; i++)
		if (pages[i].nr && pages[i].row + pages[i].nr > n)
			n = pages[i].row + pages[i].nr;
	if (n > ROWS_MAX - first || page > t->pages.n || nr > t->pages.n - page)
		return -ENOSPC;
	kept = n ? vec_take(&t->rows, n) : NULL;
	if (n && !kept)
		return -ENOMEM;
	if (n)
		memcpy(kept, rows, n * sizeof(*rows));
	for (uint32_t i = 0; i < nr; i++)
		t->pages.data[page + i] = (struct unwind_page){ (uint32_t)first + pages[i].row, pages[i].nr };
	return 0;
}

static int find_rows(struct unwind_store *store, uint32_t page, const uint32_t **ret_rows, uint32_t *ret_nr)
{
	const struct tables *t = (const struct tables *)store;
	const struct unwind_page *p = page < t->pages.n ? &t->pages.data[page] : NULL;

	if (!p || p->nr == UNWIND_PAGE_ASK)
		return -ENOENT;
	*ret_rows = p->nr ? t->rows.data + p->row : NULL;
	*ret_nr = p->nr;
	return 0;
}

struct unwind_store *tablestore_new(void)
{
	struct tables *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->store = (struct unwind_store){ .rules = put_rules, .pages = make_pages, .rows = put_rows, .find = find_rows };
	return &t->store;
}

void tablestore_free(struct unwind_store *store)
{
	struct tables *t = (struct tables *)store;

	if (!t)
		return;
	vec_free(&t->pages);
	vec_free(&t->rows);
	free(t);
}
