/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The table of a page whose rows have no stacks: rows of any schema. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/browser_parts.h"
#include "render/rows/rowlines.h"
#include "util/text.h"

void browser_row_keys(const struct browser *b, const struct table_line *l, char buf[BROWSER_KEYS_BYTES])
{
	const struct row *row = &b->page.rows->sorted.data[l->row];
	const char *label = row->label;
	char text[ROWS_CELL_BYTES];
	size_t n = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < row->schema->n; i++) {
		if (row->schema->columns[i].role != ROLE_KEY || !(b->page.rows_view->keys >> i & 1))
			continue;
		rows_key(text, sizeof(text), row, i, b->page.rows_view, false, &label);
		n = text_append(buf, BROWSER_KEYS_BYTES, n, "%s\t", text);
	}
}

int browser_row_lines(struct browser *b)
{
	char keys[BROWSER_KEYS_BYTES];
	int ret = 0;

	for (size_t i = 0; i < b->page.rows->sorted.n && !ret; i++) {
		struct table_line line = { (uint32_t)i, -1, 0 };

		b->nr_rows++;
		if (b->filter[0])
			browser_row_keys(b, &line, keys);
		if (!b->filter[0] || strcasestr(keys, b->filter))
			ret = browser_add_line(b, line);
	}
	return ret;
}

static void draw_line(int at, bool chosen, enum screen_style style, char *text)
{
	int column;

	text[strcspn(text, "\n")] = '\0';
	column = screen_text(at, 0, chosen ? SCREEN_SELECTED : style, " ");
	column = screen_text(at, column, chosen ? SCREEN_SELECTED : style, text);
	if (chosen)
		screen_fill(at, column, SCREEN_SELECTED);
}

void browser_draw_rows(const struct browser *b)
{
	const struct cursor *c = &b->cursors[VIEW_TABLE];
	const struct table *t = b->page.rows;
	struct row_lines fit;

	row_lines_fit(&fit, t, b->page.rows_view, b->page.rows_sort, screen_columns() - 2);
	for (size_t i = 0; i <= c->page; i++) {
		size_t line = c->top + i - 1, size;
		char *text = NULL;
		FILE *out;

		if (i && line >= b->lines.n)
			break;
		out = open_memstream(&text, &size);
		if (!out)
			return;
		if (i)
			row_lines_row(out, &t->sorted.data[b->lines.data[line].row], b->page.rows_view, &fit);
		else
			row_lines_title(out, t->schema, &fit);
		if (!fclose(out))
			draw_line(BROWSER_HEAD_ROWS + (int)i - 1, i && line == c->at, i ? SCREEN_PLAIN : SCREEN_BOLD, text);
		free(text);
	}
	browser_draw_none(b, b->page.nothing);
}
