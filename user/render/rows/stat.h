/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SHOW: counts, as perf stat shows them: the table, -x and -j with perf's fields in perf's order. */
#ifndef SKEP_RENDER_ROWS_STAT_H
#define SKEP_RENDER_ROWS_STAT_H

#include <stdbool.h>
#include <stdio.h>

#include "model/counts.h"
#include "model/derived.h"

struct stat_cfg {
	const char *separator; /* -x; NULL: no CSV */
	bool json;
	bool as_read; /* --no-scale */
	int runs;     /* of -r */
	bool intervals; /* -I: every line begins with its time */
	const char *const *missing; /* of each event: "<not supported>", "<not counted>", or NULL */
	const char *title; /* what was counted: "'make -j'", "process id '12'", "system wide" */
	bool is_summary; /* of all intervals: a line of CSV begins with the word */
	bool hide_idle;	 /* no rows of threads that did not run */
	bool plain;	 /* numbers of tables without separators of thousands */
	const double *run_s; /* seconds of each run, below the table; or NULL */
	size_t nr_run_s;
	const struct metric *const *metrics; /* of -M; none: all figures */
	size_t nr_metrics;
	bool metric_only; /* the figures that have names, without their counts */
	int columns; /* of the terminal that a table is for: lines are shortened, all alike; 0: none */
	int *narrow; /* with -I: how far they were shortened before, and are from now on; 0 at first */
};

/* The counts of this round, which took wall_ns and ended so long after the start. 0, -ENOMEM or -EIO. */
int render_stat_rows(FILE *out, const struct counts *c, const struct stat_cfg *cfg, double wall_ns, double since_start_ns);

/* Has metric_only anything to show of these events? -ENOMEM, or 0 or 1. */
int render_stat_has_metrics(const struct counts *c, const struct stat_cfg *cfg);

/* Around the table of a run: nothing in CSV and JSON, but the heading of metric_only. user_s < 0: there was no COMMAND. 0 or -errno. */
int render_stat_head(FILE *out, const struct counts *c, const struct stat_cfg *cfg);
void render_stat_foot(FILE *out, const struct counts *c, const struct stat_cfg *cfg, double wall_s, double user_s, double sys_s);

#endif
