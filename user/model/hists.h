/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* FOLD: sums by key with their histograms, as rows to be sorted. Pure. */
#ifndef SKEP_MODEL_HISTS_H
#define SKEP_MODEL_HISTS_H

#include "sample.h"
#include "util/strpool.h"
#include "util/vec.h"

struct hists {
	struct strpool *pool; /* owns the names of the rows */
	VEC(struct hist_sample) rows;
};

int hists_init(struct hists *h); /* 0 or -ENOMEM */
void hists_free(struct hists *h);
int hists_add(struct hists *h, const struct hist_sample *row); /* 0 or -ENOMEM */

/* Largest first, by time or by calls; ties by name and number; what had no room in the table last. */
void hists_sort(struct hists *h, bool by_time);

/* The duration that a part (0 to 1) of the calls did not exceed, from the slots: right to the slot, between its ends by rank. */
double hist_quantile(const struct hist_sample *row, double part);

#endif
