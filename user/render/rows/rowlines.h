/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rows of a schema as lines of a terminal: keys first, columns as wide as their texts. On a terminal that is too narrow long keys are cut and
 * the columns of least worth left out; without one (columns 0) a long key moves what comes after it.
 */
#ifndef SKEP_RENDER_ROWS_ROWLINES_H
#define SKEP_RENDER_ROWS_ROWLINES_H

#include "render/rows/rows.h"

struct row_lines {
	uint8_t shown[ROW_COLUMNS_MAX];
	int widths[ROW_COLUMNS_MAX]; /* of shown, in characters */
	size_t n;
	int columns;
	uint64_t left_out; /* bits of the columns for which there is no room */
};

/* By the first n rows of the table, of columns with a value a cell: not those that are remarks. */
void row_lines_fit(struct row_lines *l, const struct table *t, size_t n, const struct rows_view *view, int columns);

/* For rows that come one by one, after rows_choose(): of view->shown those stay for which view->columns has room, by their own widths. */
void row_lines_fit_stream(struct rows_view *view, const struct schema *schema);

/* Its width in a line of text, where rows come one by one. */
int row_lines_width(const struct column *c);

/* Without the end of the line. The row's returns how many characters it has. */
void row_lines_head(FILE *out, const struct schema *schema, const struct row_lines *l);
size_t row_lines_row(FILE *out, const struct row *row, const struct rows_view *view, const struct row_lines *l);

/* Of a column that has no heading, its name. */
const char *row_lines_heading(const struct column *c);

#endif
