/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Columns for a terminal: of a table as wide as their texts, of rows that come one by one as wide as their schema has them. After them come
 * remarks: flags by their heading, reasons with their numbers, a stack with a line a frame, members with a line each.
 */
#include <string.h>

#include "render/rows/hist.h"
#include "render/rows/rowlines.h"
#include "render/rows/rows.h"
#include "util/text.h"

#define NEW_LINE "\n             " /* of a remark */
#define REMARK_BYTES 256

/* Nothing but remarks comes after shown[k]. */
static bool is_last(const struct schema *schema, size_t k, const struct rows_view *view)
{
	while (++k < view->nr_shown)
		if (!rows_is_remark(&schema->columns[view->shown[k]]))
			return false;
	return true;
}

/* What ends a line and stands to the left is not padded. *used: characters of the line so far. */
static void print_cell(FILE *out, const struct schema *schema, size_t k, const struct rows_view *view, const char *text, size_t *used)
{
	const struct column *c = &schema->columns[view->shown[k]];
	bool is_key = c->role == ROLE_KEY, is_left = is_key || c->kind == VALUE_TEXT;
	int width = is_left && is_last(schema, k, view) ? 0 : row_lines_width(c);

	const char *gap = !*used ? "" : is_key ? "  " : " ";
	size_t n = text_width(text), pad = n < (size_t)width ? (size_t)width - n : 0;

	fprintf(out, "%s%*s%s%*s", gap, is_left ? 0 : (int)pad, "", text, is_left ? (int)pad : 0, "");
	*used += strlen(gap) + n + pad;
}

static void print_time(FILE *out, const struct rows_view *view)
{
	if (view->since_start_ns)
		fprintf(out, "# %.3f s\n", view->since_start_ns / 1e9);
}

static void print_head(FILE *out, const struct schema *schema, const struct rows_view *view)
{
	size_t used = 0;

	print_time(out, view);
	if (view->draws)
		return;
	for (size_t k = 0; k < view->nr_shown; k++) {
		const struct column *c = &schema->columns[view->shown[k]];

		if (!rows_is_remark(c))
			print_cell(out, schema, k, view, row_lines_heading(c), &used);
	}
	putc('\n', out);
}

/* In the line if there is room, else below it. *used: characters of the line. */
static void print_word(FILE *out, const struct rows_view *view, const char *word, size_t *used)
{
	size_t width = text_width(word);

	if (view->columns && *used + 2 + width > (size_t)view->columns) {
		fputs(NEW_LINE, out);
		*used = strlen(NEW_LINE) - 1;
	} else {
		fputs("  ", out);
		*used += 2;
	}
	fputs(word, out);
	*used += width;
}

static void print_remark(FILE *out, const struct row *row, size_t i, const struct rows_view *view, size_t *used)
{
	const struct column *c = &row->schema->columns[i];
	const struct value *v = &row->values[i];
	char name[REMARK_BYTES], word[REMARK_BYTES + 32];

	if (row->none >> i & 1 || !rows_is_remark(c))
		return;
	if (c->kind == VALUE_FLAG && v->num)
		print_word(out, view, c->heading, used);
	for (const char *const *frame = c->kind == VALUE_STACK ? v->frames : NULL; frame && *frame; frame++) {
		fputs(NEW_LINE, out);
		text_print(out, *frame);
	}
	for (size_t k = 0; c->kind == VALUE_MEMBERS && k < v->members->n; k++) {
		fputs(NEW_LINE, out);
		text_print(out, v->members->all[k].type);
		putc(' ', out);
		text_print(out, v->members->all[k].name);
	}
	for (int k = 0; c->kind == VALUE_REASONS && k < REASONS_MAX && v->reasons[k].name; k++) {
		text_escape(name, sizeof(name), v->reasons[k].name);
		snprintf(word, sizeof(word), "%s:%llu", name, (unsigned long long)v->reasons[k].n);
		print_word(out, view, word, used);
	}
}

