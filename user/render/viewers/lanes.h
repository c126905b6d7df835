/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Samples put aside by thread and event, for formats that have all of a thread in one place: in streams of a temporary file. Of sums,
 * which need not have threads, also by the thread's name.
 */
#ifndef SKEP_RENDER_VIEWERS_LANES_H
#define SKEP_RENDER_VIEWERS_LANES_H

#include "render/viewers/stacktable.h"
#include "render/viewers/viewer.h"
#include "util/strands.h"

/* A sample of a lane. */
struct lane_sample {
	uint64_t time_ns, weight;
	uint32_t node; /* of the stack table */
	uint32_t count;
};

struct lane {
	uint32_t pid, tid, event;
	const char *comm;   /* the last */
	uint32_t samples;   /* its strand */
	uint32_t markers;   /* likewise, of the caller's: STRANDS_NONE before the first */
	uint32_t of_thread; /* the first lane of the thread */
	uint64_t nr, nr_markers, weight, last_ns;
};
#define STRANDS_NONE UINT32_MAX

struct lanes {
	const struct viewer_cfg *cfg;
	struct stacktable stacks;
	struct strands strands;
	VEC(struct lane) all;
	struct map by_thread, by_tid; /* of thread and event; of the thread alone: its first */
	uint64_t first_ns, last_ns; /* of all samples */
	bool has_first;
	uint32_t node; /* of the sample that was added last */
};

/* Adds a sample: the number of its lane, or -errno with err filled where it is of the file. */
int64_t lanes_add(struct lanes *set, const struct named *named, uint32_t nr_frames, struct err *err);

/* The numbers of all lanes, the heaviest first; of one weight, those that came first. NULL: no memory; the caller frees it. */
uint32_t *lanes_order(const struct lanes *set);

/* "name (pid/tid)", and the event where there are several, into buf, which is returned. */
#define LANE_NAME_BYTES 512
const char *lane_name(const struct lanes *set, const struct lane *s, char *buf);

struct strand_reader lanes_read(const struct lanes *set, uint32_t strand);
void lanes_free(struct lanes *set);

#endif
