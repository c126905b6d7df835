/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * FOLD: what a call tree adds up, kept apart by time, thread and CPU, so that a page can show a part of it. In: samples with their node.
 * A slice is what one thread spent in one node on one CPU within one bin of time. There are at most SLICES_MAX: when they get more, bins
 * become twice as wide, then CPUs are merged, then threads of one process; what still has no place is counted. Pure.
 */
#ifndef SKEP_MODEL_SLICES_H
#define SKEP_MODEL_SLICES_H

#include <stdbool.h>
#include <stdint.h>

#include "sample.h"
#include "util/map.h"
#include "util/vec.h"

#define SLICES_MAX 100000u
#define SLICE_BINS_MAX 400u /* of time */
#define SLICE_NO_CPU UINT32_MAX
#define SLICE_NO_EVENT UINT32_MAX

struct slice {
	uint32_t bin, task, cpu, node; /* task: index in slices.tasks; cpu: or SLICE_NO_CPU */
	uint64_t weight, count;
};

struct slice_task {
	const char *comm; /* interned */
	uint32_t pid, tid; /* tid 0: all threads of the process */
};

struct slices {
	/* Set by the owner, after slices_init(). */
	bool has_time;	      /* false: samples are sums over time; all are of one bin */
	uint32_t spans_event; /* samples of this event are time that ended at their time: it is spread over it; or SLICE_NO_EVENT */
	uint32_t max;	      /* SLICES_MAX, or less for tests */
	/* Filled. */
	VEC(struct slice) all;
	VEC(struct slice_task) tasks;
	uint64_t start_ns, last_ns, bin_ns; /* of the first bin; of the last sample; of each bin */
	uint32_t nr_bins;
	uint64_t left_out; /* weight of what had no place */
	/* Own. */
	struct map index, task_index;
	bool no_cpus, no_threads;
};

void slices_init(struct slices *s);
void slices_free(struct slices *s);

/* Adds a sample that the tree has in this node. comm: interned. 0 or -ENOMEM. */
int slices_add(struct slices *s, const struct sample *sample, const char *comm, uint32_t node);

#endif
