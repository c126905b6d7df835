/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A line of names, then a line a row: whole numbers without units (RFC 4180). Of intervals each row begins with its time. */
#include "render/rows/rows.h"
#include "util/text.h"

static void print_head(FILE *out, const struct schema *schema, const struct rows_view *view)
{
	const char *sep = view->since_start_ns ? "time_ns" : "";

	if (view->no_head)
		return;
	fputs(sep, out);
	sep = view->since_start_ns ? view->separator : "";
	for (int keys = 0; keys < 2; keys++)
		for (size_t i = 0; i < schema->n; i++)
			if (rows_shows(schema, i, view, IN_CSV, keys)) {
				fprintf(out, "%s%s", sep, schema->columns[i].name);
				sep = view->separator;
			}
	putc('\n', out);
}

static void print_row(FILE *out, const struct row *row, const struct rows_view *view)
{
	const char *sep = "", *label = row->label;
	char text[ROWS_CELL_BYTES];

	if (view->since_start_ns) {
		fprintf(out, "%llu", (unsigned long long)view->since_start_ns);
		sep = view->separator;
	}
	for (int keys = 0; keys < 2; keys++)
		for (size_t i = 0; i < row->schema->n; i++) {
			if (!rows_shows(row->schema, i, view, IN_CSV, keys))
				continue;
			if (keys)
				rows_key(text, sizeof(text), row, i, view, true, &label);
			else
				rows_cell(text, sizeof(text), row, i, view, true);
			fputs(sep, out);
			if (keys || row->schema->columns[i].kind == VALUE_TEXT)
				text_print_csv(out, text, view->separator);
			else
				fputs(text, out);
			sep = view->separator;
		}
	putc('\n', out);
}

const struct rows_format rows_csv = { "csv", print_head, print_row, NULL, NULL };
