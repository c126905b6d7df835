/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep trace --record: the kernel's records to a file, without decoding them; and -i, which shows them. */
#ifndef SKEP_CMD_TRACE_RECORD_H
#define SKEP_CMD_TRACE_RECORD_H

#include "calls/calls.h"
#include "capture/source/trace.h"
#include "cmd/run.h"
#include "data/calllog.h"

struct trace_record {
	const char *path;
	const struct trace_cfg *source;
	const struct target *target;
	const struct honesty *h;
	uint64_t duration_ns;
	double budget; /* as of struct session_cfg */
	bool is_whole; /* -v */
};

/* 0, or -errno with err filled; *ret_status: the exit code. */
int trace_record_run(const struct trace_record *o, int *ret_status, struct err *err);

/* Fills err: why a live run, with lines or a recording, has kept no call. Returns -ENODATA. */
int trace_record_nothing(const struct profile *p, struct err *err);

struct trace_replay {
	const char *path;
	const struct trace_cfg *wanted; /* what is shown of it */
	struct calllog_reader *reader;
	struct calllog_meta meta;
};

/*
 * Opens the file, and checks that it has as much of strings and structures as is to be shown. Without has_text style->text becomes what it
 * has. out: that of -o. 0, or -errno with err filled.
 */
int trace_replay_open(struct trace_replay *r, struct call_style *style, bool has_text, const char *out, struct err *err);

/* For run_file(), replay: a struct trace_replay. Delivers what is wanted to the run's sink->sample. 0, or -errno with err filled. */
int trace_replay_run(void *replay, struct run *run, struct err *err);
void trace_replay_close(struct trace_replay *r);

#endif
