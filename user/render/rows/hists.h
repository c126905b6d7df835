/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SHOW: sums by key as a table, CSV or JSON. */
#ifndef SKEP_RENDER_ROWS_HISTS_H
#define SKEP_RENDER_ROWS_HISTS_H

#include <stdbool.h>
#include <stdio.h>

#include "model/hists.h"

enum hist_values {
	HIST_NONE,
	HIST_NS,      /* durations of calls that did not fail, or did */
	HIST_NUMBERS, /* of an expression; errors: of those that are negative */
};

struct hists_cfg {
	uint32_t by;	       /* enum by_bit: the columns */
	bool latency;	       /* errors and times too */
	bool json;
	const char *separator; /* CSV; NULL: none */
	uint64_t top;	       /* so many rows; 0: all */
	const char *fields[BY_FIELDS_MAX]; /* names of more columns */
	int nr_fields;
	/* Of probes: fields are expressions, and histograms are drawn below each other. */
	bool is_expr;
	enum hist_values values;
	uint32_t linear; /* 0: log2; else slot 0 is below low, slot i from low + (i - 1) * step on, and this one all beyond */
	int64_t low;
	uint64_t step;
	bool is_hits;	       /* of tracepoints, not calls */
	uint64_t since_start_ns; /* of the end of an interval; 0: the whole run */
	bool no_head;	       /* CSV has one line of names, before its first interval */
	const char *(*cgroup_path)(void *arg, uint64_t id); /* NULL for one that is gone */
	void *arg;
};

/* A column of the key; text is not escaped. */
struct hist_cell {
	char name[80], text[4096];
};

/* Column i of a key, by cfg->by and its fields; false behind the last. r NULL: its name only. */
bool hist_cell(struct hist_cell *ret_cell, const struct hist_sample *r, size_t i, const struct hists_cfg *cfg);
size_t hist_cells(const struct hists_cfg *cfg); /* how many there are */

/* "12.3us": three digits and a unit; "0 .2951 16us": a histogram in a line, empty for none. */
void hist_time_text(char *buf, size_t size, double ns);
void hist_line_text(char *buf, size_t size, const struct hist_sums *s);

/* The rows of a round. Times are ns in CSV and JSON. 0 or -EIO. */
int render_hists(FILE *out, const struct hists *h, const struct hists_cfg *cfg);

#endif
