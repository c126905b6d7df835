/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "render/rows/rowlines.h"

#include <string.h>

#include "render/rows/hist.h"
#include "util/text.h"

#define GAP_WIDTH 2
#define KEY_MIN 8 /* a narrower key says nothing */
#define KEYS_PART 3 /* a key is cut to this part of the line before a column is left out */
#define KEY_MAX 40 /* without a terminal, wider ones are not what all others are padded to */
#define KEY_WIDTH 15

const char *row_lines_heading(const struct column *c)
{
	return c->heading ? c->heading : c->name;
}

int row_lines_width(const struct column *c)
{
	return c->role == ROLE_KEY ? KEY_WIDTH : c->heading ? c->width : (int)strlen(c->name);
}

static bool is_left(const struct column *c)
{
	return c->role == ROLE_KEY || c->kind == VALUE_TEXT || c->kind == VALUE_HIST;
}

/* Escaped. Returns its width in characters. */
static int cell(char *buf, size_t size, const struct row *row, size_t i, const struct rows_view *view, const char **label)
{
	char text[ROWS_CELL_BYTES];

	if (row->schema->columns[i].kind == VALUE_HIST)
		hist_digits(text, sizeof(text), row->values[i].slots);
	else if (row->schema->columns[i].role == ROLE_KEY)
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

/* Of columns: the least is left out first. Those between have what they can spare. */
enum worth { WORTH_HIST, WORTH_NONE, WORTH_MOST = WORTH_NONE + UINT8_MAX, WORTH_KEY, WORTH_SORT };

static int worth(const struct column *c, bool is_sort)
{
	return is_sort ? WORTH_SORT : c->role == ROLE_KEY ? WORTH_KEY : c->kind == VALUE_HIST ? WORTH_HIST : WORTH_MOST - c->spare;
}

static void leave_out(struct row_lines *l, const struct schema *schema, int sort)
{
	size_t gone = l->n - 1;

	for (size_t k = l->n; k-- > 0;)
		if (worth(&schema->columns[l->shown[k]], l->shown[k] == sort) < worth(&schema->columns[l->shown[gone]], l->shown[gone] == sort))
			gone = k;
	l->left_out |= 1ull << l->shown[gone];
	l->n--;
	memmove(&l->shown[gone], &l->shown[gone + 1], (l->n - gone) * sizeof(*l->shown));
	memmove(&l->widths[gone], &l->widths[gone + 1], (l->n - gone) * sizeof(*l->widths));
}

/* Keys, values, histograms; or the user's order. */
static void choose(struct row_lines *l, const struct schema *schema, const struct rows_view *view)
{
	uint8_t own[ROW_COLUMNS_MAX];
	size_t n;
	const uint8_t *shown = rows_shown(schema, view, &rows_text, own, &n);

	for (int part = 0; part < (view->has_fields ? 1 : 3); part++)
		for (size_t i = 0; i < n; i++) {
			const struct column *c = &schema->columns[shown[i]];
			int of = c->role == ROLE_KEY ? 0 : c->kind == VALUE_HIST ? 2 : 1;

			if ((view->has_fields || of == part) && !rows_is_remark(c))
				l->shown[l->n++] = shown[i];
		}
}

void row_lines_fit(struct row_lines *l, const struct table *t, size_t n, const struct rows_view *view, int columns)
{
	char text[ROWS_CELL_BYTES];

	*l = (struct row_lines){ .columns = columns };
	choose(l, t->schema, view);
	for (size_t k = 0; k < l->n; k++)
		l->widths[k] = (int)text_width(row_lines_heading(&t->schema->columns[l->shown[k]]));
	for (size_t i = 0; i < n && i < t->sorted.n; i++) {
		const char *label = t->sorted.data[i].label;

		for (size_t k = 0; k < l->n; k++) {
			int width = cell(text, sizeof(text), &t->sorted.data[i], l->shown[k], view, &label);

			if (!columns && width > KEY_MAX)
				width = KEY_MAX;
			if (width > l->widths[k])
				l->widths[k] = width;
		}
	}
	while (columns && l->n && line_width(l) > columns) {
		int widest = key_to_give(l, t->schema);

		if (widest >= 0 && l->widths[widest] > columns / KEYS_PART)
			l->widths[widest]--;
		else if (l->n > 1)
			leave_out(l, t->schema, view->sort);
		else
			l->widths[0] = columns;
	}
}

void row_lines_fit_stream(struct rows_view *view, const struct schema *schema)
{
	struct row_lines l = { .columns = view->columns };
	uint8_t remarks[ROW_COLUMNS_MAX];
	size_t nr_remarks = 0;

	for (size_t k = 0; k < view->nr_shown; k++) {
		const struct column *c = &schema->columns[view->shown[k]];

		if (rows_is_remark(c)) {
			remarks[nr_remarks++] = view->shown[k];
			continue;
		}
		l.shown[l.n] = view->shown[k];
		l.widths[l.n++] = row_lines_width(c);
	}
	while (l.n > 1 && line_width(&l) > view->columns) /* which the caller has set */
		leave_out(&l, schema, view->sort);
	memcpy(view->shown, l.shown, l.n);
	memcpy(&view->shown[l.n], remarks, nr_remarks);
	view->nr_shown = l.n + nr_remarks;
	if (view->left_out)
		*view->left_out |= l.left_out;
}

/* Padded to the column's width, but for what ends a line. On a terminal it is cut. Returns how many characters it took. */
static size_t put(FILE *out, const struct column *c, const char *text, const struct row_lines *l, size_t k)
{
	size_t n = text_width(text), width = (size_t)l->widths[k], gap = k ? GAP_WIDTH : 0, pad, before, after;

	if (!n && k + 1 == l->n)
		return 0;
	if (l->columns && n > width)
		n = width;
	pad = n < width ? width - n : 0;
	before = gap + (is_left(c) ? 0 : pad);
	after = is_left(c) && k + 1 < l->n ? pad : 0;
	fprintf(out, "%*s%.*s%*s", (int)before, "", (int)text_bytes(text, n), text, (int)after, "");
	return before + n + after;
}

void row_lines_head(FILE *out, const struct schema *schema, const struct row_lines *l)
{
	for (size_t k = 0; k < l->n; k++)
		put(out, &schema->columns[l->shown[k]], row_lines_heading(&schema->columns[l->shown[k]]), l, k);
}

size_t row_lines_row(FILE *out, const struct row *row, const struct rows_view *view, const struct row_lines *l)
{
	const char *label = row->label;
	char text[ROWS_CELL_BYTES];
	size_t n = 0;

	for (size_t k = 0; k < l->n; k++) {
		cell(text, sizeof(text), row, l->shown[k], view, &label);
		n += put(out, &row->schema->columns[l->shown[k]], text, l, k);
	}
	return n;
}
