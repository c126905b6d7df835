/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counters of perf_event_open(2), read as they are: no BPF, and for one's own processes no privileges. */
#ifndef SKEP_CAPTURE_SOURCE_COUNT_H
#define SKEP_CAPTURE_SOURCE_COUNT_H

#include <stdbool.h>

#include "capture/source.h"
#include "event/event.h"

/* What became of an event when it was opened. */
enum counter_state {
	COUNTER_OPEN,
	COUNTER_NOT_SUPPORTED, /* this machine cannot count it */
	COUNTER_HIDDEN,	     /* it happens in the kernel only, which we may not count: it would read 0 */
};

struct count_cfg {
	struct event *events; /* ":u" is added to the name of one whose kernel part we may not count */
	int nr_events;
	enum counter_state *states; /* nr_events, filled by open */
	bool no_inherit;	  /* leave out the children made from now on */
	bool per_thread;	  /* keep the threads of -p apart */
};

/* cfg outlives it. NULL without memory. */
struct source *src_count_new(const struct count_cfg *cfg);

#endif
