/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* FOLD: a system call, a signal or the end of a thread as a row. Pure: its texts are made elsewhere. */
#ifndef SKEP_MODEL_CALLROW_H
#define SKEP_MODEL_CALLROW_H

#include "row.h"
#include "sample.h"

enum callrow_column {
	CALLROW_TIME, CALLROW_SECONDS, CALLROW_COMM, CALLROW_PID, CALLROW_TID, CALLROW_CPU, CALLROW_KIND, CALLROW_NAME, CALLROW_ARGS,
	CALLROW_RESULT, CALLROW_RET, CALLROW_ERROR, CALLROW_DURATION, CALLROW_STACK, CALLROW_COLUMNS
};

/* Texts of CALLROW_KIND beside call, signal and exit: the begin of a call that has not returned, and its rest; an operation of io_uring. */
#define CALLROW_WAITS "unfinished"
#define CALLROW_RESUMES "resumed"
#define CALLROW_URING "io_uring"
#define CALLROW_LOST "lost" /* here events are missing: ret is how many; of no process */
#define CALLROW_FAULT "fault" /* a page fault: args is where, and what it touched */

extern const struct schema callrow_schema;

#define CALLROW_EVENT "event" /* another event, which has a name and args */

/* Borrowed; NULL: there is none. Of a signal args is its siginfo, of an end how it ended, of an event its values. */
struct callrow_texts {
	const char *name, *args, *result;
	const char *const *frames; /* leaf first, NULL after the last */
};

struct callrow {
	struct row row;
	struct value values[CALLROW_COLUMNS];
};

/* ret_row borrows all. start_ns: of the run. */
void callrow_make(const struct sample *s, const struct callrow_texts *texts, uint64_t start_ns, struct callrow *ret_row);

#endif
