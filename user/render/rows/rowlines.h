/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rows of a schema as lines of a terminal, one by one: keys first, columns as wide as their texts, those that there is no room for left out. */
#ifndef SKEP_RENDER_ROWS_ROWLINES_H
#define SKEP_RENDER_ROWS_ROWLINES_H

#include "render/rows/rows.h"

struct row_lines {
	uint8_t shown[ROW_COLUMNS_MAX];
	int widths[ROW_COLUMNS_MAX]; /* of shown, in characters */
	size_t n;
	size_t nr_left_out; /* columns for which the terminal is not wide enough */
};

/* Columns of the text format with a value a cell: no histograms, no remarks. sort: one that is left out last. */
void row_lines_fit(struct row_lines *l, const struct table *t, const struct rows_view *view, int sort, int columns);

/* A line each, with its end. */
void row_lines_title(FILE *out, const struct schema *schema, const struct row_lines *l);
void row_lines_row(FILE *out, const struct row *row, const struct rows_view *view, const struct row_lines *l);

#endif
