/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The sampler: bpf/sample.bpf.c on one perf event per CPU and event, with the side band that gives addresses their meaning. */
#ifndef SKEP_CAPTURE_SOURCE_SAMPLE_H
#define SKEP_CAPTURE_SOURCE_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/source.h"
#include "capture/source/probe.h"
#include "event/event.h"

struct sample_cfg {
	struct event *events; /* cycles becomes cpu-clock, in place, where there is no PMU */
	int nr_events;
	struct probe *probes; /* of each event that is no counter one, which names it (has_event) */
	int nr_probes;
	bool records;	    /* of tracepoints that have one value, their record: each sample has it; only when streaming */
	bool aggregate;	    /* sum in the kernel; else stream every sample with its time */
	bool no_kernel_stack, no_user_stack;
	bool has_cgroup;    /* samples have their cgroup */
	bool keeps_self;    /* skep's own samples are samples, too */
	bool by_tid;	    /* keep threads apart in aggregate mode */
	bool keeps;	    /* what is delivered is kept, to be delivered again */
	bool keeps_budget;  /* of what has no rate a part may be left out (base_take_part()) */
	bool bpf_stats;	    /* have the kernel time the programs */
	uint32_t max_frames; /* of each stack, 0: STACK_MAX_FRAMES */
	uint64_t interval_ns; /* how often sums are taken, 0: at the end */
	uint32_t stacks_max; /* distinct stacks that are summed, 0: default; overflow goes to the ring */
	uint64_t ring_bytes;		 /* per CPU, power of two; 0: default */
};

/* cfg outlives it. NULL without memory. */
struct source *src_sample_new(const struct sample_cfg *cfg);

#endif
