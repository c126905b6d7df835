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

static inline double wall_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/*
 * A virtual CPU stands still now and then, and its clocks do not agree on that: no sampler can be held to the truth of such a run.
 * Each slice of n loops tells how long it took; what is far above the fastest is not the program's.
 */
struct steady {
	double fastest, all, lost; /* seconds of a loop, of all slices, of those that stood still */
};

static inline void steady_add(struct steady *s, double n, double took)
{
	double each = took / n;

	if (!s->fastest || each < s->fastest)
		s->fastest = each;
	s->all += took;
	if (each > 2 * s->fastest)
		s->lost += took - n * s->fastest;
}

/* "disturbed PERCENT", where it is more than one. */
static inline void steady_tell(const struct steady *s)
{
	if (s->lost > s->all / 100)
		printf("disturbed %.1f\n", 100 * s->lost / s->all);
}

/* A loop that a compiler cannot shorten. */
#define SPIN(n)                                            \
	do {                                               \
		for (volatile long i_ = 0; i_ < (n); i_++) \
			;                                  \
	} while (0)

#endif
