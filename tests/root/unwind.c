/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's walks of this process, which has no frame pointers, beside the C library's backtrace() at the same place: each must
 * be the other, from the caller of that place to the outermost frame.
 * usage: unwind CASE      a line for each comparison; exit 1 where one differs. unwind time: ns of a walk by its depth.
 */
#include <alloca.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <execinfo.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "unwind.h"

#define ABOVE_MAX 24 /* frames between the place and the innermost: qsort's own */
#define TIMED_WALKS 32
#define SAMPLE_HZ 4999

struct unwind_space_key key;
int nr_bad, nr_same;

void run(const struct bpf_program *prog)
{
	union bpf_attr attr = { .test.prog_fd = bpf_program__fd(prog) };

	if (syscall(SYS_bpf, BPF_PROG_TEST_RUN, &attr, sizeof(attr)))
		die("BPF_PROG_TEST_RUN");
}

bool is_same(const __u64 *ips, uint32_t nr, void *const *want, int n, char *why, size_t size)
{
	uint32_t at = 0, same = 1;

	while (at < nr && ips[at] != (uint64_t)want[1])
		at++;
	if (at == nr || at > ABOVE_MAX) {
		snprintf(why, size, "the caller is not among the first %d of %u frames; the last is %#llx", ABOVE_MAX, nr,
			 nr ? ips[nr - 1] : 0);
		return false;
	}
	while (same < (uint32_t)n && at < nr && ips[at] == (uint64_t)want[same])
		at++, same++;
	snprintf(why, size, "%u frames of %d", same, n);
	return at == nr && (same == (uint32_t)n || nr == STACK_MAX_FRAMES);
}

void judge(bool same, const char *what, int number, const char *why)
{
	nr_same += same;
	nr_bad += !same;
	if (!same)
		printf("differs: %s %d: %s\n", what, number, why);
}

static __attribute__((noinline, noclone)) void compare(const char *what, int number)
{
	void *want[FRAMES_MAX];
	int n = backtrace(want, FRAMES_MAX);
	char why[128];

	run(skel->progs.walk_self);
	judge(is_same((__u64 *)skel->bss->walked.ips, skel->bss->walked.nr, want, n, why, sizeof(why)), what, number, why);
}

/* Functions that keep their registers in different ways. */
void (*at_bottom)(const char *what, int number);
static volatile int sink;
static bool is_small; /* frames of a usual size only */

static __attribute__((noinline, noclone)) int plain(int n, int all, const char *what);
static __attribute__((noinline, noclone)) int pushes(int n, int all, const char *what);
static __attribute__((noinline, noclone)) int varies(int n, int all, const char *what);
static __attribute__((noinline, noclone)) int aligned(int n, int all, const char *what, int c, int d, int e, int f, int g);

int deeper(int n, int all, const char *what)
{
	if (!n) {
		at_bottom(what, all);
		return 1;
	}
	switch (is_small ? n % 2 : n % 4) {
	case 0:
		return plain(n - 1, all, what);
	case 1:
		return pushes(n - 1, all, what);
	case 2: /* the bp that it saves is its caller's base */
		return aligned(n - 1, all, what, n, n, n, all, n);
	}
	return varies(n - 1, all, what);
}

static int plain(int n, int all, const char *what)
{
	return deeper(n, all, what) + 1;
}

static int pushes(int n, int all, const char *what)
{
	int a = sink, b = sink, c = sink, d = sink, e = sink;
	int ret = deeper(n, all, what);

	return ret + a + b * c + d * e * ret;
}

static int varies(int n, int all, const char *what)
{
	char *mem = alloca(16 + (n * 37) % 4096);

	memset(mem, n, 16 + (n * 37) % 4096);
	return deeper(n, all, what) + mem[3];
}

/* With arguments on the stack, where they were before it was aligned. */
static int aligned(int n, int all, const char *what, int c, int d, int e, int f, int g)
{
	_Alignas(64) char mem[128];
	char *more = alloca(16 + n);

	memset(mem, n, sizeof(mem));
	memset(more, n, 16 + n);
	sink += mem[n % 128] + c + d + e;
	return deeper(n, all, what) + mem[7] + more[3] + f + g;
}

static void depths(void)
{
	at_bottom = compare;
	for (int n = 0; n <= 100; n++)
		deeper(n, n, "recursion");
	deeper(200, 200, "recursion");
}

static int by_value(const void *a, const void *b)
{
	if (*(const int *)a == 3)
		compare("qsort", 3);
	return *(const int *)a - *(const int *)b;
}

static void callback(void)
{
	int values[] = { 5, 3, 9, 3, 1, 7, 2, 8 };

	qsort(values, sizeof(values) / sizeof(*values), sizeof(*values), by_value);
}

static void on_signal(int number)
{
	compare("signal", number);
}

