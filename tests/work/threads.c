/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Eight threads, t0 .. t7, that burn CPU in proportion 1:2:...:8; prints each one's share. */
#include <pthread.h>
#include <sys/prctl.h>

#include "work.h"

#define THREADS 8

static double unit = 0.06, burned[THREADS];

static NOINLINE void burn(long id)
{
	char name[16];

	snprintf(name, sizeof(name), "t%ld", id);
	prctl(PR_SET_NAME, name);
	while (cpu_s() < unit * (id + 1))
		SPIN(50000);
	burned[id] = cpu_s();
}

static void *start(void *arg)
{
	burn((long)arg);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];
	double sum = 0;

	if (argc > 1)
		unit = atof(argv[1]) / 36;
	for (long i = 0; i < THREADS; i++)
		if (pthread_create(&t[i], NULL, start, (void *)i))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < THREADS; i++)
		sum += burned[i];
	for (int i = 0; i < THREADS; i++)
		printf("share t%d %.2f\n", i, 100 * burned[i] / sum);
	return 0;
}
