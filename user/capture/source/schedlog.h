/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the scheduler does, event by event: sink->sample in the order of time, with its sched; with stacks sink->task, too. */
#ifndef SKEP_CAPTURE_SOURCE_SCHEDLOG_H
#define SKEP_CAPTURE_SOURCE_SCHEDLOG_H

#include "capture/source.h"

struct schedlog_cfg {
	bool stacks;	 /* where a task was switched out */
	bool next;	 /* switches that put a target onto its CPU, too */
	bool wakeups;	 /* of targets, and by them */
	bool migrations;
	bool left;	 /* at the end: what each target does then */
	bool self;	 /* skep itself is not left out */
	uint32_t max_frames; /* of each stack; 0: as many as the kernel walks */
	uint64_t ring_bytes; /* of each CPU; 0: the source's own */
	bool bpf_stats;
};

/* cfg is borrowed for the source's life. NULL without memory. */
struct source *src_schedlog_new(const struct schedlog_cfg *cfg);

#endif
