/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One thread burns CPU in alone(), then N threads in together(): phases [SECONDS [N]], each SECONDS in all. Prints their shares. */
#include <pthread.h>

#include "work.h"

#define THREADS_MAX 64

static double each;

static NOINLINE void alone(double s)
{
	while (cpu_s() < s)
		SPIN(50000);
}

static NOINLINE void together(void)
{
	while (cpu_s() < each)
		SPIN(50000);
}

static void *start(void *arg)
{
	together();
	return arg;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 0.5;
	int n = argc > 2 ? atoi(argv[2]) : 4;
	pthread_t t[THREADS_MAX];

	if (n < 1 || n > THREADS_MAX)
		return 1;
	each = seconds / n;
	alone(seconds);
	for (int i = 0; i < n; i++)
		if (pthread_create(&t[i], NULL, start, NULL))
			return 1;
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	printf("share alone 50\nshare together 50\n");
	return 0;
}
