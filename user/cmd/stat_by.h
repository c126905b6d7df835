/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The part of skep stat that sums by a key. */
#ifndef SKEP_CMD_STAT_BY_H
#define SKEP_CMD_STAT_BY_H

#include "capture/session.h"
#include "event/event.h"

struct stat_by {
	const char *keys; /* --by; NULL: "syscall" */
	const char *separator, *fields, *out;
	uint64_t top, rows_max, duration_ns, interval_ns;
	bool latency, json, append;
};

/*
 * Runs and prints. Events are system calls and tracepoints. *ret_status: COMMAND's. 0 or -errno with err.
 */
int stat_by_run(const struct stat_by *o, const struct target *target, const struct event *events, int nr_events,
		struct profile *profile, int *ret_status, struct err *err);

#endif
