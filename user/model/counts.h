/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * FOLD, counter readings: a table of events by key (nothing, a CPU, a group of CPUs, or a thread), over rounds (-I) and runs (-r). All readings
 * of one round that have the same event and key are summed.
 */
#ifndef SKEP_MODEL_COUNTS_H
#define SKEP_MODEL_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "event/event.h"
#include "sample.h"
#include "util/topology.h"
#include "util/vec.h"

enum count_by { COUNT_BY_NOTHING, COUNT_BY_CPU, COUNT_BY_GROUP, COUNT_BY_THREAD };

struct count {
	uint64_t value, enabled_ns, running_ns;
};

/* Of the runs of -r: Welford's running mean and sum of squared distances. */
struct spread {
	unsigned n;
	double mean, m2;
};

struct count_cell {
	struct count now, before; /* totals of this round and of the one before */
	struct count runs; /* sums over the runs of -r */
	struct spread spread;
};

struct count_key {
	uint32_t cpu, tid; /* cpu: of a group its number */
	uint32_t nr_cpus;  /* of a group: those that were counted */
	char comm[COMM_LEN];
};

struct counts {
	const struct event *events;
	int nr_events;
	enum count_by by;
	struct cpu_groups groups; /* of COUNT_BY_GROUP; for counts_free() */
	VEC(uint8_t) seen; /* CPUs of groups that were counted */
	VEC(struct count_key) keys;
	VEC(struct count_cell) cells; /* nr_events of each key */
	size_t last; /* key of the last reading */
	struct spread wall;	      /* seconds of the runs */
};

int counts_init(struct counts *c, const struct event *events, int nr_events, enum count_by by); /* 0 or -ENOMEM */
/* The same by groups of CPUs. 0 or -errno. */
int counts_init_groups(struct counts *c, const struct event *events, int nr_events, enum cpu_level level, int cache);
void counts_free(struct counts *c);

/* A round begins: what was read is the past. */
void counts_round(struct counts *c);

/* After the last round: counts_delta() is what all rounds added. */
void counts_sum(struct counts *c);

/* A run begins: all counters start from 0 again. */
void counts_run(struct counts *c);
int counts_add(struct counts *c, const struct reading *r); /* 0 or -ENOMEM */

/* The run has ended and took so long: adds what it counted to the spreads. */
void counts_end_run(struct counts *c, double wall_s, bool as_read);

const struct count_cell *counts_cell(const struct counts *c, size_t key, int event);

/* What this round added. */
struct count counts_delta(const struct count_cell *cell);

/* A count for all of the time it was wanted, from the part that it ran; value itself with as_read (--no-scale). */
double count_scaled(const struct count *count, bool as_read);

void spread_add(struct spread *s, double value);

/* The standard deviation of the mean in percent of the mean, as perf stat prints it. 0 for fewer than 2 runs. */
double spread_percent(const struct spread *s);

#endif
