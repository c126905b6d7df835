/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A run of the scheduler's events into a view: what skep sched's subcommands share. */
#ifndef SKEP_CMD_SCHEDLOG_H
#define SKEP_CMD_SCHEDLOG_H

#include "capture/ksym.h"
#include "capture/source/schedlog.h"
#include "cmd/cmd.h"
#include "cmd/measure.h"
#include "cmd/run.h"
#include "sym/stack.h"

extern const struct cmd cmd_sched_timehist, cmd_sched_map, cmd_sched_record;

struct schedlog {
	struct run run; /* first. sink.sample is the view's; it may end the run, and counts its nr_rows */
	/* Set by the view; borrowed. */
	struct target *target;
	const struct honesty *h;
	struct run_cfg out;
	struct schedlog_cfg source;
	struct walk_options walks; /* of its stacks */
	int (*begin)(struct schedlog *log); /* after all is attached: 0 or -errno */
	/* After all events, with the ledger: 0 or -errno. NULL: nothing is written then. */
	int (*end)(struct schedlog *log);
	/* Own. */
	uint64_t start_ns; /* CLOCK_MONOTONIC */
	struct syms *syms; /* NULL: no stacks */
	struct ksym_asker *ksym;
	struct stack stack;
};

/* Frames of the sample's stack, leaf first, without those of the scheduler. Returns how many: 0 without stacks. */
uint32_t schedlog_frames(struct schedlog *log, const struct sample *s, const struct frame **ret_frames);

/* Checks the target, runs, prints the ledger. Returns the exit code, or -errno with err filled. */
int schedlog_run(struct schedlog *log, struct err *err);

/* Options of perf sched that all of its commands have: those without effect, and rows of the refused. */
extern const struct opt schedlog_nothing_opts[];

#define SCHEDLOG_LIVE "is of a file, and skep sched shows what the scheduler does as it happens"
#define SCHEDLOG_OTHERS                                                                                        \
	{ "-i", SCHEDLOG_LIVE, "perf sched -i FILE, for perf.data; -a --duration 5, or -- COMMAND" },        \
	{ "--input", SCHEDLOG_LIVE, "perf sched -i FILE, for perf.data; -a --duration 5, or -- COMMAND" },   \
	{ "-D", SCHEDLOG_LIVE, "skep script -D prints the records of a perf.data" },                         \
	{ "--dump-raw-trace", SCHEDLOG_LIVE, "skep script -D prints the records of a perf.data" }

#endif
