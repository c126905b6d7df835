/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which switches of COMMAND's threads are in its file: those that perf, whose events begin with COMMAND's exec and end with each thread, has.
 * perf report --latency counts on it: one thread runs at first, each that comes to a CPU is one more, each that leaves it or exits one less.
 */
#ifndef SKEP_CMD_RECORD_SWITCHES_H
#define SKEP_CMD_RECORD_SWITCHES_H

#include <stdbool.h>

#include "sample.h"
#include "util/map.h"
#include "util/vec.h"

struct record_switches {
	bool has_begun; /* COMMAND */
	VEC(uint32_t) exited; /* threads, which still leave their CPU */
	struct map by_tid;
};

/* Takes each task event of COMMAND, in the order of time. 1: it is not for the file; 0; or -ENOMEM. */
int record_switches_task(struct record_switches *s, const struct task_event *t);
void record_switches_free(struct record_switches *s);

#endif
