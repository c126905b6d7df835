/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Pages by number, each with a copy of its rows. */
#include "capture/source/rowstore.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/vec.h"

#define PAGES_MAX (1u << 20) /* 4 GB of code */

struct page {
	uint32_t *rows;
	uint32_t nr;
	bool is_there;
};

struct rowstore {
	struct unwind_store store; /* first: a pointer to it is one to us */
	VEC(struct page) pages;
};

static int put_rules(struct unwind_store *store, const struct unwind_rule *rules, uint32_t n)
{
	(void)store, (void)rules, (void)n;
	return 0;
}

static int make_pages(struct unwind_store *store, uint32_t nr, uint32_t *ret_page)
{
	struct rowstore *s = (struct rowstore *)store;
	uint32_t first = (uint32_t)s->pages.n;
	struct page *pages;

	if (nr > PAGES_MAX - s->pages.n)
		return -ENOSPC;
	pages = vec_take(&s->pages, nr);
	if (!pages)
		return -ENOMEM;
	memset(pages, 0, nr * sizeof(*pages));
	*ret_page = first;
	return 0;
}

static int put_rows(struct unwind_store *store, uint32_t page, const struct unwind_page *pages, uint32_t nr, const uint32_t *rows)
{
	struct rowstore *s = (struct rowstore *)store;

	for (uint32_t i = 0; i < nr && page + i < s->pages.n; i++) {
		struct page *p = &s->pages.data[page + i];

		if (p->is_there)
			continue;
		p->rows = pages[i].nr ? malloc(pages[i].nr * sizeof(*rows)) : NULL;
		if (pages[i].nr && !p->rows)
			return -ENOMEM;
		if (pages[i].nr)
			memcpy(p->rows, rows + pages[i].row, pages[i].nr * sizeof(*rows));
		p->nr = pages[i].nr;
		p->is_there = true;
	}
	return 0;
}

static int find_rows(struct unwind_store *store, uint32_t page, const uint32_t **ret_rows, uint32_t *ret_nr)
{
	const struct rowstore *s = (const struct rowstore *)store;

	if (page >= s->pages.n || !s->pages.data[page].is_there)
		return -ENOENT;
	*ret_rows = s->pages.data[page].rows;
	*ret_nr = s->pages.data[page].nr;
	return 0;
}

static int put_space(struct unwind_store *store, const struct unwind_space_key *key, const struct unwind_map *maps, uint32_t n)
{
	(void)store, (void)key, (void)maps, (void)n;
	return 0;
}

static void forget_space(struct unwind_store *store, const struct unwind_space_key *key)
{
	(void)store, (void)key;
}

struct unwind_store *rowstore_new(void)
{
	struct rowstore *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->store = (struct unwind_store){ .rules = put_rules, .pages = make_pages, .rows = put_rows, .find = find_rows, .space = put_space,
					  .forget = forget_space };
	return &s->store;
}

void rowstore_free(struct unwind_store *store)
{
	struct rowstore *s = (struct rowstore *)store;

	if (!s)
		return;
	for (size_t i = 0; i < s->pages.n; i++)
		free(s->pages.data[i].rows);
	vec_free(&s->pages);
	free(s);
}
