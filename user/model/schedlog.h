/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* FOLD: the numbers and words of an event of the scheduler, the same in every view; the row that it is. Pure. */
#ifndef SKEP_MODEL_SCHEDLOG_H
#define SKEP_MODEL_SCHEDLOG_H

#include <stdbool.h>

#include "frame.h"
#include "sample.h"

/* A time that is not known is no number. */
struct sched_time {
	bool is_known;
	uint64_t ns;
};

/* Of a switch: off a CPU before this run, of that able to run, and on the CPU. */
struct sched_times {
	struct sched_time wait, delay, run;
};

struct sched_times schedlog_times(const struct sched_event *e);

/* ps(1)'s letter of a state in the kernel's words: R S D T t X P I. */
char sched_letter(uint16_t state);

/* What a task in such a state does: SCHED_WAITING for 0. */
enum sched_state sched_state_of(uint16_t state);

/* Of a stack where a task was switched out, leaf first: the first frame that is not the scheduler's own, or our program's. */
uint32_t schedlog_stack_begin(const struct frame *frames, uint32_t n);

/* The columns of a switch, a wake-up or a migration. */
enum schedlog_column {
	LOG_SECONDS, LOG_TIME, LOG_WHAT, LOG_CPU, LOG_COMM, LOG_PID, LOG_TID, LOG_WAIT, LOG_DELAY, LOG_RUN, LOG_STATE, LOG_PREEMPTED,
	LOG_WAKER_IN, LOG_WAKER, LOG_WAKER_COMM, LOG_WAKER_PID, LOG_WAKER_TID, LOG_NEXT, LOG_NEXT_COMM, LOG_NEXT_PID, LOG_NEXT_TID, LOG_LAST_CPU,
	LOG_TO_CPU, LOG_OTHER_CPU, LOG_STACK, LOG_COLUMNS
};
extern const struct schema schedlog_schema;

struct schedlog_row {
	struct row row;
	struct value values[LOG_COLUMNS];
	char state[2];
	const char *frames[STACK_FRAMES_MAX + 3];
};

/* Not of SCHEDLOG_LEFT. frames: of the stack, leaf first. ret_row borrows all, and is not to be moved. */
void schedlog_row(const struct sample *s, const struct frame *frames, uint32_t nr_frames, uint64_t start_ns, struct schedlog_row *ret_row);

#endif
