/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Burns CPU under DEPTH (default 200) frames of recursion. */
#include "work.h"

static double want;

NOINLINE int down(int depth)
{
	if (!depth) {
		while (cpu_s() < want)
			SPIN(100000);
		return 1;
	}
	int below = down(depth - 1);

	__asm__ volatile("" : "+r"(below)); /* no compiler may turn the recursion into a loop */
	return below + 1;
}

int main(int argc, char **argv)
{
	int depth = argc > 1 ? atoi(argv[1]) : 200;

	want = argc > 2 ? atof(argv[2]) : 1;
	printf("depth %d\n", down(depth) - 1);
	return 0;
}
