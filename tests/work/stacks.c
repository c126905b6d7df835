/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Burns CPU at the end of every kind of call that unwinding has to come back from. Each way is a function of main, or of a thread, and
 * ends in burn(); prints "way NAME FRAMES": frames that are surely between it and burn(), both left out.
 * usage: stacks SECONDS [LIBRARY]: the library's way_library(), which is loaded when half of the time is over
 */
#include <alloca.h>
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>

#include "burn.h"

#define DEEP 100

NOINLINE static void down(int n)
{
	if (n > 1)
		down(n - 1);
	else
		burn();
	sink_of_work++;
}

NOINLINE static void way_deep(void)
{
	down(DEEP);
	sink_of_work++;
}

NOINLINE static void room(size_t n)
{
	char *bytes = alloca(n);

	memset(bytes, (int)n, n);
	burn();
	sink_of_work += bytes[n / 2];
}

NOINLINE static void way_alloca(void)
{
	room(100 + (size_t)(sink_of_work & 0xfff));
	sink_of_work++;
}

static int compared;

NOINLINE static int compare(const void *a, const void *b)
{
	if (!compared++)
		burn();
	return *(const int *)a - *(const int *)b;
}

NOINLINE static void way_callback(void)
{
	int numbers[64];

	for (int i = 0; i < 64; i++)
		numbers[i] = i * 37 % 64;
	compared = 0;
	qsort(numbers, 64, sizeof(numbers[0]), compare);
	sink_of_work += numbers[5];
}

NOINLINE static void handler(int sig)
{
	burn();
	sink_of_work += sig;
}

NOINLINE static void way_signal(void)
{
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	sink_of_work++;
}

NOINLINE static void way_altstack(void)
{
	static char stack[65536];
	stack_t ss = { .ss_sp = stack, .ss_size = sizeof(stack) }, off = { .ss_flags = SS_DISABLE };
	struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_ONSTACK };

	sigaltstack(&ss, NULL);
	sigaction(SIGUSR2, &sa, NULL);
	raise(SIGUSR2);
	sigaltstack(&off, NULL);
	sink_of_work++;
}

static jmp_buf back;

NOINLINE static void jump(int n)
{
	if (n)
		jump(n - 1);
	else if (sink_of_work >= 0)
		longjmp(back, 1);
	sink_of_work++;
}

NOINLINE static void way_longjmp(void)
{
	if (!setjmp(back))
		jump(20);
	burn();
	sink_of_work++;
}

/* Over-aligned: the compiler makes a frame with a register of its own. */
NOINLINE static void way_aligned(void)
{
	char room[256] __attribute__((aligned(128)));

	memset(room, sink_of_work, sizeof(room));
	burn();
	sink_of_work += room[sink_of_work & 0xff];
}

NOINLINE static void tail_end(void)
{
	burn();
	sink_of_work++;
}

NOINLINE static void tail(void)
{
	sink_of_work++;
	tail_end();
}

NOINLINE static void way_tail(void)
{
	tail();
	sink_of_work++;
}

NOINLINE static void *way_thread(void *arg)
{
	burn();
	sink_of_work++;
	return arg;
}

static void thread(void)
{
	pthread_t t;

	if (!pthread_create(&t, NULL, way_thread, NULL))
		pthread_join(t, NULL);
}

static void (*way_library)(void (*)(void));

#ifdef STATIC /* has no libraries */
static int load(const char *path)
{
	fprintf(stderr, "stacks: cannot load %s\n", path);
	return -1;
}
#else
static int load(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);

	way_library = library ? (void (*)(void (*)(void)))dlsym(library, "way_library") : NULL;
	if (!way_library)
		fprintf(stderr, "stacks: %s\n", dlerror());
	return way_library ? 0 : -1;
}
#endif

int main(int argc, char **argv)
{
	static void (*const ways[])(void) = { way_deep,     way_alloca,  way_callback, way_signal, way_altstack,
					     way_longjmp, way_aligned, way_tail,     thread };
	double seconds = argc > 1 ? atof(argv[1]) : 1, start = cpu_s();

	slice = seconds / 50;
	for (double now = 0; now < seconds; now = cpu_s() - start) {
		if (argc > 2 && !way_library && now > seconds / 2 && load(argv[2]))
			return 1;
		for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
			ways[i]();
		if (way_library)
			way_library(burn);
	}
	printf("way way_deep %d\nway way_alloca 1\nway way_callback 2\nway way_signal 3\nway way_altstack 3\nway way_longjmp 0\n"
	       "way way_aligned 0\nway way_tail 1\nway way_thread 0\n", DEEP);
	if (way_library)
		puts("way way_library 1");
	return 0;
}
