/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lines of skep trace: calls, signals, ends of threads, page faults and other events, in the order of time. */
#ifndef SKEP_CMD_TRACE_LINES_H
#define SKEP_CMD_TRACE_LINES_H

#include "calls/out.h"
#include "cmd/trace_options.h"
#include "cmd/trace_stacks.h"
#include "cmd/trace_threads.h"

/* Zeroed but for the first group. */
struct trace_lines {
	struct trace_options *o; /* o->lines is set before each row: how that row is printed */
	struct sink *rows;	 /* rows of callrow_schema go to its row() */
	struct profile *profile; /* losses of names */
	uint64_t start_ns;	 /* of the run; CLOCK_MONOTONIC */
	bool is_text;
	bool has_many;	    /* what is selected can be several processes */
	uint32_t first_tid; /* src_trace_first(), also of a recording; 0: that of the first record */

	struct out args, result; /* of the line that is being made */
	struct trace_threads threads;
	struct trace_stacks stacks;
	uint64_t hidden;    /* ends of threads that -qq, or the selection of signals, has left out */
};

/* Sends the rows of a sample, after those of events that came before it; one of an event is kept. 0, -ENOMEM, or what row() returned. */
int trace_lines_take(struct trace_lines *l, const struct sample *s);

/* Sends the rows of events up to that time. Returns as trace_lines_take() does. */
int trace_lines_events(struct trace_lines *l, uint64_t until_ns);

/* Sends the begin of the call that a thread waits in, which has e->start_ns as the time of the line. Returns as trace_lines_take() does. */
int trace_lines_wait(struct trace_lines *l, struct trace_thread *t, const struct call_event *e);
void trace_lines_free(struct trace_lines *l);

#endif
