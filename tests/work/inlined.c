/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* All its time is in a function that is inlined into another one. */
#include "work.h"

static volatile long x;

static inline __attribute__((always_inline)) void inner(long n)
{
	for (long i = 0; i < n; i++)
		x += i;
}

NOINLINE void outer(long n)
{
	inner(n);
}

int main(void)
{
	for (int i = 0; i < 200; i++)
		outer(1000000);
	return 0;
}