static void raise_it(const char *what, int number)
{
	(void)what;
	if (number == 1)
		raise(SIGUSR1);
	else
		*(volatile int *)NULL = number; /* at an instruction that is no call */
}

static jmp_buf before_fault;

static void on_fault(int number)
{
	compare("fault", number);
	siglongjmp(before_fault, 1);
}

/* On the interrupted stack, then on one of their own. */
static void signals(void)
{
	stack_t stack = { .ss_sp = malloc(1 << 16), .ss_size = 1 << 16 };
	struct sigaction usual = { .sa_handler = on_signal }, other = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
	struct sigaction fault = { .sa_handler = on_fault };

	at_bottom = raise_it;
	sigaction(SIGUSR1, &usual, NULL);
	deeper(5, 1, "signal");
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &other, NULL);
	deeper(6, 1, "signal");
	sigaction(SIGSEGV, &fault, NULL);
	if (!sigsetjmp(before_fault, 1))
		deeper(7, 0, "fault");
}

static void *in_thread(void *arg)
{
	at_bottom = compare;
	deeper(9, 9, "thread");
	return arg;
}

static void thread(void)
{
	pthread_t t;

	if (pthread_create(&t, NULL, in_thread, NULL) || pthread_join(t, NULL))
		die("thread");
}

static int compare_ints(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Time in many functions of the C library, with all that begins and ends there. */
static __attribute__((noinline, noclone)) void burn(const char *what, int depth)
{
	void *want[FRAMES_MAX];
	int n = backtrace(want, FRAMES_MAX), values[256], bad = 0;
	clock_t end = clock() + CLOCKS_PER_SEC;
	struct stack_val s;
	char text[256], why[128] = "", last[128] = "";

	skel->bss->nr_samples = 0;
	skel->bss->run_tid = syscall(SYS_gettid);
	while (clock() < end) {
		char *copy;

		for (int i = 0; i < 256; i++)
			values[i] = (i * 7919) % 257;
		qsort(values, 256, sizeof(*values), compare_ints);
		snprintf(text, sizeof(text), "%d %g %s", values[3], values[4] / 3.0, what);
		copy = strdup(text);
		sink += strtod(copy, NULL);
		free(copy);
	}
	skel->bss->run_tid = 0;
	for (uint32_t i = 0; i < skel->bss->nr_samples; i++) {
		if (bpf_map_lookup_elem(bpf_map__fd(skel->maps.samples), &i, &s))
			die("samples");
		if (!is_same(s.ips, s.nr, want, n, why, sizeof(why))) {
			bad++;
			strcpy(last, why);
		}
	}
	printf("%s at depth %d: %u samples, %d differ %s\n", what, depth, skel->bss->nr_samples, bad, last);
	nr_same += skel->bss->nr_samples - bad;
	nr_bad += bad;
}

static void interrupts(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK,
					.freq = 1, .sample_freq = SAMPLE_HZ };
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	struct bpf_link *link = fd >= 0 ? bpf_program__attach_perf_event(skel->progs.sample_thread, fd) : NULL;

	if (!link)
		die("perf_event");
	at_bottom = burn;
	deeper(20, 20, "interrupts");
	bpf_link__destroy(link);
}

static __attribute__((noinline, noclone)) void measure(const char *what, int number)
{
	uint64_t best = ~0ull;

	(void)what;
	(void)number;
	for (int i = 0; i < 200; i++) {
		run(skel->progs.time_self);
		if (skel->bss->timed_ns < best)
			best = skel->bss->timed_ns;
	}
	run(skel->progs.walk_self);
	printf("%u frames: %.0f ns a walk, %.1f a frame\n", skel->bss->walked.nr, (double)best / TIMED_WALKS,
	       (double)best / TIMED_WALKS / skel->bss->walked.nr);
}

static void times(void)
{
	at_bottom = measure;
	for (is_small = true;; is_small = false) {
		printf("%s frames:\n", is_small ? "small" : "mixed");
		for (int n = 0; n <= 100; n += 20)
			deeper(n, n, "time");
		if (!is_small)
			break;
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "depths", depths }, { "callback", callback }, { "signals", signals }, { "thread", thread },
	{ "asks", asks },
	{ "evicted", evicted }, { "unmapped", unmapped }, { "interrupts", interrupts }, { "time", times },
};

int main(int argc, char **argv)
{
	void *first[1];
	size_t i = 0;

	while (i < sizeof(cases) / sizeof(*cases) && (argc < 2 || strcmp(argv[1], cases[i].name)))
		i++;
	if (i == sizeof(cases) / sizeof(*cases))
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	backtrace(first, 1); /* loads libgcc_s */
	tables_open();
	meet();
	cases[i].run();
	printf("%s: %d walks are the same, %d differ\n", argv[1], nr_same, nr_bad);
	return nr_bad > 0;
}
