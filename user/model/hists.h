/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * FOLD: sums by key with their histograms. Sources deliver each key's sums from the start on, once a round; a round ends with the
 * table of what was added in it. Keys that are equal, of two sources, are one row. Pure.
 */
#ifndef SKEP_MODEL_HISTS_H
#define SKEP_MODEL_HISTS_H

#include "sample.h"
#include "util/strpool.h"
#include "util/vec.h"

struct hists {
	struct strpool *pool; /* owns the names of the rows */
	VEC(struct hist_sample) keys; /* their sums: of this round */
	VEC(struct hist_sums) before; /* of what was in a table already, a key each */
	uint32_t *places; /* open addressing: index in keys + 1, 0 empty */
	size_t nr_places; /* a power of two */
	VEC(struct hist_sample) rows; /* the table, sorted */
	bool is_linear; /* slots tell no powers of two: the maximum of a round is 0 unless it is a new one */
};

int hists_init(struct hists *h); /* 0 or -ENOMEM */
void hists_free(struct hists *h);
int hists_add(struct hists *h, const struct hist_sample *row); /* 0 or -ENOMEM */

/*
 * Ends a round: the rows are what was added since the table before it. Largest first, by time or by calls; ties by name and
 * number; what had no room in the kernel's table last. The maximum of a round is exact when it is a new one, else right to the
 * slot. 0 or -ENOMEM.
 */
int hists_round(struct hists *h, bool by_time);

/* The duration that a part (0 to 1) of the calls did not exceed, from the slots: right to the slot, between its ends by rank. */
double hist_quantile(const struct hist_sums *s, double part);

#endif
