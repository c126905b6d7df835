/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The lines of a report's text, one by one: which columns there is room for, the titles, a row. */
#ifndef SKEP_RENDER_ROWS_REPORTLINES_H
#define SKEP_RENDER_ROWS_REPORTLINES_H

#include "render/rows/report.h"

/* What a line has room for. */
struct report_lines {
	bool level; /* the mark before a symbol */
	bool fixed; /* texts are cut to the widths */
	bool hidden[REPORT_COLUMNS]; /* by their place in the line */
	int widths[REPORT_COLUMNS];
	uint32_t main; /* the column that stays: the symbol, or the last key; NO_COLUMN */
};

void report_lines_fit(struct report_lines *l, const struct report *t, const struct report_cfg *cfg);

/* What there is no room for: lines of comment, or none. */
void report_lines_hidden(FILE *out, const struct report *t, const struct report_cfg *cfg, const struct report_lines *l);

/* A line each; the rule is two. whole: what 100 % is. */
void report_lines_title(FILE *out, const struct report *t, const struct report_cfg *cfg, const struct report_lines *l);
void report_lines_rule(FILE *out, const struct report *t, const struct report_lines *l);
void report_lines_row(FILE *out, const struct report *t, const struct report_row *r, uint64_t whole, const struct report_cfg *cfg,
		      const struct report_lines *l);

/* How many columns of the terminal the sums take, which are to the left of the keys. */
int report_lines_sums(const struct report *t, const struct report_lines *l);

#endif
