/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The part of skep stat that keeps the callers: --stack. */
#ifndef SKEP_CMD_STAT_STACK_H
#define SKEP_CMD_STAT_STACK_H

#include "cmd/measure.h"

struct stat_stack {
	const char *keys; /* --by: comm, pid, tid, cpu, event; NULL: event */
	const char *out;
	uint64_t top, duration_ns;
	bool json, csv;
	bool folded; /* whole stacks, a line each, in the place of the table */
	struct walk_options walks;
};

/*
 * Runs and prints: system calls and tracepoints, each time with its stacks. Takes the events' probes. *ret_status: COMMAND's. 0 or -errno with
 * err.
 */
int stat_stack_run(const struct stat_stack *o, const struct target *target, struct event *events, int nr_events,
		   struct profile *profile, int *ret_status, struct err *err);

/* The same for a measure whose events and probes exist; it stays the caller's. */
int stat_stack_measure(const struct stat_stack *o, struct measure *m, struct profile *profile, int *ret_status, struct err *err);

#endif
