/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Works in the C library, in loops behind calls, switches, and functions that are called by address. Prints how often.
 * usage: library SECONDS
 */
#include "work.h"

#define NUMBERS 20000
#define DEEP 30

static int numbers[NUMBERS];

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

NOINLINE static int spell(int depth)
{
	char text[64];

	snprintf(text, sizeof(text), "%d %8.3f %s %lx", depth, depth / 3.0, "and so on", depth * 65537L);
	return (depth ? spell(depth - 1) : 0) + text[0];
}

int main(int argc, char **argv)
{
	double end = wall_s() + atof(argv[argc - 1]);
	long n = 0, sum = 0;

	while (wall_s() < end) {
		for (int i = 0; i < NUMBERS; i++)
			numbers[i] = rand();
		qsort(numbers, NUMBERS, sizeof(*numbers), compare);
		sum += numbers[0];
		for (int i = 0; i < 200; i++)
			sum += spell(DEEP);
		n++;
	}
	printf("%ld times, %d\n", n, sum != 0);
	return 0;
}
