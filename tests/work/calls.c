/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * calls N [THREADS [CHILDREN]]: makes N, N + 1, N + 2... calls of 40 different system calls, failing ones among them, in each of THREADS
 * threads and CHILDREN children, by number, so that the C library adds none of its own to these; on x86-64 also through the
 * 32-bit entry. Prints "call NAME COUNT" of those that nothing else here makes, "compat NAME COUNT" likewise.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compat.h"
#include "work.h"

static const struct {
	const char *name;
	long nr, a;
} calls[] = {
	{ "getpgid", SYS_getpgid, 0 },
	{ "getsid", SYS_getsid, 0 },
	{ "getppid", SYS_getppid, 0 },
	{ "getegid", SYS_getegid, 0 },
	{ "getresuid", SYS_getresuid, 0 }, /* EFAULT */
	{ "getresgid", SYS_getresgid, 0 },
	{ "getgroups", SYS_getgroups, 0 },
	{ "getpriority", SYS_getpriority, 0 },
	{ "sched_getparam", SYS_sched_getparam, 0 },
	{ "sched_getscheduler", SYS_sched_getscheduler, 0 },
	{ "sched_get_priority_max", SYS_sched_get_priority_max, 1 },
	{ "sched_get_priority_min", SYS_sched_get_priority_min, 1 },
	{ "sched_rr_get_interval", SYS_sched_rr_get_interval, 0 },
	{ "sched_yield", SYS_sched_yield, 0 },
	{ "umask", SYS_umask, 022 },
	{ "times", SYS_times, 0 },
	{ "fchdir", SYS_fchdir, -1 }, /* EBADF, as those below */
	{ "fsync", SYS_fsync, -1 },
	{ "fdatasync", SYS_fdatasync, -1 },
	{ "ftruncate", SYS_ftruncate, -1 },
	{ "fchmod", SYS_fchmod, -1 },
	{ "fchown", SYS_fchown, -1 },
	{ "fallocate", SYS_fallocate, -1 },
	{ "flock", SYS_flock, -1 },
	{ "readv", SYS_readv, -1 },
	{ "writev", SYS_writev, -1 },
	{ "pwrite64", SYS_pwrite64, -1 },
	{ "preadv", SYS_preadv, -1 },
	{ "pwritev", SYS_pwritev, -1 },
	{ "listen", SYS_listen, -1 },
	{ "shutdown", SYS_shutdown, -1 },
	{ "getsockname", SYS_getsockname, -1 },
	{ "getpeername", SYS_getpeername, -1 },
	{ "bind", SYS_bind, -1 },
	{ "connect", SYS_connect, -1 },
	{ "epoll_ctl", SYS_epoll_ctl, -1 },
	{ "timerfd_gettime", SYS_timerfd_gettime, -1 },
	{ "inotify_rm_watch", SYS_inotify_rm_watch, -1 },
	{ "munlock", SYS_munlock, 0 },
	{ "mincore", SYS_mincore, 1 }, /* EINVAL */
};
#define NR_CALLS (sizeof(calls) / sizeof(*calls))

static long n = 100;
static volatile int has_compat;

#ifdef __x86_64__
#define COMPAT_GETPGRP 65 /* asm/unistd_32.h */

static void compat_call(void)
{
	long ret;

	__asm__ volatile("int $0x80" : "=a"(ret) : "a"(COMPAT_GETPGRP) : "memory", "r8", "r9", "r10", "r11");
}
#else
static void compat_call(void)
{
}
#endif

static void *make(void *unused)
{
	for (size_t i = 0; i < NR_CALLS; i++)
		for (long k = 0; k < n + (long)i; k++)
			syscall(calls[i].nr, calls[i].a, 0, 0, 0, 0, 0);
	for (long k = 0; has_compat && k < n; k++)
		compat_call();
	return unused;
}

int main(int argc, char **argv)
{
	long threads = argc > 2 ? atol(argv[2]) : 0, children = argc > 3 ? atol(argv[3]) : 0, times = 1 + threads + children;
	pthread_t t[64];

	n = argc > 1 ? atol(argv[1]) : n;
	if (threads > 64)
		return 2;
	has_compat = compat_works(compat_call);
	make(NULL);
	for (long i = 0; i < threads; i++)
		pthread_create(&t[i], NULL, make, NULL);
	for (long i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	for (long i = 0; i < children; i++) {
		pid_t pid = fork();

		if (!pid) {
			make(NULL);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	for (size_t i = 0; i < NR_CALLS; i++)
		printf("call %s %ld\n", calls[i].name, times * (n + (long)i));
	if (has_compat)
		printf("compat getpgrp %ld\n", times * n + 1);
	return 0;
}
