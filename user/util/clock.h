/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The clock of samples: CLOCK_MONOTONIC, in ns, as the kernel's own parts (BPF, perf events) have it. In a time namespace
 * that of user space is another one.
 */
#ifndef SKEP_UTIL_CLOCK_H
#define SKEP_UTIL_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define NS_PER_S UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)

extern int64_t clock_shift_ns; /* what our CLOCK_MONOTONIC is ahead of the kernel's */

/* Once, first: reads it from /proc. Without /proc it stays 0. */
void clock_init(void);

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static inline uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC) - clock_shift_ns;
}

#endif
