/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SHOW: what the scheduler did with tasks as a table, CSV or JSON. */
#ifndef SKEP_RENDER_ROWS_SCHED_H
#define SKEP_RENDER_ROWS_SCHED_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "model/sched.h"
#include "render/rows/hists.h"

struct sched_view {
	struct hists_cfg key; /* by, json, separator, top, since_start_ns, no_head, cgroup_path: as of other tables by key */
	bool hist;	      /* histograms of waits, of runs and of sleeps */
	uint64_t start_ns;    /* CLOCK_MONOTONIC: when the longest wait ended is told from there on */
};

/* The rows of a round. Times are ns in CSV and JSON. 0 or -EIO. */
int render_sched(FILE *out, const struct sched_table *t, const struct sched_view *view);

#endif
