/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a report shows of a row in one column, before it is escaped. */
#ifndef SKEP_RENDER_ROWS_CELLS_H
#define SKEP_RENDER_ROWS_CELLS_H

#include "render/rows/report.h"

#define CELL_BYTES 8192

double percent_of(uint64_t part, uint64_t whole);

/* What 100 % is. */
uint64_t report_whole(const struct report *t, const struct profile *p);

/* A key's text, as snprintf(). */
int cell_text(char *buf, size_t size, const struct report *t, const struct report_row *r, enum report_column key, const struct report_cfg *cfg);

/* A sum's text, or a key's, escaped, without what stands before a symbol. */
void cell_shown(char *shown, size_t size, const struct report *t, const struct report_row *r, uint64_t whole, enum report_column c,
		const struct report_cfg *cfg);

/* A key's text for programs: an ID is only its number. */
int cell_plain(char *buf, size_t size, const struct report *t, const struct report_row *r, enum report_column key, const struct report_cfg *cfg);

/* False: the key is a text, or a CPU that is not known. */
bool cell_number(const struct report_row *r, enum report_column key, int64_t *ret);

/* "[k] ", which stands before a symbol. */
const char *cell_level(const struct report_row *r);

#endif
