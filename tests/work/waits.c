/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * waits SECONDS: one thread that waits in three functions (asleep, for a pipe that never has anything, for another thread), and one that
 * wakes it. Tells how long the first was off its CPU in each of them: "off FUNCTION NS" (wall time less the thread's CPU time). None
 * of them makes the system call itself: by frame pointers, who calls a function of a C library without them is missing in its stack.
 */
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include "work.h"

static int request[2], answer[2], silent[2];

static NOINLINE void sleep_ns(long ns)
{
	struct timespec t = { 0, ns };

	nanosleep(&t, NULL);
	asm volatile("");
}

static NOINLINE void sleep_3ms(void)
{
	sleep_ns(3000000);
	asm volatile("");
}

static NOINLINE void poll_ms(int ms)
{
	struct pollfd p = { .fd = silent[0], .events = POLLIN };

	poll(&p, 1, ms);
	asm volatile("");
}

static NOINLINE void poll_1ms(void)
{
	poll_ms(1);
	asm volatile("");
}

static NOINLINE int take(int fd)
{
	char byte;
	int n = read(fd, &byte, 1);

	asm volatile("");
	return n;
}

static NOINLINE void give(int fd)
{
	char byte = 'x';

	if (write(fd, &byte, 1) != 1)
		_exit(1);
	asm volatile("");
}

static NOINLINE void ask_server(void)
{
	give(request[1]);
	if (take(answer[0]) != 1)
		_exit(1);
	asm volatile("");
}

static NOINLINE void serve(void)
{
	while (take(request[0]) == 1) {
		sleep_ns(2000000);
		give(answer[1]);
	}
	asm volatile("");
}

static void *server(void *arg)
{
	serve();
	asm volatile("");
	return arg;
}

static NOINLINE double timed(void (*wait)(void))
{
	double wall = wall_s(), cpu = cpu_s();

	wait();
	return wall_s() - wall - (cpu_s() - cpu);
}

int main(int argc, char **argv)
{
	double until_s = wall_s() + (argc > 1 ? atof(argv[1]) : 1), asleep = 0, polled = 0, asked = 0;
	pthread_t thread;

	if (pipe(request) || pipe(answer) || pipe(silent) || pthread_create(&thread, NULL, server, NULL))
		return 2;
	while (wall_s() < until_s) {
		asleep += timed(sleep_3ms);
		polled += timed(poll_1ms);
		asked += timed(ask_server);
	}
	printf("off sleep_3ms %.0f\noff poll_1ms %.0f\noff ask_server %.0f\n", asleep * 1e9, polled * 1e9, asked * 1e9);
	close(request[1]);
	pthread_join(thread, NULL);
	return 0;
}
