/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* FOLD: what has changed between two groups of runs, whose samples share a table, each run in sums of its own (report_group()). Pure. */
#ifndef SKEP_MODEL_DIFF_H
#define SKEP_MODEL_DIFF_H

#include "model/report.h"

struct diff_row {
	double before, after; /* the share of a run's weight, 0 to 1; of several runs their mean */
	uint64_t before_count, after_count; /* samples of all runs */
	double before_weight, after_weight; /* of a run, the mean */
	/*
	 * How likely so great a difference is where nothing has changed. One run against another, or against several: of counts of samples that
	 * are independent, by Fisher's exact test where there are few of them, else by the test of two proportions. Several runs on both sides:
	 * of their shares, by Welch's test, which knows how much runs differ anyhow.
	 */
	double p;
	double q; /* p where as many rows are looked at as there are (Benjamini and Hochberg): of rows with at most q, so large a part is chance */
};

#define DIFF_SIGNIFICANT 0.05 /* of q */

/* Of each row of t, in their order. The first nr_before runs of the group are those before; at least one is, and one is not. 0 or -ENOMEM. */
int diff_make(const struct report *t, uint32_t nr_before, struct diff_row *ret_rows);

/* after / before; 0 where there was none before. */
double diff_ratio(const struct diff_row *r);

/* The three tests; shares: of n runs. */
double diff_fisher(uint64_t a, uint64_t all_a, uint64_t b, uint64_t all_b);
double diff_proportions(uint64_t a, uint64_t all_a, uint64_t b, uint64_t all_b);
double diff_welch(const double *a, uint32_t nr_a, const double *b, uint32_t nr_b);

#endif
