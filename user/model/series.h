/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * FOLD: figures of a run without an end: families of counters, gauges and histograms, each with one value for each combination of its
 * labels' texts. Counters never go back. How many combinations there are is limited: those that nothing was added to for a long time make
 * room, and what comes when there is none is added to that of its family whose labels are all "other". Pure.
 */
#ifndef SKEP_MODEL_SERIES_H
#define SKEP_MODEL_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "row.h"
#include "util/map.h"
#include "util/strpool.h"
#include "util/vec.h"

#define SERIES_LABELS_MAX 3
#define SERIES_OTHER "other"

enum series_kind { SERIES_COUNTER, SERIES_GAUGE, SERIES_HIST };

struct series_family {
	const char *name; /* with its unit, and without what the format appends: "skep_cpu_seconds" */
	const char *help;
	const char *labels[SERIES_LABELS_MAX]; /* their names; NULL after the last */
	enum series_kind kind;
	bool is_time; /* values are ns; they are shown as seconds */
	bool is_exempt; /* from the limit: its labels' texts are few */
};

#define SERIES_HIST_LINES 16 /* of a histogram, as render/openmetrics.c writes it; of others one */

struct series_value {
	const struct series_family *family;
	const char *texts[SERIES_LABELS_MAX]; /* of its labels; interned */
	uint64_t n;	 /* of a histogram: the sum of its values */
	uint64_t *slots; /* of a histogram: HIST_SLOTS, by powers of two (row.h), owned; else NULL */
	uint64_t round;	 /* of the last addition: series_round() */
};

struct series {
	VEC(const struct series_family *) families; /* in the order in which they came; borrowed */
	VEC(struct series_value) values;
	uint64_t beyond; /* how often something was added to "other" for want of room */
	/* Own. */
	size_t max, nr_lines;
	uint64_t round;
	struct map by_key;
	struct strpool *pool;
};

/* max: how many lines of text, without those of "other" and of families that are exempt. 0 or -ENOMEM; series_free() in either case. */
int series_init(struct series *s, size_t max);
void series_free(struct series *s);

/*
 * Adds to the value with these texts, as many as the family has labels; texts are copied, NULL is "". 0 or -ENOMEM.
 * slots: HIST_SLOTS of a histogram, sum: of the values in them.
 */
int series_add(struct series *s, const struct series_family *f, const char *const *texts, uint64_t n);
int series_add_hist(struct series *s, const struct series_family *f, const char *const *texts, const uint64_t *slots, uint64_t sum);

/* A round ends. Where there is no room, values that nothing was added to for `idle` rounds are forgotten. 0 or -ENOMEM. */
int series_round(struct series *s, uint64_t idle);

/* A gauge's value; or a counter's, where the total is what is known: one that is less than before changes nothing. 0 or -ENOMEM. */
int series_set(struct series *s, const struct series_family *f, const char *const *texts, uint64_t n);

#endif
