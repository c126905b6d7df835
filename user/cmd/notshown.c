/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/notshown.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/log.h"
#include "util/text.h"

#define LISTED_MAX 3
#define NAME_MAX_BYTES 48

static struct not_shown_row *row_of(struct not_shown *n, const char *obj, const char *why, const char *hint)
{
	struct not_shown_row *row;
	char *text;

	if (asprintf(&text, "%s%s%s", why, hint ? "; " : "", hint ? hint : "") < 0)
		return NULL;
	for (size_t i = 0; i < n->rows.n; i++) {
		if (n->rows.data[i].obj != obj || strcmp(n->rows.data[i].why, text) != 0)
			continue;
		free(text);
		return &n->rows.data[i];
	}
	row = vec_take(&n->rows, 1);
	if (!row) {
		free(text);
		return NULL;
	}
	*row = (struct not_shown_row){ .obj = obj, .why = text };
	return row;
}

int not_shown_add(struct not_shown *n, const char *obj, const char *name, uint64_t count, const char *why, const char *hint)
{
	struct not_shown_row *row = row_of(n, obj, why, hint);

	if (!row)
		return -ENOMEM;
	row->count += count;
	if (row->nr_funcs++ >= LISTED_MAX)
		return 0;
	text_append(row->names, sizeof(row->names), strlen(row->names), "%s%.*s", row->nr_listed ? ", " : "", NAME_MAX_BYTES, name);
	row->nr_listed++;
	return 0;
}

void not_shown_print(const struct not_shown *n)
{
	for (size_t i = 0; i < n->rows.n; i++) {
		const struct not_shown_row *row = &n->rows.data[i];
		char more[32] = "";

		if (row->nr_funcs > row->nr_listed)
			snprintf(more, sizeof(more), " and %u more", row->nr_funcs - row->nr_listed);
		log_note("note: not shown: %s%s (%s, %llu samples): %s", row->names, more, row->obj, (unsigned long long)row->count, row->why);
	}
}

void not_shown_free(struct not_shown *n)
{
	for (size_t i = 0; i < n->rows.n; i++)
		free(n->rows.data[i].why);
	vec_free(&n->rows);
}
