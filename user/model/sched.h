/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * FOLD: what the scheduler did with tasks, by key, in rounds that end with the table of what was added in each. Pure.
 */
#ifndef SKEP_MODEL_SCHED_H
#define SKEP_MODEL_SCHED_H

#include <stdbool.h>

#include "model/hists.h"
#include "sample.h"
#include "util/strpool.h"
#include "util/vec.h"

/* What the largest rows have most of. */
enum sched_sort {
	SCHED_BY_WAIT,
	SCHED_BY_MAX, /* the longest wait */
	SCHED_BY_RUN,
	SCHED_BY_OFF, /* asleep in any state */
	SCHED_BY_SWITCHES,
	SCHED_BY_MIGRATIONS,
};

/* Sums by key. */
struct sched_index {
	VEC(struct sched_sample) all;
	struct hist_places places; /* in all */
};

struct sched_table {
	struct strpool *pool; /* owns the names of the rows */
	struct sched_index rows;  /* of this round; sorted once it has ended */
	struct sched_index ended; /* the totals of this round */
	VEC(struct sched_sums) before; /* of the round before, in their order */
	bool is_ended; /* the next sample begins a round */
};

int sched_table_init(struct sched_table *t); /* 0 or -ENOMEM */
void sched_table_free(struct sched_table *t);

/* Several of one key are added up, totals too. 0 or -ENOMEM. */
int sched_table_add(struct sched_table *t, const struct sched_sample *s);

/*
 * Ends a round: rows.all are what was added since the table before it, without keys whose tasks did nothing, not even sleep; until
 * the next sample is added. The longest wait among tasks that have ended is exact when it is a new one, else right to its slot, and
 * when it was is not known (0). 0 or -ENOMEM.
 */
int sched_table_round(struct sched_table *t, enum sched_sort sort);

/* The waits for a CPU as a histogram; its mean, quantiles and maximum. */
struct hist_sums sched_waits(const struct sched_sums *s);

/* Asleep in any state, and switches of both kinds. */
uint64_t sched_off_ns(const struct sched_sums *s);
uint64_t sched_switches(const struct sched_sums *s);

#endif
