/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A run of the scheduler's events into a view: what skep sched's subcommands share. */
#ifndef SKEP_CMD_SCHEDLOG_H
#define SKEP_CMD_SCHEDLOG_H

#include "capture/ksym.h"
#include "capture/source/schedlog.h"
#include "cmd/cmd.h"
#include "cmd/measure.h"
#include "cmd/stat_out.h"
#include "sym/stack.h"

extern const struct cmd cmd_sched_timehist, cmd_sched_map;

struct schedlog {
	struct sink sink; /* first. event is the view's; it may end the run */
	/* Set by the view; borrowed. */
	const struct target *target;
	const struct honesty *h;
	struct schedlog_cfg source;
	struct walk_options walks; /* of its stacks */
	uint64_t duration_ns;
	int (*begin)(struct schedlog *log); /* after all is attached: 0 or -errno */
	/* After all events, with the ledger: 0 or -errno. NULL: nothing is written then. */
	int (*end)(struct schedlog *log);
	struct stat_out out;
	/* Own. */
	struct profile profile;
	uint64_t start_ns; /* CLOCK_MONOTONIC */
	uint64_t nr_events; /* delivered, counted by the view */
	struct syms *syms; /* NULL: no stacks */
	struct ksym_asker *ksym;
	struct stack stack;
};

/* Frames of the event's stack, leaf first, without those of the scheduler. Returns how many: 0 without stacks. */
uint32_t schedlog_frames(struct schedlog *log, const struct schedlog_event *e, const struct frame **ret_frames);

/* Runs, closes its output, prints the ledger. ret: of opening that. Returns the exit code, or -errno with err filled. */
int schedlog_run(struct schedlog *log, struct err *err);

#endif
