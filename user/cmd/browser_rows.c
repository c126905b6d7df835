/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The table of a page whose rows have no stacks: rows of any schema. */
#include <stdlib.h>
#include <string.h>

#include "cmd/browser_parts.h"
#include "render/rows/rowlines.h"
#include "util/text.h"

#define FIT_ROWS 1000 /* columns are as wide as these need */
#define LEFT_OUT_BYTES 256

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

/* row NULL: the titles. */
static void draw_line(const struct browser *b, int at, const struct row *row, const struct row_lines *fit, bool chosen)
{
	enum screen_style style = chosen ? SCREEN_SELECTED : row ? SCREEN_PLAIN : SCREEN_BOLD;
	struct rendered line;

	if (!rendered_begin(&line))
		return;
	if (row)
		row_lines_row(line.out, row, b->page.rows_view, fit);
	else
		row_lines_head(line.out, b->page.rows->schema, fit);
	if (rendered_end(&line)) {
		int column = screen_text(at, screen_text(at, 0, style, " "), style, line.text);

		if (chosen)
			screen_fill(at, column, style);
	}
	free(line.text);
}

static void draw_left_out(const struct browser *b, const struct row_lines *fit)
{
	const struct schema *schema = b->page.rows->schema;
	char text[LEFT_OUT_BYTES];
	size_t n = 0;

	for (size_t i = 0; i < schema->n; i++)
		if (fit->left_out >> i & 1 && *row_lines_heading(&schema->columns[i]))
			n = text_append(text, sizeof(text), n, "%s%s", n ? ", " : " no room for ", row_lines_heading(&schema->columns[i]));
	if (n)
		browser_draw_beside_head(b, text);
}

void browser_draw_rows(const struct browser *b)
{
	const struct cursor *c = &b->cursors[VIEW_TABLE];
	const struct table *t = b->page.rows;
	struct row_lines fit;

	row_lines_fit(&fit, t, FIT_ROWS, b->page.rows_view, screen_columns() - 2);
	draw_line(b, BROWSER_HEAD_ROWS - 1, NULL, &fit, false);
	draw_left_out(b, &fit);
	for (size_t i = 0; i < c->page && c->top + i < b->lines.n; i++)
		draw_line(b, BROWSER_HEAD_ROWS + (int)i, &t->sorted.data[b->lines.data[c->top + i].row], &fit, c->top + i == c->at);
	browser_draw_none(b, b->page.nothing);
}
