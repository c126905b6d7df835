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

enum diff_order { DIFF_BY_CHANGE, DIFF_BY_GROWTH, DIFF_BY_RATIO, DIFF_ORDERS };

struct diff_options {
	struct honesty h;
	struct pick_options pick;
	struct symbol_options symbols;
	struct view_options view;
	struct store_options store;
	uint64_t against_ns;
	const char *against_label;
	char *against_words; /* its labels */
	struct report_request request;
	const char *event; /* NULL: the first one of the first file */
	enum diff_order order;
	double fail_above; /* points of a percent */
	bool fails, json, stdio;
};

/* Files that were read, and what has changed between them. */
struct diff {
	struct diff_options *o;
	const char **paths;
	uint32_t nr_paths, nr_before;
	struct store_span spans[2]; /* of a store: before and after */
	struct strpool *pool;
	struct report table; /* each file in sums of its own */
	uint16_t *place;     /* of table.group */
	struct tree tree;    /* of the files after the change */
	const char *event; /* of pool; NULL: not known yet */
	struct profile profile; /* of all files */
	struct diff_row *rows;	/* beside those of the table */
	const char *event_names[1];
	struct report_cfg cfg;	/* how cells of the table are shown */
};

/* By what rows are ordered, those with most of it first. Infinite: new after the change, by ratio. */
double diff_rank(const struct diff_options *o, const struct diff_row *r);

/* True if the table is shown on a screen. */
bool diff_has_screen(const struct diff_options *o);

/* Shows it until the user leaves. 0, or -errno with err filled. */
int diff_screen(struct diff *d, struct err *err);

#endif
