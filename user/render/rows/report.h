/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tables of rows: text for people, CSV and JSON for programs. Columns follow the table's layout. */
#ifndef SKEP_RENDER_ROWS_REPORT_H
#define SKEP_RENDER_ROWS_REPORT_H

#include <stdio.h>

#include "profile.h"
#include "model/report.h"
#include "render/rows/chains.h"

struct report_cfg {
	double percent_limit; /* rows below were left out: text prints how many */
	int columns;	      /* width of the terminal, 0: do not cut */
	bool is_next;	      /* not the first table: text begins with an empty line, CSV without its header */
	bool with_event;      /* CSV: a last column for the event */
	bool hierarchy;	      /* text with nested keys; percent_limit leaves out what is below each */
	bool long_times;      /* to the nanosecond */
	bool long_files;      /* source files with their path */
	const char *separator; /* of text's columns, which then have no blanks; or NULL */
	const uint64_t *widths; /* of text's columns, 0: as wide as its texts; or NULL */
	uint32_t nr_widths;
	struct chains_cfg chains; /* of text; JSON has them as a flat list with depths */
	const char *const *event_names; /* for the key event, by sample.event; NULL: numbers */
	const char *(*cgroup_name)(const void *arg, uint64_t id); /* for the key cgroup: its path, or NULL; NULL: none is known */
	const void *cgroup_arg;
	const struct profile *total; /* of all tables: text begins with what it lost; or NULL */
	uint64_t since_start_ns; /* render_report_lines(): of the refresh */
	const char *(*heads)[2]; /* name and text of columns that are left out: lines of text, ending with NULL; or NULL */
};

/* Each returns 0 or -errno of a failed write. The table is sorted and cut by the caller. */
int render_report_text(FILE *out, const struct report *t, const struct profile *p, const struct report_cfg *cfg);
/* The same without what stands above it. */
int render_report_rows(FILE *out, const struct report *t, const struct profile *p, const struct report_cfg *cfg);
/* An object a line for each row that has grown, with the time of the refresh. */
/* Below a table of skep top: how many rows it has no room for. 0: nothing. */
void render_report_more(FILE *out, uint64_t rows);

int render_report_lines(FILE *out, const struct report *t, const struct profile *p, const struct report_cfg *cfg);
int render_report_csv(FILE *out, const struct report *t, const struct profile *p, const struct report_cfg *cfg);
/* Of several tables the first as it would be alone, and the key "other_events" with the others, as they would be. */
struct report_view {
	const struct report *table;
	const struct profile *profile;
};
int render_reports_json(FILE *out, const struct report_view *views, size_t n, const struct report_cfg *cfg);
int render_report_json(FILE *out, const struct report *t, const struct profile *p, const struct report_cfg *cfg);

#endif
