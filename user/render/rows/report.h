/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tables of rows: text for people, CSV and JSON for programs. Columns follow the table's keys. */
#ifndef SKEP_RENDER_ROWS_REPORT_H
#define SKEP_RENDER_ROWS_REPORT_H

#include <stdio.h>

#include "profile.h"
#include "model/report.h"

struct report_cfg {
	uint64_t rows_max;    /* 0: all */
	double percent_limit; /* rows below are left out; text without rows_max prints how many */
	bool children;	      /* a column for total, and the order by it */
	bool counts;	      /* a column for the number of samples (text) */
	bool callers;	      /* the call chains: below each row (text), or a flat list with depths (JSON) */
	int columns;	      /* width of the terminal, 0: do not cut */
	bool is_next;	      /* not the first table: text begins with an empty line, CSV without its header */
	bool with_event;      /* CSV: a last column for the event */
	const char *const *event_names; /* for the key event, by sample.event; NULL: numbers */
};

/* Each returns 0 or -errno of a failed write. The table is sorted by the caller. */
int render_report_text(FILE *out, const struct report *t, const struct profile *p, const struct report_cfg *cfg);
int render_report_csv(FILE *out, const struct report *t, const struct profile *p, const struct report_cfg *cfg);
/* Of several tables the first as it would be alone, and the key "other_events" with the others, as they would be. */
struct report_view {
	const struct report *table;
	const struct profile *profile;
};
int render_reports_json(FILE *out, const struct report_view *views, size_t n, const struct report_cfg *cfg);
int render_report_json(FILE *out, const struct report *t, const struct profile *p, const struct report_cfg *cfg);

#endif
