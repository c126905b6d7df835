/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Columns for a terminal. A histogram in a line is a digit a power of two, 0 for a part of less than a tenth of the fullest:
 * "256ns .1960. 16us"; drawn it has a line a slot. After the key come remarks: flags by their heading, reasons with their numbers, a
 * stack with a line a frame, members with a line each.
 */
#include <string.h>

#include "render/rows/rows.h"
#include "util/text.h"

#define KEY_WIDTH 15 /* what is longer moves what comes after it */
#define BAR_WIDTH 40
#define NEW_LINE "\n             " /* of a remark */

/* From the first slot that is not empty to the last. False: all are. */
static bool slots_span(const uint64_t *slots, int *ret_first, int *ret_last, uint64_t *ret_full)
{
	int first = 0, last = HIST_SLOTS - 1;
	uint64_t full = 0;

	while (first < HIST_SLOTS && !slots[first])
		first++;
	while (last > first && !slots[last])
		last--;
	for (int i = first; i <= last && i < HIST_SLOTS; i++)
		full = slots[i] > full ? slots[i] : full;
	*ret_first = first;
	*ret_last = last;
	*ret_full = full;
	return first < HIST_SLOTS;
}

static void slot_text(char *buf, size_t size, const struct column *c, int i)
{
	int64_t begin = hist_slot_begin(c->axis, i);

	if (begin == INT64_MIN)
		snprintf(buf, size, "...");
	else if (!(c->axis && c->axis->is_linear) && c->per == VALUE_DURATION)
		rows_duration(buf, size, begin);
	else
		snprintf(buf, size, "%lld", (long long)begin);
}

static void hist_line(char *buf, size_t size, const uint64_t *slots)
{
	char bars[HIST_SLOTS + 1], low[16], high[16];
	int first, last;
	uint64_t full;

	buf[0] = '\0';
	if (!slots_span(slots, &first, &last, &full))
		return;
	for (int i = first; i <= last; i++)
		bars[i - first] = slots[i] ? "0123456789"[(slots[i] * 9 + full / 2) / full] : '.';
	bars[last - first + 1] = '\0';
	rows_duration(low, sizeof(low), first ? (double)(1ull << first) : 0);
	rows_duration(high, sizeof(high), (double)(1ull << (last + 1)));
	snprintf(buf, size, "%s %s %s", low, bars, high);
}

/* Nothing but remarks comes after shown[k]. */
static bool is_last(const struct schema *schema, size_t k, const struct rows_view *view)
{
	while (++k < view->nr_shown)
		if (!rows_is_remark(&schema->columns[view->shown[k]]))
			return false;
	return true;
}

/* A column without a heading is as wide as its name. What ends a line and stands to the left is not padded. */
static void print_cell(FILE *out, const struct schema *schema, size_t k, const struct rows_view *view, const char *text, bool *is_inside)
{
	const struct column *c = &schema->columns[view->shown[k]];
	bool is_key = c->role == ROLE_KEY, is_left = is_key || c->kind == VALUE_TEXT || c->kind == VALUE_HIST;
	int width = is_left && is_last(schema, k, view) ? 0 : is_key ? KEY_WIDTH : c->heading ? c->width : (int)strlen(c->name);

	fprintf(out, is_left ? "%s%-*s" : "%s%*s", !*is_inside ? "" : is_key || c->kind == VALUE_HIST ? "  " : " ", width, text);
	*is_inside = true;
}

static void print_head(FILE *out, const struct schema *schema, const struct rows_view *view)
{
	bool is_inside = false;

	if (view->since_start_ns)
		fprintf(out, "# %.3f s\n", view->since_start_ns / 1e9);
	if (view->draws)
		return;
	for (size_t k = 0; k < view->nr_shown; k++) {
		const struct column *c = &schema->columns[view->shown[k]];

		if (!rows_is_remark(c))
			print_cell(out, schema, k, view, c->heading ? c->heading : c->name, &is_inside);
	}
	putc('\n', out);
}

static void print_remark(FILE *out, const struct row *row, size_t i)
{
	const struct column *c = &row->schema->columns[i];
	const struct value *v = &row->values[i];

	if (row->none >> i & 1 || !rows_is_remark(c))
		return;
	if (c->kind == VALUE_FLAG && v->num)
		fprintf(out, "  %s", c->heading);
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
		fputs("  ", out);
		text_print(out, v->reasons[k].name);
		fprintf(out, ":%llu", (unsigned long long)v->reasons[k].n);
	}
}

static void print_line(FILE *out, const struct row *row, const struct rows_view *view)
{
	const char *label = row->label;
	char text[ROWS_CELL_BYTES], safe[ROWS_CELL_BYTES];
	bool is_inside = false;

	for (size_t k = 0; k < view->nr_shown; k++) {
		size_t i = view->shown[k];
		const struct column *c = &row->schema->columns[i];

		if (rows_is_remark(c))
			continue;
		if (c->kind == VALUE_HIST)
			hist_line(text, sizeof(text), row->values[i].slots);
		else if (c->role == ROLE_KEY)
			rows_key(text, sizeof(text), row, i, view, false, &label);
		else
			rows_cell(text, sizeof(text), row, i, view, false);
		text_escape(safe, sizeof(safe), text);
		print_cell(out, row->schema, k, view, safe, &is_inside);
	}
	for (size_t k = 0; k < view->nr_shown; k++)
		print_remark(out, row, view->shown[k]);
	putc('\n', out);
}

static void print_bars(FILE *out, const struct row *row, size_t column)
{
	const struct column *c = &row->schema->columns[column];
	const uint64_t *slots = row->values[column].slots;
	int first, last, end = c->axis && c->axis->is_linear ? (int)c->axis->nr : HIST_SLOTS - 1;
	uint64_t full;

	slots_span(slots, &first, &last, &full);
	for (int i = first; i <= last && i < HIST_SLOTS; i++) {
		char low[32], high[32] = "...", bar[BAR_WIDTH + 1];
		int n = full ? (int)((double)slots[i] / full * BAR_WIDTH + 0.5) : 0;

		slot_text(low, sizeof(low), c, i);
		if (i < end)
			slot_text(high, sizeof(high), c, i + 1);
		memset(bar, '#', n);
		bar[n] = '\0';
		fprintf(out, "  [%9s, %9s) %12llu  %s\n", low, high, (unsigned long long)slots[i], bar);
	}
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
			print_bars(out, row, view->shown[k]);
}

static void print_row(FILE *out, const struct row *row, const struct rows_view *view)
{
	(view->draws ? print_drawn : print_line)(out, row, view);
}

static void print_more(FILE *out, size_t n)
{
	fprintf(out, "(%zu more rows)\n", n);
}

const struct rows_format rows_text = { "text", print_head, print_row, print_more, NULL, IN_TEXT };
