/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the scheduler did with each task: time by state, switches, wake-ups, migrations, and how long it waited for a CPU.
 * Delivers what is new of every task that lives, up to that moment, and the totals of those that have ended.
 */
#ifndef SKEP_CAPTURE_SOURCE_SCHED_H
#define SKEP_CAPTURE_SOURCE_SCHED_H

#include "bpf/sched.h"
#include "capture/rows.h"
#include "capture/source.h"
#include "row.h"

/* Columns after those of the key (capture/rows.h). */
enum sched_column {
	SCHED_COL_RUN = ROWS_KEYS, SCHED_COL_WAIT, SCHED_COL_SLEEP, SCHED_COL_BLOCKED, SCHED_COL_STOPPED,
	SCHED_COL_VOLUNTARY, SCHED_COL_INVOLUNTARY, SCHED_COL_WAKEUPS, SCHED_COL_MIGRATIONS, SCHED_COL_WAITS,
	SCHED_COL_MEAN, SCHED_COL_P50, SCHED_COL_P99, SCHED_COL_MAX, SCHED_COL_MAX_AT,
	SCHED_COL_WAIT_SLOTS, SCHED_COL_RUN_SLOTS, SCHED_COL_SLEEP_SLOTS,
	SCHED_COL_WAITED, SCHED_COL_OFF, SCHED_COL_SWITCHES, /* for the mean and for orders */
	SCHED_COLUMNS
};

struct sched_schema {
	struct column columns[SCHED_COLUMNS];
	struct schema schema;
};

/* hist: histograms are in the text, and those of runs and sleeps are there at all. Points into itself: not to be moved. */
void sched_schema(struct sched_schema *ret_schema, bool hist);

#define SCHED_HISTS 3

/* Sums as values of the columns after the key; slots lives as long as the row. offset_ns: from the scheduler's clock to ours. */
void sched_values(const struct sched_sums *sums, int64_t offset_ns, uint64_t start_ns, uint64_t slots[SCHED_HISTS][HIST_SLOTS],
		  struct value *ret_values);

struct sched_cfg {
	const struct schema *schema;
	uint32_t by; /* of enum by_bit: comm, pid, tid, user, cgroup */
	bool hist;   /* histograms of the time on a CPU and of the time asleep, too */
	uint32_t rows_max; /* keys of tasks that have ended; 0: SCHED_ROWS_DEFAULT */
	bool bpf_stats;
};

/* cfg is borrowed for the source's life. NULL without memory. */
struct source *src_sched_new(const struct sched_cfg *cfg);

#endif
