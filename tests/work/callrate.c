/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* callrate N: makes N of the cheapest system calls and prints "ns X", the time of one; the best of 5 rounds. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "work.h"

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1000000;
	double best = 0;

	for (int round = 0; round < 5; round++) {
		double start = now(), took;

		for (long i = 0; i < n / 5; i++)
			syscall(SYS_getppid);
		took = (now() - start) / (n / 5);
		best = !round || took < best ? took : best;
	}
	printf("ns %.1f\n", best);
	return 0;
}
