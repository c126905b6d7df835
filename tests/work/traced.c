/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * traced [WHAT]: makes system calls that are hard to write down, and prints "line TEXT" for each line that strace has for them: texts with
 * control characters, memory that ends in the middle, calls without a name, signals, threads and processes that end in every way.
 * WHAT: memory, signals, ends, or newer (calls since Linux 6.5, and those of 32-bit programs with times of 64 bits); without it all of them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "compat.h"
#include "work.h"

static char *no_environment[] = { NULL };
static char *edge; /* behind the last byte that can be read */

static void line(const char *form, ...)
{
	va_list args;

	printf("line ");
	va_start(args, form);
	vprintf(form, args);
	va_end(args);
	putchar('\n');
}

static void make_edge(void)
{
	long page = sysconf(_SC_PAGESIZE);

	edge = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (edge == MAP_FAILED)
		exit(1);
	edge += page;
	mprotect(edge, page, PROT_NONE);
}

static void memory(void)
{
	static const char hostile[] = "/no\nsuch\033[31m\302\233\"file\\";
	struct iovec v[2] = { { (void *)"ab", 2 }, { (void *)"c\0d", 3 } };
	int fd = open("/dev/null", O_WRONLY);
	char name[16];

	make_edge();
	syscall(SYS_openat, AT_FDCWD, hostile, O_RDONLY);
	line("openat(AT_FDCWD, \"/no\\nsuch\\33[31m\\302\\233\\\"file\\\\\", O_RDONLY) = -1 ENOENT (No such file or directory)");
	syscall(SYS_openat, AT_FDCWD, 16, O_RDONLY | O_CLOEXEC);
	line("openat(AT_FDCWD, 0x10, O_RDONLY|O_CLOEXEC) = -1 EFAULT (Bad address)");
	syscall(SYS_openat, AT_FDCWD, NULL, O_RDONLY);
	line("openat(AT_FDCWD, NULL, O_RDONLY) = -1 EFAULT (Bad address)");
	openat(AT_FDCWD, "", O_RDONLY);
	line("openat(AT_FDCWD, \"\", O_RDONLY) = -1 ENOENT (No such file or directory)");
	memset(edge - 8, 'x', 8);
	syscall(SYS_openat, AT_FDCWD, edge - 8, O_WRONLY);
	line("openat(AT_FDCWD, %p, O_WRONLY) = -1 EFAULT (Bad address)", (void *)(edge - 8));
	syscall(SYS_write, fd, edge - 8, 8);
	line("write(%d, \"xxxxxxxx\", 8) = 8", fd);
	syscall(SYS_write, fd, "0123456789012345678901234567890123456789", 40);
	line("write(%d, \"01234567890123456789012345678901\"..., 40) = 40", fd);
	syscall(SYS_writev, fd, v, 2);
	line("writev(%d, [{iov_base=\"ab\", iov_len=2}, {iov_base=\"c\\0d\", iov_len=3}], 2) = 5", fd);
	syscall(SYS_nanosleep, edge - 8, NULL);
	line("nanosleep(%p, NULL) = -1 EFAULT (Bad address)", (void *)(edge - 8));
	syscall(500, 1, 2, 3, 4, 5, 6);
	line("syscall_0x1f4(0x1, 0x2, 0x3, 0x4, 0x5, 0x6) = -1 ENOSYS (Function not implemented)");
	syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
	line("openat(AT_FDCWD, \"/dev/null\", O_RDWR|O_CREAT|O_EXCL|O_CLOEXEC, 0640) = -1 EEXIST (File exists)");
	close(fd);
	line("close(%d) = 0", fd);
	prctl(PR_SET_NAME, "fourteen_bytes");
	line("prctl(PR_SET_NAME, \"fourteen_bytes\") = 0");
	prctl(PR_SET_NAME, "more_than_15_bytes");
	line("prctl(PR_SET_NAME, \"more_than_15_by\"...) = 0");
	prctl(PR_GET_NAME, name);
	line("prctl(PR_GET_NAME, \"more_than_15_by\") = 0");
}

static void on_signal(int sig)
{
	(void)sig;
}

static void signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal };

	sigaction(SIGUSR1, &sa, NULL);
	syscall(SYS_tgkill, getpid(), getpid(), SIGUSR1);
	line("tgkill(%d, %d, SIGUSR1) = 0", getpid(), getpid());
	line("--- SIGUSR1 {si_signo=SIGUSR1, si_code=SI_TKILL, si_pid=%d, si_uid=%d} ---", getpid(), getuid());
	signal(SIGUSR2, SIG_IGN);
	kill(getpid(), SIGUSR2);
	line("kill(%d, SIGUSR2) = 0", getpid());
	line("--- SIGUSR2 {si_signo=SIGUSR2, si_code=SI_USER, si_pid=%d, si_uid=%d} ---", getpid(), getuid());
}

static pid_t child(void (*end)(void))
{
	pid_t pid = fork();

	if (!pid) {
		end();
		_exit(1);
	}
	return pid;
}

static void exits(void)
{
	syscall(SYS_exit_group, 7);
}

static void pauses(void)
{
	for (;;)
		pause();
}

static void *end_process(void *arg)
{
	(void)arg;
	syscall(SYS_exit_group, 3);
	return NULL;
}

static void *becomes_other(void *arg)
{
	char *argv[] = { (char *)"traced", (char *)"none", NULL };

	(void)arg;
	execve("/proc/self/exe", argv, no_environment);
	return NULL;
}

