/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep stat record: the counts, also into a perf.data file, which has them by CPU however the table shows them. */
#ifndef SKEP_CMD_STAT_FILE_H
#define SKEP_CMD_STAT_FILE_H

#include "capture/source/count.h"
#include "cmd/machine.h"
#include "cmd/stat_options.h"
#include "data/stat.h"
#include "model/counts.h"

struct stat_file {
	struct data_writer *writer;
	struct data_meta meta;
	struct machine machine;
	struct counts counts; /* totals of this round */
	bool by_cpu;	      /* else of threads, wherever they run */
	bool by_rounds;	      /* of -I: none of them is the last */
	uint32_t first_cpu;   /* that the times of the run belong to */
};

/* Before COMMAND runs: opens path, or standard output for "-". What was opened is closed by stat_file_close(). 0, or -errno with err filled. */
int stat_file_open(struct stat_file *f, const char *path, const struct stat_options *o, const struct event *events, int nr_events, struct err *err);

/* Once the events are open, which have their last names then: what precedes the counts. command_pid: 0 without COMMAND. 0 or -errno. */
int stat_file_begin(struct stat_file *f, const struct stat_options *o, pid_t command_pid);

int stat_file_add(struct stat_file *f, const struct reading *r); /* 0 or -ENOMEM */

/* The readings since the last round were totals of so long after the start. 0 or -errno. */
int stat_file_round(struct stat_file *f, const enum counter_state *states, uint64_t time_ns);

/* ret: how the run ended. Returns it, or -errno of a failed write with err filled. */
int stat_file_close(struct stat_file *f, int ret, struct err *err);

#endif
