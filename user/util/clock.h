/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The clock of samples: CLOCK_MONOTONIC, in ns. */
#ifndef SKEP_UTIL_CLOCK_H
#define SKEP_UTIL_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static inline uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

#endif
