/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options of strace's that skep trace takes beside its own, and what it answers to those that it does not take. */
#ifndef SKEP_CMD_TRACE_STRACE_H
#define SKEP_CMD_TRACE_STRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "util/opt.h"

/* The options of trace_strace_opts. */
struct trace_strace {
	uint64_t forks, quiet; /* how often -f and -q were given */
	bool has_no_ends; /* "+++ exited with 0 +++" is not shown */
	bool has_number, has_comm; /* of a call; of a thread beside its number */
	bool has_pids; /* each line has the number of its thread */
	bool append, separate;
	bool as_it_is; /* one that changes nothing */
};

extern const struct opt trace_strace_opts[];
extern const struct opt_rule trace_strace_rules[];
extern const struct opt_other trace_others[];

#endif
