/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the C workloads share: burning CPU for random slices, so that no sampling clock falls into
 * step with them, and the truth about it from the thread's CPU clock.
 */
#ifndef SKEP_WORK_H
#define SKEP_WORK_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))

static inline double cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Uniform in [0, 1), xorshift64 (Marsaglia 2003). */
static inline double uniform(unsigned long *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (*state >> 11) * 0x1p-53;
}

/* A loop that a compiler cannot shorten. */
#define SPIN(n)                                            \
	do {                                               \
		for (volatile long i_ = 0; i_ < (n); i_++) \
			;                                  \
	} while (0)

#endif