/* A thread ends the process while the first one waits. */
static void ends_in_thread(void)
{
	pthread_t t;

	pthread_create(&t, NULL, end_process, NULL);
	pthread_join(t, NULL);
}

/* A thread that is not the first one calls exec. */
static void execs_in_thread(void)
{
	pthread_t t;

	pthread_create(&t, NULL, becomes_other, NULL);
	pthread_join(t, NULL);
}

static void reap(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(status))
		line("wait4(%d, [{WIFSIGNALED(s) && WTERMSIG(s) == SIGKILL}], 0, NULL) = %d", pid, pid);
	else
		line("wait4(%d, [{WIFEXITED(s) && WEXITSTATUS(s) == %d}], 0, NULL) = %d", pid, WEXITSTATUS(status), pid);
}

static void ends(void)
{
	struct timespec soon = { 0, 100000000 };
	pid_t pid = child(exits);

	reap(pid);
	line("[pid %5d] exit_group(7) = ?", pid);
	line("[pid %5d] +++ exited with 7 +++", pid);
	pid = child(pauses);
	nanosleep(&soon, NULL);
	kill(pid, SIGKILL);
	reap(pid);
	line("[pid %5d] pause() = ? ERESTARTNOHAND (To be restarted if no handler)", pid);
	line("[pid %5d] +++ killed by SIGKILL +++", pid);
	reap(child(ends_in_thread));
	reap(child(execs_in_thread));
	line("execve(\"/proc/self/exe\", [\"traced\", \"none\"], %p /* 0 vars */) = 0", (void *)no_environment);
	pid = vfork();
	if (!pid)
		_exit(0);
	line("vfork() = %d", pid);
	reap(pid);
}

#define COMPAT_READAHEAD 225 /* arch/x86/entry/syscalls/syscall_32.tbl */
#define COMPAT_CLOCK_NANOSLEEP_TIME64 407
#define FUTEX_WAKE_CALL 454 /* include/uapi/asm-generic/unistd.h */
#define LISTMOUNT_CALL 458
#define GETXATTRAT_CALL 464
#define LISTMOUNT_ROOT (~0ul)

/* The result as strace has it. */
static const char *result(long ret)
{
	static char text[128];

	if (ret >= 0)
		snprintf(text, sizeof(text), "%ld", ret);
	else
		snprintf(text, sizeof(text), "-1 %s (%s)", strerrorname_np(errno), strerror(errno));
	return text;
}

#ifdef __x86_64__
static long call32(long nr, long a, long b, long c, long d, long e)
{
	__asm__ volatile("int $0x80" : "+a"(nr) : "b"(a), "c"(b), "d"(c), "S"(d), "D"(e) : "memory", "r8", "r9", "r10", "r11");
	errno = nr < 0 ? -nr : 0;
	return nr < 0 ? -1 : nr;
}

static void one_compat(void)
{
	call32(COMPAT_READAHEAD, -1, 0, 0, 0, 0);
}

static void compat(void)
{
	int64_t *pause;
	long ret;

	fflush(stdout); /* what a child has is not printed again */
	if (!compat_works(one_compat))
		return;
	pause = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	if (pause == MAP_FAILED)
		exit(1);
	ret = call32(COMPAT_READAHEAD, -1, 0x10, 1, 5, 0);
	line("readahead(-1, 4294967312, 5) = %s", result(ret));
	pause[1] = 1000;
	ret = call32(COMPAT_CLOCK_NANOSLEEP_TIME64, CLOCK_MONOTONIC, 0, (long)pause, 0, 0);
	line("clock_nanosleep_time64(CLOCK_MONOTONIC, 0, {tv_sec=0, tv_nsec=1000}, NULL) = %s", result(ret));
}
#else
static void compat(void)
{
}
#endif

static void newer(void)
{
	struct { uint32_t size, fd; uint64_t id, param; } request = { 24, 0, LISTMOUNT_ROOT, 0 };
	struct { uint64_t value; uint32_t size, flags; } args = { 0 };
	uint64_t ids[2] = { 0 };
	uint32_t word = 0;
	long ret;

	ret = syscall(FUTEX_WAKE_CALL, &word, 1, 1, 2 | 128);
	line("futex_wake(%p, 0x1, 1, FUTEX_32|FUTEX_PRIVATE_FLAG) = %s", (void *)&word, result(ret));
	ret = syscall(LISTMOUNT_CALL, &request, ids, 1, 0);
	if (ret == 1)
		line("listmount({size=24, mnt_id=0xffffffffffffffff, param=0}, [%#lx], 1, 0) = 1", ids[0]);
	else
		line("listmount({size=24, mnt_id=0xffffffffffffffff, param=0}, %p, 1, 0) = %s", (void *)ids, result(ret));
	ret = syscall(GETXATTRAT_CALL, AT_FDCWD, "/", AT_SYMLINK_NOFOLLOW, "user.none", &args, sizeof(args));
	line("getxattrat(AT_FDCWD, \"/\", AT_SYMLINK_NOFOLLOW, \"user.none\", {value=NULL, size=0, flags=0}, 16) = %s", result(ret));
	compat();
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!*what || !strcmp(what, "memory"))
		memory();
	if (!*what || !strcmp(what, "signals"))
		signals();
	if (!*what || !strcmp(what, "ends"))
		ends();
	if (!*what || !strcmp(what, "newer"))
		newer();
	fflush(stdout);
	return 0;
}
