/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Crashes in a function without a frame, at the end of a kind of call that unwinding has to come back from. Before that it prints
 * its mappings as the kernel does, and "frame ADDRESS" for each address that glibc's backtrace() finds, innermost first.
 * usage: crash WAY
 */
#include <alloca.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define DEEP 100
#define FRAMES_MAX 400

static volatile int sink_of_work;

/* Interrupted where all it has is its return address, in a register if the machine has one. */
void trap(void);
#ifdef __aarch64__
__asm__(".text\n.globl trap\n.type trap, %function\ntrap:\n.cfi_startproc\nbrk #1\nret\n.cfi_endproc\n.size trap, .-trap\n");
#else
__asm__(".text\n.globl trap\n.type trap, @function\ntrap:\n.cfi_startproc\nint3\nret\n.cfi_endproc\n.size trap, .-trap\n");
#endif

static void print_maps(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		fputs(line, stdout);
	if (f)
		fclose(f);
}

NOINLINE void burn(void)
{
	void *frames[FRAMES_MAX];
	int n = backtrace(frames, FRAMES_MAX);

	print_maps();
	for (int i = 0; i < n; i++)
		printf("frame %p\n", frames[i]);
	fflush(stdout);
	signal(SIGTRAP, SIG_DFL);
	trap();
	sink_of_work++;
}

NOINLINE static void down(int n)
{
	if (n > 1)
		down(n - 1);
	else
		burn();
	sink_of_work++;
}

static void way_deep(void)
{
	down(DEEP);
	sink_of_work++;
}

NOINLINE static void way_alloca(void)
{
	size_t n = 100 + (size_t)(sink_of_work & 0xfff);
	char *bytes = alloca(n);

	memset(bytes, (int)n, n);
	burn();
	sink_of_work += bytes[n / 2];
}

/* Larger than offsets of 16 bits. */
NOINLINE static void way_large(void)
{
	char bytes[100000];

	memset(bytes, sink_of_work, sizeof(bytes));
	burn();
	sink_of_work += bytes[sink_of_work & 0xff];
}

NOINLINE static void way_aligned(void)
{
	char room[256] __attribute__((aligned(128)));

	memset(room, sink_of_work, sizeof(room));
	burn();
	sink_of_work += room[sink_of_work & 0xff];
}

NOINLINE static int compare(const void *a, const void *b)
{
	burn();
	return *(const int *)a - *(const int *)b;
}

NOINLINE static void way_callback(void)
{
	int numbers[4] = { 4, 3, 2, 1 };

	qsort(numbers, 4, sizeof(numbers[0]), compare);
	sink_of_work += numbers[2];
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

/* Interrupts a function that has no frame. */
NOINLINE static void way_leaf(void)
{
	signal(SIGTRAP, handler);
	trap();
	sink_of_work++;
}

NOINLINE static void way_altstack(void)
{
	static char stack[65536];
	stack_t ss = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction sa = { .sa_handler = handler, .sa_flags = SA_ONSTACK };

	sigaltstack(&ss, NULL);
	sigaction(SIGTRAP, &sa, NULL);
	trap();
	sink_of_work++;
}

NOINLINE static void *in_thread(void *arg)
{
	way_alloca();
	sink_of_work++;
	return arg;
}

static void way_thread(void)
{
	pthread_t t;

	if (!pthread_create(&t, NULL, in_thread, NULL))
		pthread_join(t, NULL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*go)(void);
	} ways[] = {
		{ "deep", way_deep },	      { "alloca", way_alloca }, { "large", way_large }, { "aligned", way_aligned },
		{ "callback", way_callback }, { "signal", way_signal }, { "leaf", way_leaf },	{ "altstack", way_altstack },
		{ "thread", way_thread },
	};

	for (size_t i = 0; argc > 1 && i < sizeof(ways) / sizeof(ways[0]); i++)
		if (!strcmp(argv[1], ways[i].name))
			ways[i].go();
	return 1;
}
