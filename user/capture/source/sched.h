/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the scheduler did with each task: time by state, switches, wake-ups, migrations, and how long it waited for a CPU.
 * Delivers what is new of every task that lives, up to that moment, and the totals of those that have ended.
 */
#ifndef SKEP_CAPTURE_SOURCE_SCHED_H
#define SKEP_CAPTURE_SOURCE_SCHED_H

#include "capture/source.h"

struct sched_cfg {
	uint32_t by; /* of enum by_bit: comm, pid, tid, user, cgroup */
	bool hist;   /* histograms of the time on a CPU and of the time asleep, too */
	uint32_t rows_max; /* keys of tasks that have ended; 0: SCHED_ROWS_DEFAULT */
	bool bpf_stats;
};

/* cfg is borrowed for the source's life. NULL without memory. */
struct source *src_sched_new(const struct sched_cfg *cfg);

#endif