/* used: characters of the line so far */
static void end_line(FILE *out, const struct row *row, const struct rows_view *view, size_t used)
{
	uint8_t own[ROW_COLUMNS_MAX];
	size_t n;
	const uint8_t *shown = rows_shown(row->schema, view, &rows_text, own, &n);

	for (size_t k = 0; k < n; k++)
		print_remark(out, row, shown[k], view, &used);
	putc('\n', out);
}

static void print_line(FILE *out, const struct row *row, const struct rows_view *view)
{
	const char *label = row->label;
	char text[ROWS_CELL_BYTES], safe[ROWS_CELL_BYTES];
	size_t used = 0;

	for (size_t k = 0; k < view->nr_shown; k++) {
		size_t i = view->shown[k];
		const struct column *c = &row->schema->columns[i];

		if (rows_is_remark(c))
			continue;
		if (c->role == ROLE_KEY)
			rows_key(text, sizeof(text), row, i, view, false, &label);
		else
			rows_cell(text, sizeof(text), row, i, view, false);
		text_escape(safe, sizeof(safe), text);
		print_cell(out, row->schema, k, view, safe, &used);
	}
	end_line(out, row, view, used);
}

static void print_table(FILE *out, const struct table *t, size_t n, const struct rows_view *view)
{
	struct row_lines l;

	print_time(out, view);
	row_lines_fit(&l, t, n, view, view->columns);
	if (view->left_out)
		*view->left_out |= l.left_out;
	row_lines_head(out, t->schema, &l);
	putc('\n', out);
	for (size_t i = 0; i < n; i++)
		end_line(out, &t->sorted.data[i], view, row_lines_row(out, &t->sorted.data[i], view, &l));
}

/* Counts of nothing are left out, and a maximum that is not known: what a round added is less than the maximum before. */
static bool is_drawn(const struct row *row, size_t i, double mean)
{
	const struct column *c = &row->schema->columns[i];
	double n = row_number(row, i, 1);

	if (c->role == ROLE_SUM)
		return (int)i == row->schema->count || n;
	return row_knows(row, i) && (c->role != ROLE_MAX || n || !mean);
}

/* "comm cat, x 1: 12 hits, mean 1.2us, max 2us", and the histogram. */
static void print_drawn(FILE *out, const struct row *row, const struct rows_view *view)
{
	const struct schema *schema = row->schema;
	const char *sep = "", *label = row->label;
	char text[ROWS_CELL_BYTES];
	double mean = 0;

	for (size_t k = 0; k < view->nr_shown; k++) {
		size_t i = view->shown[k];

		if (schema->columns[i].role != ROLE_KEY)
			continue;
		rows_key(text, sizeof(text), row, i, view, false, &label);
		fprintf(out, "%s%s ", sep, schema->columns[i].heading);
		text_print(out, text);
		sep = ", ";
	}
	sep = ": ";
	for (size_t k = 0; k < view->nr_shown; k++) {
		size_t i = view->shown[k];
		const struct column *c = &schema->columns[i];

		if (c->role == ROLE_KEY || c->kind == VALUE_HIST || !is_drawn(row, i, mean))
			continue;
		mean = c->role == ROLE_MEAN ? row_number(row, i, 1) : mean;
		rows_cell(text, sizeof(text), row, i, view, false);
		if (c->role == ROLE_SUM)
			fprintf(out, "%s%s %s", sep, text, c->heading);
		else
			fprintf(out, "%s%s %s", sep, c->heading, text);
		sep = ", ";
	}
	putc('\n', out);
	for (size_t k = 0; k < view->nr_shown; k++)
		if (schema->columns[view->shown[k]].kind == VALUE_HIST)
			hist_bars(out, &schema->columns[view->shown[k]], row->values[view->shown[k]].slots);
}

static void print_row(FILE *out, const struct row *row, const struct rows_view *view)
{
	(view->draws ? print_drawn : print_line)(out, row, view);
}

static void print_more(FILE *out, size_t n)
{
	fprintf(out, "(%zu more rows)\n", n);
}

const struct rows_format rows_text = { "text", .head = print_head, .row = print_row, .table = print_table, .more = print_more, .in = IN_TEXT };
