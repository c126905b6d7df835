/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * crowd THREADS CALLS: threads that are all there at the same time; then each calls getpgid(its own number) CALLS times, by number. Prints
 * "threads N" and "call getpgid N". Exit 77 if there cannot be so many.
 */
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "work.h"

#define STACK_BYTES 65536

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static int is_open;
static long calls;

static void *call(void *unused)
{
	long tid = syscall(SYS_gettid);

	pthread_mutex_lock(&gate);
	while (!is_open)
		pthread_cond_wait(&opened, &gate);
	pthread_mutex_unlock(&gate);
	for (long i = 0; i < calls; i++)
		syscall(SYS_getpgid, tid);
	return unused;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 100;
	pthread_t *t = calloc(n, sizeof(*t));
	pthread_attr_t attr;

	calls = argc > 2 ? atol(argv[2]) : 1;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	for (long i = 0; i < n; i++)
		if (pthread_create(&t[i], &attr, call, NULL))
			return 77;
	pthread_mutex_lock(&gate);
	is_open = 1;
	pthread_cond_broadcast(&opened);
	pthread_mutex_unlock(&gate);
	for (long i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	printf("threads %ld\ncall getpgid %ld\n", n, n * calls);
	return 0;
}
