/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads the clock for SECONDS (default 1) of CPU: where the vdso serves it, nearly all of the time is spent there. */
#include "work.h"

int main(int argc, char **argv)
{
	double want = argc > 1 ? atof(argv[1]) : 1;
	struct timespec t;
	long calls = 0;

	while (cpu_s() < want)
		for (int i = 0; i < 10000; i++, calls++)
			clock_gettime(CLOCK_MONOTONIC, &t);
	printf("calls %ld\n", calls);
	return 0;
}
