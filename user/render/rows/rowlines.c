/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "render/rows/rowlines.h"

#include <string.h>

#include "util/text.h"

#define GAP_WIDTH 2
#define KEY_MIN 8 /* a narrower key says nothing */
#define FIT_ROWS 1000 /* columns are as wide as these need */

static bool is_left(const struct column *c)
{
	return c->role == ROLE_KEY || c->kind == VALUE_TEXT;
}

static const char *heading(const struct column *c)
{
	return c->heading ? c->heading : c->name;
}

/* Escaped. Returns its width in characters. */
static int cell(char *buf, size_t size, const struct row *row, size_t i, const struct rows_view *view, const char **label)
{
	char text[ROWS_CELL_BYTES];

	if (row->schema->columns[i].role == ROLE_KEY)
		rows_key(text, sizeof(text), row, i, view, false, label);
	else
		rows_cell(text, sizeof(text), row, i, view, false);
	text_escape(buf, size, text);
	return (int)text_width(buf);
}

static int line_width(const struct row_lines *l)
{
	int n = l->n ? -GAP_WIDTH : 0;

	for (size_t k = 0; k < l->n; k++)
		n += l->widths[k] + GAP_WIDTH;
	return n;
}

/* The widest key that can give something away, or -1. */
static int key_to_give(const struct row_lines *l, const struct schema *schema)
{
	int widest = -1;

	for (size_t k = 0; k < l->n; k++)
		if (schema->columns[l->shown[k]].role == ROLE_KEY && l->widths[k] > KEY_MIN && (widest < 0 || l->widths[k] > l->widths[widest]))
			widest = (int)k;
	return widest;
}

/* The last column that is neither a key nor what rows are ordered by; then the last of those. */
static size_t column_to_go(const struct row_lines *l, const struct schema *schema, int sort)
{
	for (size_t k = l->n; k-- > 0;)
		if (schema->columns[l->shown[k]].role != ROLE_KEY && l->shown[k] != sort)
			return k;
	return l->n - 1;
}

void row_lines_fit(struct row_lines *l, const struct table *t, const struct rows_view *view, int sort, int columns)
{
	static const struct rows_format format = { .in = IN_TEXT, .keys_first = true };
	uint8_t own[ROW_COLUMNS_MAX];
	size_t n;
	const uint8_t *shown = rows_shown(t->schema, view, &format, own, &n);
	char text[ROWS_CELL_BYTES];

	*l = (struct row_lines){ .n = 0 };
	for (size_t i = 0; i < n; i++) {
		const struct column *c = &t->schema->columns[shown[i]];

		if (c->kind == VALUE_HIST || rows_is_remark(c))
			continue;
		l->widths[l->n] = (int)text_width(heading(c));
		l->shown[l->n++] = shown[i];
	}
	for (size_t i = 0; i < t->sorted.n && i < FIT_ROWS; i++) {
		const char *label = t->sorted.data[i].label;

		for (size_t k = 0; k < l->n; k++) {
			int width = cell(text, sizeof(text), &t->sorted.data[i], l->shown[k], view, &label);

			if (width > l->widths[k])
				l->widths[k] = width;
		}
	}
	while (l->n > 1 && line_width(l) > columns) {
		int widest = key_to_give(l, t->schema);
		size_t gone;

		if (widest >= 0 && l->widths[widest] > columns / 3) {
			l->widths[widest]--;
			continue;
		}
		gone = column_to_go(l, t->schema, sort);
		l->n--;
		memmove(&l->shown[gone], &l->shown[gone + 1], (l->n - gone) * sizeof(*l->shown));
		memmove(&l->widths[gone], &l->widths[gone + 1], (l->n - gone) * sizeof(*l->widths));
		l->nr_left_out++;
	}
}

/* Cut or padded to the column's width. */
static void put(FILE *out, const struct column *c, const char *text, int width, bool is_first)
{
	int n = (int)text_width(text), pad = n < width ? width - n : 0;

	fprintf(out, "%*s", is_first ? 0 : GAP_WIDTH, "");
	fprintf(out, "%*s%.*s%*s", is_left(c) ? 0 : pad, "", (int)text_bytes(text, (size_t)width), text, is_left(c) ? pad : 0, "");
}

void row_lines_title(FILE *out, const struct schema *schema, const struct row_lines *l)
{
	for (size_t k = 0; k < l->n; k++)
		put(out, &schema->columns[l->shown[k]], heading(&schema->columns[l->shown[k]]), l->widths[k], !k);
	putc('\n', out);
}

void row_lines_row(FILE *out, const struct row *row, const struct rows_view *view, const struct row_lines *l)
{
	const char *label = row->label;
	char text[ROWS_CELL_BYTES];

	for (size_t k = 0; k < l->n; k++) {
		cell(text, sizeof(text), row, l->shown[k], view, &label);
		put(out, &row->schema->columns[l->shown[k]], text, l->widths[k], !k);
	}
	putc('\n', out);
}
