/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* hitrate N: calls hit() N times with arguments of each kind and prints "ns X", the time of one; the best of 5 rounds. */
#include <stdlib.h>
#include <time.h>

#include "work.h"

/* A nop in front: the kernel need not step over the instruction under the probe, which takes it ten times as long. */
__attribute__((noinline, patchable_function_entry(1))) long hit(int index, unsigned long bytes, const char *name, long *sum)
{
	*sum += index + (long)bytes + name[0];
	return *sum;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1000000, sum = 0;
	double best = 0;

	for (int round = 0; round < 5; round++) {
		double start = now(), took;

		for (long i = 0; i < n / 5; i++)
			hit((int)i, 4096, "a name of some length", &sum);
		took = (now() - start) / (n / 5);
		best = !round || took < best ? took : best;
	}
	printf("ns %.1f\n", best);
	return sum == 42;
}
