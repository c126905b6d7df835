/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The threads that are there, and which of them wait in a call. */
#ifndef SKEP_CMD_TRACE_THREADS_H
#define SKEP_CMD_TRACE_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/map.h"
#include "util/vec.h"

struct trace_thread {
	uint32_t pid, tid;
	uint64_t last_ns;  /* of its last event */
	uint64_t waits_ns; /* when the begin of its call was shown; 0: it was not */
	uint64_t args[6];  /* of that call */
	uint16_t nr;	   /* of that call, or of the last that was shown */
	bool has_called;   /* there was one */
	uint8_t shown;	   /* as many of its arguments */
	bool is_known;	   /* what it does now was looked at */
};

/* Zeroed before its first use. */
struct trace_threads {
	VEC(struct trace_thread) all;
	struct map by_tid;
};

/* One that is there; NULL without memory. Valid until the next. */
struct trace_thread *trace_thread_add(struct trace_threads *t, uint32_t pid, uint32_t tid);
/* After an exec of a process this thread of it is the only one. */
void trace_threads_exec(struct trace_threads *t, uint32_t pid, uint32_t tid);
void trace_thread_drop(struct trace_threads *t, uint32_t tid);
void trace_threads_free(struct trace_threads *t);

#endif
