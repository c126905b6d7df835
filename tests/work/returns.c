/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Does nothing for SECONDS but call level(6), which calls itself and at its end three more: short functions, so that whoever probes
 * them has most samples in what the probes cost. Prints "calls N" of twice().
 */
#include "work.h"

NOINLINE static int twice(int x)
{
	return 2 * x;
}

/* Those that begin with a nop of 5 bytes, or 10, of which a kernel may make a call. */
NOINLINE static int padded5(int x)
{
#ifdef __x86_64__
	__asm__ volatile(".byte 0x0f, 0x1f, 0x44, 0x00, 0x00");
#endif
	return x + 1;
}

NOINLINE static int padded10(int x)
{
#ifdef __x86_64__
	__asm__ volatile(".byte 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00");
#endif
	return x + 1;
}

NOINLINE static int level(int n)
{
	int below = n > 1 ? level(n - 1) : twice(n) + padded5(n) + padded10(n);

	__asm__ volatile("" : "+r"(below));
	return below + 1;
}

int main(int argc, char **argv)
{
	double want = argc > 1 ? atof(argv[1]) : 1;
	unsigned long calls = 0;

	while (cpu_s() < want)
		for (int i = 0; i < 100; i++, calls++)
			level(6);
	printf("calls %lu\n", calls);
	return 0;
}
