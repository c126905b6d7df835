/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep diff, between its command line and its screen. */
#ifndef SKEP_CMD_DIFF_H
#define SKEP_CMD_DIFF_H

#include "cmd/honesty.h"
#include "cmd/pick.h"
#include "cmd/run.h"
#include "cmd/storespan.h"
#include "cmd/symbols.h"
#include "model/diff.h"
#include "render/rows/report.h"

#define DIFF_FILES_MAX 64

enum diff_order { DIFF_BY_CHANGE, DIFF_BY_GROWTH, DIFF_BY_RATIO, DIFF_ORDERS, DIFF_BY_WDIFF };

struct diff_options {
	struct honesty h;
	struct pick_options pick;
	struct symbol_options symbols;
	struct view_options view;
	struct store_options store;
	uint64_t against_ns;
	const char *against_label;
	char *against_words; /* its labels */
	const char *files[DIFF_FILES_MAX]; /* before "--" */
	uint32_t nr_files;
	struct report_request request;
	const char *event; /* NULL: the first one of the first file */
	enum diff_order order;
	double weights[2]; /* of DIFF_BY_WDIFF: what periods before and after the change are multiplied by */
	const char *percentage; /* NULL: relative */
	double fail_above; /* points of a percent */
	bool fails, json, stdio;
};

/* Of the first file. */
struct diff_origin {
	const char *hostname, *arch, *cpu; /* of the pool; NULL: not known */
	bool is_known, is_freq;
	uint64_t rate; /* Hz, or the period; 0: not known */
};

/* Files that were read, and what has changed between them. */
struct diff {
	struct diff_options *o;
	const char **paths;
	uint32_t nr_paths, nr_before;
	struct store_span spans[2]; /* of a store: before and after */
	struct strpool *pool;
	struct diff_origin origin;
	struct report table; /* each file in sums of its own */
	uint16_t *place;     /* of table.group */
	uint64_t others[DIFF_FILES_MAX]; /* samples of each file that are not shown, but count where shares are absolute */
	struct tree trees[2]; /* of the files before and after the change, where they are shown */
	const struct picture_format *picture; /* NULL: rows are shown, */
	const char *rows_format; /* in this format; NULL: text */
	const char *event; /* of pool; NULL: not known yet */
	struct profile profile; /* of all files */
	struct profile after; /* what those after the change have of its sums and losses */
	struct diff_row *rows;	/* beside those of the table */
	const char *event_names[1];
	struct report_cfg cfg;	/* how cells of the table are shown */
};

extern const struct opt_group diff_groups[];

/* d->paths, or d->spans, by the options and the operands. 0, or -errno with err filled: they are no two sides. */
int diff_take_files(struct diff *d, char **operands, struct err *err);

/* Notes where a file's machine, or the rate of its event, is not that of the first one. */
void diff_compare_origin(struct diff *d, const struct data_meta *meta, const struct event *event);

/* By what rows are ordered, those with most of it first. Infinite: new after the change, by ratio. */
double diff_rank(const struct diff_options *o, const struct diff_row *r);

/* As VALUE_FIXED has it; what is too large becomes the largest. */
#define DIFF_FIXED_MAX 9e18
uint64_t diff_fixed(double x);

/* True if the table is shown on a screen. */
bool diff_has_screen(const struct diff_options *o);

/* Which picture is written, or which rows, by --format or the ending of -o. 0, or -errno: there is no such format; err is filled. */
int diff_find_format(struct diff *d, struct err *err);

/* The weight of all stacks after the change: each run has that of the first. */
uint64_t diff_weight_after(const struct diff *d);

/* Writes the picture, with the ledger. 0, or -errno with err filled. */
int diff_picture(struct diff *d, struct err *err);

/* Are the files counts of skep stat or perf stat, as JSON? By the first one. */
bool diff_is_counts(const struct diff *d);

/* Prints what has changed between them, and is the exit of --fail-above. 0, or -errno with err filled. */
int diff_counts(struct diff *d, struct err *err);

/* Shows it until the user leaves. 0, or -errno with err filled. */
int diff_screen(struct diff *d, struct err *err);

#endif
