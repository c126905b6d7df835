/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Other events among the calls: hits of probes, kept until the calls that ended before them have been shown. */
#ifndef SKEP_CMD_TRACE_EVENTS_H
#define SKEP_CMD_TRACE_EVENTS_H

#include "capture/source/trace.h"
#include "cmd/probe_hits.h"
#include "target.h"
#include "util/vec.h"

#define TRACE_EVENTS_MAX 16

struct trace_hit {
	struct sample at; /* without what it points to */
	char comm[COMM_LEN];
	char *call, *values; /* "sched:sched_switch", "prev_comm=..." */
};

/* Zeroed before its first use. */
struct trace_events {
	const char *texts[TRACE_EVENTS_MAX]; /* of the options, borrowed */
	int nr_texts;
	struct probe probes[TRACE_EVENTS_MAX];
	struct probe_cfg cfg;
	struct probe_hits hits;
	struct rows_view view; /* names of values */
	VEC(struct trace_hit) waiting; /* in the order of time */
	size_t nr_shown; /* of these */
};

/* Does -e mean an event, and not calls? "k:vfs_read", "sched:sched_switch"; not "trace=...". */
bool trace_events_is(const char *text);

/* 0, or -EINVAL with err filled. */
int trace_events_add(struct trace_events *e, const char *text, struct err *err);

/* Parses them and finds what they stand for. calls: what is measured beside them. 0, or -errno with err filled. */
int trace_events_open(struct trace_events *e, const struct target *target, const struct trace_cfg *calls, struct err *err);
void trace_events_free(struct trace_events *e);

/* All is attached. */
void trace_events_start(struct trace_events *e);

/* Keeps a hit. 0 or -ENOMEM. */
int trace_events_take(struct trace_events *e, const struct sample *s);

/* The next one up to that time; NULL: there is none. Valid until the next call. */
const struct trace_hit *trace_events_next(struct trace_events *e, uint64_t until_ns);

#endif
