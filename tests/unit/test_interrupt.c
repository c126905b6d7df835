/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A child that hangs in each stage, real signals, and what it says. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "util/clock.h"
#include "util/interrupt.h"

#define SECOND_NS 1000000000ull
#define PATIENCE_NS (3 * SECOND_NS) /* a second, and what a loaded machine takes */

struct hung {
	pid_t pid;
	int said; /* its standard error */
};

static void nap(uint64_t ns)
{
	struct timespec t = { (time_t)(ns / SECOND_NS), (long)(ns % SECOND_NS) };

	nanosleep(&t, NULL);
}

/* body: of the child, after its signals were taken; it says when it hangs. */
static struct hung hang(void (*body)(void))
{
	struct hung h;
	char byte;
	int said[2], ready[2];

	assert_int_equal(pipe(said), 0);
	assert_int_equal(pipe(ready), 0);
	h.pid = fork();
	assert_true(h.pid >= 0);
	if (!h.pid) {
		dup2(said[1], STDERR_FILENO);
		alarm(20);
		interrupts_take(NULL);
		if (write(ready[1], "r", 1) == 1)
			body();
		_exit(0);
	}
	close(said[1]);
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	nap(SECOND_NS / 10);
	h.said = said[0];
	return h;
}

/* Its end soon after the last signal, with status 1 and this text. */
static void ends(struct hung *h, uint64_t from_ns, const char *text)
{
	char said[1024];
	ssize_t n = 0, got;
	int status;

	assert_int_equal(waitpid(h->pid, &status, 0), h->pid);
	if (now_ns() - from_ns >= PATIENCE_NS)
		fail_msg("it took %.2f s", (now_ns() - from_ns) / 1e9);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 1);
	while ((got = read(h->said, said + n, sizeof(said) - 1 - n)) > 0)
		n += got;
	said[n] = '\0';
	close(h->said);
	if (!strstr(said, text))
		fail_msg("said '%s', not '%s'", said, text);
}

static void stay(void)
{
	for (;;)
		pause();
}

static void run_and_stay(void)
{
	interrupts_stage(INTERRUPT_RUN, "measuring", "the result");
	stay();
}

static void finish_and_stay(void)
{
	interrupts_stage(INTERRUPT_FINISH, "naming", "the result");
	stay();
}

static void test_setup(void **state)
{
	struct hung h = hang(stay);
	uint64_t at = now_ns();

	(void)state;
	kill(h.pid, SIGTERM);
	ends(&h, at, "skep: interrupted while setting up; lost: everything (nothing was measured yet)\n");
}

/* The first is said to have come, and ends nothing. */
static void twice(void (*body)(void), const char *still, const char *text)
{
	struct hung h = hang(body);
	struct pollfd p = { .fd = h.said, .events = POLLIN };
	char first[256];
	uint64_t at;
	ssize_t n;

	kill(h.pid, SIGINT);
	assert_int_equal(poll(&p, 1, 5000), 1);
	n = read(h.said, first, sizeof(first) - 1);
	first[n > 0 ? n : 0] = '\0';
	assert_non_null(strstr(first, still));
	assert_int_equal(waitpid(h.pid, NULL, WNOHANG), 0);
	at = now_ns();
	kill(h.pid, SIGINT);
	ends(&h, at, text);
}

static void test_run(void **state)
{
	(void)state;
	twice(run_and_stay, "note: still measuring; press Ctrl-C again to stop at once and lose",
	      "skep: interrupted while measuring; lost: the result\n");
}

static void test_finish(void **state)
{
	(void)state;
	twice(finish_and_stay, "note: still naming; press Ctrl-C again to stop at once and lose",
	      "skep: interrupted while naming; lost: the result\n");
}

/* What comes to its end within the second is not given up. */
static void end_soon(void)
{
	interrupts_stage(INTERRUPT_FINISH, "naming", "the result");
	while (interrupts_count() < 2)
		nap(SECOND_NS / 100);
	nap(SECOND_NS / 4);
	_exit(7);
}

static void test_soon(void **state)
{
	struct hung h = hang(end_soon);
	int status;

	(void)state;
	kill(h.pid, SIGINT);
	nap(SECOND_NS / 10);
	kill(h.pid, SIGINT);
	assert_int_equal(waitpid(h.pid, &status, 0), h.pid);
	assert_int_equal(WEXITSTATUS(status), 7);
	close(h.said);
}

static int full[2];

/* Fills a pipe that nobody reads. */
static void write_on(void)
{
	static char bytes[100000];
	ssize_t n;

	interrupts_stage(INTERRUPT_RUN, "measuring", "the result");
	while ((n = interrupts_write(full[1], bytes, sizeof(bytes))) > 0)
		;
	fprintf(stderr, "%zd %d\n", n, errno == ETIMEDOUT);
	_exit(1);
}

static void test_write(void **state)
{
	struct hung h;
	uint64_t at;

	(void)state;
	assert_int_equal(pipe(full), 0);
	h = hang(write_on);
	at = now_ns();
	kill(h.pid, SIGHUP);
	ends(&h, at, "-1 1\n");
	h = hang(write_on);
	kill(h.pid, SIGTERM);
	nap(SECOND_NS / 10);
	at = now_ns();
	kill(h.pid, SIGTERM);
	ends(&h, at, "-1 1\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_setup), cmocka_unit_test(test_run),   cmocka_unit_test(test_finish),
		cmocka_unit_test(test_soon),  cmocka_unit_test(test_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
