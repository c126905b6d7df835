/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The main thread keeps these signals blocked. It is never waited for, and nothing here takes a lock that it may hold. */
#include "util/interrupt.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "util/clock.h"
#include "util/err.h"
#include "util/log.h"
#include "util/signals.h"
#include "util/thread.h"

#define ANSWER_NS 800000000ull /* with what the rest takes it is less than a second */
#define RUN_ANSWER_NS 1300000000ull /* COMMAND has a second to end by itself */
#define LOOK_NS 50000000 /* once there was a signal */
#define DETACH_LOOK_NS 10000000
#define KICK SIGURG /* ignored by default: no harm where it comes late */

static struct {
	sigset_t mask; /* before */
	pthread_t main;
	int fd;
	bool taken;
	unsigned int count;
	int last, patient;
	uint64_t last_ns;
	enum interrupt_stage stage, last_stage; /* now, and when the last one came */
	uint64_t stage_ns;
	const char *doing, *lost;
	const char *reported; /* what was being done when that was reported */
	uint64_t write_ns; /* a write that began then has not ended; 0: none */
	void (*on_give_up[INTERRUPT_LEFT_MAX])(void);
} own = { .fd = -1 };

#define get(what) __atomic_load_n(&own.what, __ATOMIC_ACQUIRE)
#define set(what, value) __atomic_store_n(&own.what, value, __ATOMIC_RELEASE)

/* stderr may be what stalls. */
static void say(const char *text)
{
	struct pollfd p = { .fd = STDERR_FILENO, .events = POLLOUT };

	if (poll(&p, 1, 0) == 1 && write(STDERR_FILENO, text, strlen(text)) < 0)
		return;
}

/*
 * The end of a process waits until the kernel has closed what it alone held, and to detach a thousand probes takes it a minute. A
 * child, which outlives us, shares all of it.
 */
static pid_t leave_detaching(void)
{
	const struct timespec moment = { 0, DETACH_LOOK_NS };
	pid_t parent = getpid(), pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);

	if (pid)
		return pid;
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		close(fd);
	while (getppid() == parent)
		nanosleep(&moment, NULL);
	_exit(EXIT_DONE);
}

static void give_up(void)
{
	char text[512];
	pid_t pid;

	for (int i = 0; i < INTERRUPT_LEFT_MAX; i++) {
		void (*run)(void) = get(on_give_up[i]);

		if (run)
			run();
	}
	pid = leave_detaching();
	snprintf(text, sizeof(text), "skep: interrupted while %s; lost: %s\n", get(doing), get(lost));
	say(text);
	if (pid > 0 && log_level >= 0) {
		snprintf(text, sizeof(text), "note: process %d detaches the remaining probes, then ends\n", pid);
		say(text);
	}
	_exit(EXIT_FAILED);
}

static void look(void)
{
	enum interrupt_stage stage = get(stage);
	uint64_t now = now_ns(), since = now - own.last_ns, in_stage = now - get(stage_ns);
	bool is_last = stage == INTERRUPT_SETUP || (own.count > 1 && stage <= own.last_stage);
	char text[256];

	if (get(write_ns) && now - get(write_ns) > LOOK_NS)
		pthread_kill(own.main, KICK);
	if (is_last && since >= ANSWER_NS)
		give_up();
	if (stage == INTERRUPT_SETUP || get(reported) == get(doing) || log_level < 0)
		return;
	if (since < (stage == INTERRUPT_RUN ? RUN_ANSWER_NS : ANSWER_NS) || (stage == INTERRUPT_FINISH && in_stage < ANSWER_NS))
		return;
	set(reported, get(doing));
	snprintf(text, sizeof(text), "note: still %s; press Ctrl-C again to stop at once and lose %s\n", get(doing), get(lost));
	say(text);
}

static void *watch(void *arg)
{
	const struct timespec soon = { 0, LOOK_NS };
	const uint64_t one = 1;
	sigset_t ending;

	(void)arg;
	signals_ending(&ending);
	for (;;) {
		int sig = own.count ? sigtimedwait(&ending, NULL, &soon) : sigwaitinfo(&ending, NULL);

		if (sig > 0 && sig == get(patient) && own.count)
			continue;
		if (sig > 0) {
			own.last_stage = get(stage);
			set(last_ns, now_ns());
			set(last, sig);
			set(count, own.count + 1);
			if (write(own.fd, &one, sizeof(one)) < 0) /* it is not read any more */
				continue;
		}
		if (own.count)
			look();
	}
	return NULL;
}

static void on_kick(int sig)
{
	(void)sig;
}

void interrupts_take(sigset_t *ret_mask)
{
	const struct sigaction kick = { .sa_handler = on_kick }; /* no SA_RESTART: a write ends */
	pthread_t thread;
	sigset_t set;

	if (!own.taken) {
		own.taken = true;
		own.main = pthread_self();
		own.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		interrupts_stage(INTERRUPT_SETUP, "setting up", "everything (nothing was measured yet)");
		signals_hold(&own.mask);
		sigaction(KICK, &kick, NULL);
		sigemptyset(&set);
		sigaddset(&set, KICK);
		pthread_sigmask(SIG_UNBLOCK, &set, NULL);
		/* Without it they would end nothing: then they end us. */
		if (own.fd < 0 || !thread_start(&thread, watch, NULL))
			signals_release(&own.mask);
	}
	if (ret_mask)
		*ret_mask = own.mask;
}

int interrupts_fd(void)
{
	return own.fd;
}

unsigned int interrupts_count(void)
{
	return get(count);
}

void interrupts_patient(int sig)
{
	set(patient, sig);
}

int interrupts_last(void)
{
	return get(last);
}

enum interrupt_stage interrupts_stage_now(void)
{
	return get(stage);
}

void interrupts_stage(enum interrupt_stage stage, const char *doing, const char *lost)
{
	set(lost, lost);
	set(doing, doing);
	set(stage_ns, now_ns());
	set(stage, stage);
}

void interrupts_on_give_up(enum interrupt_left what, void (*run)(void))
{
	set(on_give_up[what], run);
}

ssize_t interrupts_write(int fd, const void *bytes, size_t n)
{
	unsigned int before = get(count);
	uint64_t since = now_ns();
	ssize_t r;

	for (;;) {
		set(write_ns, now_ns());
		r = write(fd, bytes, n);
		set(write_ns, 0);
		if (r >= 0 || errno != EINTR)
			return r;
		if (!get(count))
			continue;
		/* A signal that came before the write has ended nothing yet; the second that it has begins now. */
		if (get(count) > before + !before || now_ns() - (before ? since : get(last_ns)) >= ANSWER_NS) {
			errno = ETIMEDOUT;
			return -1;
		}
	}
}
