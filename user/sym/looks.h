/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* When a file that grows, with names of a process's code, is looked at again. */
#ifndef SKEP_SYM_LOOKS_H
#define SKEP_SYM_LOOKS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "util/clock.h"

#define LOOKS_MS 10u /* so often may a missing name have it read */
#define LOOKS_PART 8 /* of the time since the first look */
#define LOOKS_LEAST_MS 90u /* a little less than a session's tick */
#define LOOKS_MOST_MS 5000u

struct looks {
	uint64_t first_ms, last_ms; /* CLOCK_MONOTONIC; 0: not yet */
};

static inline uint64_t looks_now_ms(void)
{
	return clock_ns(CLOCK_MONOTONIC_COARSE) / 1000000;
}

static inline void looks_note(struct looks *l)
{
	l->last_ms = looks_now_ms();
	if (!l->first_ms)
		l->first_ms = l->last_ms;
}

/* Without a name that is missing: before the first look, then after an eighth of the time since that look, or after 5 s. */
static inline bool looks_are_due(const struct looks *l)
{
	uint64_t wait_ms = (l->last_ms - l->first_ms) / LOOKS_PART;

	if (wait_ms < LOOKS_LEAST_MS)
		wait_ms = LOOKS_LEAST_MS;
	return !l->last_ms || looks_now_ms() - l->last_ms >= (wait_ms < LOOKS_MOST_MS ? wait_ms : LOOKS_MOST_MS);
}

/* Samples come in batches, long after the JIT wrote down their names: one look serves many misses. */
static inline bool looks_may_ask(const struct looks *l)
{
	return looks_now_ms() - l->last_ms >= LOOKS_MS;
}

#endif
