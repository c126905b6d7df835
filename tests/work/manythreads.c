/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* manythreads N SECONDS: N threads that sleep, and one that burns CPU. */
#include <pthread.h>
#include <unistd.h>

#include "work.h"

static void *rest(void *arg)
{
	(void)arg;
	pause();
	return NULL;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 100;
	double end = argc > 2 ? atof(argv[2]) : 2;
	pthread_t t;

	for (int i = 0; i < n; i++)
		if (pthread_create(&t, NULL, rest, NULL))
			return 1;
	while (cpu_s() < end)
		SPIN(100000);
	return 0;
}
