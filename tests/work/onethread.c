/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* onethread BURN SLEEP: a second thread prints its id, burns CPU for BURN seconds and ends; the process sleeps on for SLEEP more. */
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

#include "work.h"

static void *burn(void *seconds)
{
	double end = cpu_s() + *(double *)seconds;

	printf("%d\n", gettid());
	fflush(stdout);
	while (cpu_s() < end)
		;
	return NULL;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	pthread_t t;

	pthread_create(&t, NULL, burn, &seconds);
	pthread_join(t, NULL);
	sleep(argc > 2 ? atoi(argv[2]) : 10);
	return 0;
}
