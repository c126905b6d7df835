/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* FOLD: what has changed between two groups of runs, whose samples share a table, each run in sums of its own (report_group()). Pure. */
#ifndef SKEP_MODEL_DIFF_H
#define SKEP_MODEL_DIFF_H

#include "model/report.h"

struct diff_row {
	double before, after; /* the share of a run's weight, 0 to 1; of several runs their mean */
	uint64_t before_count, after_count; /* samples of all runs */
	uint64_t before_even, after_even; /* as how many of one weight they count, where some weigh more: see diff_even() */
	double before_weight, after_weight; /* of a run, the mean */
	/*
	 * Probability of a difference this large, or larger, if nothing changed: of counts of samples that are independent and weigh the same, by Fisher's exact test
	 * where there are few of them, else by the test of two proportions. Of several runs on both sides the larger one of that and of Welch's
	 * test of their shares, which knows how much runs of the same program differ.
	 */
	double p;
	bool few; /* of so few samples that p could not be below DIFF_SIGNIFICANT, however they are divided: q is 1 */
	/*
	 * Expected part of false positives among the rows with a q this small or smaller (Benjamini and Hochberg), of those that are not `few`: rows
	 * that cannot be positives are no tests (Gilbert 2005, "A modified false discovery rate multiple-comparisons procedure for discrete data").
	 */
	double q;
};

#define DIFF_SIGNIFICANT 0.05 /* of q */

/*
 * Of each row of t, in their order. The first nr_before runs of the group are those before; at least one is, and one is not. others: samples of each
 * run that are in no row, whose weight is in the group's wholes; NULL: none. 0 or -ENOMEM.
 */
int diff_make(const struct report *t, uint32_t nr_before, const uint64_t *others, struct diff_row *ret_rows);

/*
 * As how many samples of one weight those of a run count that have this weight in all, and this sum of squared weights (Kish's effective sample
 * size). Shares are as uncertain as those of that many samples.
 */
double diff_even(double weight, double squares);

/* That of a run's samples in the rows of t, by the run's number in the group; ret_samples: how many they are. */
double diff_even_run(const struct report *t, uint32_t run, uint64_t *ret_samples);

/* Fills q of n rows from their p and few. 0 or -ENOMEM. */
int diff_adjust(struct diff_row *rows, size_t n);

/* after / before; 0 where there was none before. */
double diff_ratio(const struct diff_row *r);

/* Each returns the two-sided p, 0 to 1. a <= all_a and b <= all_b; nr_a and nr_b, numbers of runs, are 2 or more. */
double diff_fisher(uint64_t a, uint64_t all_a, uint64_t b, uint64_t all_b);
double diff_proportions(uint64_t a, uint64_t all_a, uint64_t b, uint64_t all_b);
double diff_welch(const double *a, uint32_t nr_a, const double *b, uint32_t nr_b);

#endif
