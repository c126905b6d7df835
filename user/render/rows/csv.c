/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A line of names, then a line a row: whole numbers without units (RFC 4180). Of intervals each row begins with its time. */
#include <stdlib.h>

#include "render/rows/rows.h"
#include "util/text.h"

static void print_head(FILE *out, const struct schema *schema, const struct rows_view *view)
{
	const char *sep = view->since_start_ns ? "time_ns" : "";
	uint8_t own[ROW_COLUMNS_MAX];
	const uint8_t *shown;
	size_t n;

	if (view->no_head)
		return;
	fputs(sep, out);
	sep = view->since_start_ns ? view->separator : "";
	shown = rows_shown(schema, view, &rows_csv, own, &n);
	for (size_t k = 0; k < n; k++) {
		fputs(sep, out);
		text_print_csv(out, schema->columns[shown[k]].name, view->separator);
		sep = view->separator;
	}
	putc_unlocked('\n', out);
}

/* One field: frames, leaf first, or members, with semicolons between them. Without memory it is empty. */
static void print_list(FILE *out, const struct column *c, const struct value *v, const char *separator)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return;
	for (size_t i = 0; c->kind == VALUE_STACK && v->frames[i]; i++)
		fprintf(f, "%s%s", i ? ";" : "", v->frames[i]);
	for (size_t i = 0; c->kind == VALUE_MEMBERS && i < v->members->n; i++)
		fprintf(f, "%s%s %s", i ? ";" : "", v->members->all[i].type, v->members->all[i].name);
	if (!fclose(f))
		text_print_csv(out, text, separator);
	free(text);
}

/* May it hold a separator, a quote or a control character? */
static bool has_any_text(uint8_t kind)
{
	return kind == VALUE_RECORD || kind == VALUE_ENUM || kind == VALUE_SYMBOL || kind == VALUE_USER || kind == VALUE_CGROUP;
}

static void print_value(FILE *out, const struct row *row, size_t i, const struct rows_view *view)
{
	const struct column *c = &row->schema->columns[i];
	char text[ROWS_CELL_BYTES];
	size_t len;

	if (!row_knows(row, i))
		return;
	if (c->kind == VALUE_STACK || c->kind == VALUE_MEMBERS) {
		print_list(out, c, &row->values[i], view->separator);
		return;
	}
	if (c->kind == VALUE_TEXT) {
		text_print_csv(out, row->values[i].text, view->separator);
		return;
	}
	len = rows_cell(text, sizeof(text), row, i, view, true);
	if (has_any_text(c->kind))
		text_print_csv(out, text, view->separator);
	else
		fwrite_unlocked(text, 1, len, out);
}

static void print_row(FILE *out, const struct row *row, const struct rows_view *view)
{
	const char *sep = "", *label = row->label;
	char text[ROWS_CELL_BYTES];
	uint8_t own[ROW_COLUMNS_MAX];
	const uint8_t *shown;
	size_t n;

	if (view->since_start_ns) {
		fprintf(out, "%llu", (unsigned long long)view->since_start_ns);
		sep = view->separator;
	}
	shown = rows_shown(row->schema, view, &rows_csv, own, &n);
	for (size_t k = 0; k < n; k++) {
		size_t i = shown[k];

		if (sep[0] && !sep[1])
			putc_unlocked(sep[0], out);
		else
			fputs(sep, out);
		sep = view->separator;
		if (row->schema->columns[i].role == ROLE_KEY) {
			rows_key(text, sizeof(text), row, i, view, true, &label);
			text_print_csv(out, text, view->separator);
		} else {
			print_value(out, row, i, view);
		}
	}
	putc_unlocked('\n', out);
}

const struct rows_format rows_csv = { "csv", print_head, print_row, .in = IN_CSV };
