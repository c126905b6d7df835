/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* slower SECONDS FACTOR: SECONDS of CPU in first(), second() and third(), which do the same, but second() FACTOR times as much; prints its share. */
#include "work.h"

#define TURN 30000

NOINLINE void first(long n)
{
	SPIN(n);
}

NOINLINE void second(long n)
{
	SPIN(n);
}

NOINLINE void third(long n)
{
	SPIN(n);
}

int main(int argc, char **argv)
{
	double want = argc > 1 ? atof(argv[1]) : 1, factor = argc > 2 ? atof(argv[2]) : 1, in_second = 0, began = cpu_s(), t1, t2;
	unsigned long seed = 88172645463325252ul ^ (unsigned long)time(NULL);

	while (cpu_s() - began < want) {
		long n = TURN * (1 + uniform(&seed));

		first(n);
		t1 = cpu_s();
		second((long)(n * factor));
		t2 = cpu_s();
		third(n);
		in_second += t2 - t1;
	}
	printf("share second %.2f\n", 100 * in_second / (cpu_s() - began));
	return 0;
}
