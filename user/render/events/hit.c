/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Strings are in quotes, with control characters escaped; a value that could not be read is (fault). Millions of lines: printf() takes
 * ten times as long.
 */
#include "render/events/hit.h"

#include "model/hit.h"
#include "util/text.h"

#define TIME_WIDTH 14
#define TIME_DECIMALS 6
#define COMM_WIDTH 15
#define WHO_WIDTH 15
#define CPU_WIDTH 3

static void print_head(FILE *out, const struct schema *schema, const struct rows_view *view)
{
	(void)schema;
	(void)view;
	fprintf(out, "%*s  %-*s %*s %*s  %s\n", TIME_WIDTH, "TIME", COMM_WIDTH, "COMM", WHO_WIDTH, "PID/TID", CPU_WIDTH, "CPU", "PROBE(VALUES)");
}

static void print_who(FILE *out, const struct value *v)
{
	char buf[128], *end = buf + sizeof(buf), *p;
	size_t len;

	text_right(out, text_seconds(end, (int64_t)v[HIT_SECONDS].num, TIME_DECIMALS), end, TIME_WIDTH);
	fputs("  ", out);
	len = text_escape(buf, sizeof(buf), v[HIT_COMM].text);
	fputs(buf, out);
	text_pad(out, len, COMM_WIDTH);
	putc(' ', out);
	p = text_decimal(end, v[HIT_TID].num);
	*--p = '/';
	text_right(out, text_decimal(p, v[HIT_PID].num), end, WHO_WIDTH);
	putc(' ', out);
	text_right(out, text_decimal(end, v[HIT_CPU].num), end, CPU_WIDTH);
	fputs("  ", out);
}

static void print_value(FILE *out, const struct row *row, size_t i, const struct rows_view *view)
{
	const struct column *c = &row->schema->columns[i];
	const struct value *v = &row->values[i];
	bool is_known = row_knows(row, i);
	char buf[ROWS_CELL_BYTES];

	if (c->kind == VALUE_RECORD && is_known) {
		view->record_text(view, row, i, buf, sizeof(buf));
		text_print(out, buf);
		return;
	}
	text_print(out, c->heading);
	putc('=', out);
	if (!is_known) {
		fputs("(fault)", out);
	} else if (c->kind == VALUE_TEXT) {
		putc('"', out);
		text_print(out, v->text);
		putc('"', out);
	} else if (rows_name(buf, sizeof(buf), row, i, view)) {
		text_print(out, buf);
	} else {
		fwrite(buf, 1, rows_number(buf, sizeof(buf), v->num, c->kind), out);
	}
}

const char *hit_call(const struct row *row)
{
	return row->values[HIT_CALL].text;
}

void hit_values(FILE *out, const struct row *row, const struct rows_view *view)
{
	for (size_t i = HIT_COLUMNS; i < row->schema->n; i++) {
		fputs(i > HIT_COLUMNS ? ", " : "", out);
		print_value(out, row, i, view);
	}
}

static void print_row(FILE *out, const struct row *row, const struct rows_view *view)
{
	print_who(out, row->values);
	text_print(out, hit_call(row));
	putc('(', out);
	hit_values(out, row, view);
	fputs(")\n", out);
}

const struct rows_format hit_text = { NULL, print_head, print_row };
