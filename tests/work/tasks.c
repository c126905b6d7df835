/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * tasks KIND N SECONDS: N processes that spin, sleep, write to the disk, or, in pairs, wake each other (pipe, futex), for so long; of
 * each, when it has ended, what the kernel knows of it: "PID run NS wait NS voluntary N involuntary N wall NS" (of /proc/PID/schedstat
 * and wait4(2)). tasks many N: N processes that end at once, a few at a time, and "many N".
 */
#include <fcntl.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

#define TASKS_MAX 256
#define AT_A_TIME 8

struct told {
	unsigned long long run, wait;
	double wall_s;
};

static int read_schedstat(const char *path, struct told *ret)
{
	char text[128];
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	return sscanf(text, "%llu %llu", &ret->run, &ret->wait) == 2 ? 0 : -1;
}

/* At one moment: it did not wait in between. */
static int last_words(struct told *words, double made_s)
{
	struct told before;

	do {
		if (read_schedstat("/proc/self/schedstat", &before))
			return 1;
		words->wall_s = wall_s() - made_s;
		if (read_schedstat("/proc/self/schedstat", words))
			return 1;
	} while (words->wait != before.wait);
	return 0;
}

/* One that has ended: what its end took, beside its last words, is run or wait. */
static int tell(pid_t pid, const struct told *words)
{
	struct told all;
	struct rusage u;
	char path[64];
	int status;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", pid);
	if (read_schedstat(path, &all) || wait4(pid, &status, 0, &u) != pid || status)
		return 1;
	printf("%d run %llu wait %llu voluntary %ld involuntary %ld wall %.0f\n", pid, all.run, all.wait, u.ru_nvcsw, u.ru_nivcsw,
	       words->wall_s * 1e9 + (all.run - words->run) + (all.wait - words->wait));
	return 0;
}

static void spin(double until_s)
{
	while (wall_s() < until_s)
		;
}

static void doze(double until_s)
{
	struct timespec t = { 0, 1000000 };

	while (wall_s() < until_s)
		nanosleep(&t, NULL);
}

static void write_disk(double until_s)
{
	static char block[65536];
	char name[] = "tasks.XXXXXX";
	int fd = mkstemp(name);

	unlink(name);
	while (fd >= 0 && wall_s() < until_s)
		if (pwrite(fd, block, sizeof(block), 0) < 0 || fsync(fd))
			break;
	close(fd);
}

/* One writes and the other answers; the first says when it is enough. */
static void pong(const int *from, const int *to, int first, double until_s)
{
	char byte = 'x';

	if (first && write(to[1], &byte, 1) != 1)
		return;
	while (byte == 'x' && read(from[0], &byte, 1) == 1) {
		if (first && wall_s() >= until_s)
			byte = '.';
		if (write(to[1], &byte, 1) != 1)
			break;
	}
}

static void futex_pong(unsigned *turn, unsigned me, double until_s)
{
	while (wall_s() < until_s) {
		struct timespec t = { 0, 10000000 };
		unsigned now = __atomic_load_n(turn, __ATOMIC_ACQUIRE);

		if (now % 2 != me) {
			syscall(SYS_futex, turn, FUTEX_WAIT, now, &t, NULL, 0);
			continue;
		}
		__atomic_store_n(turn, now + 1, __ATOMIC_RELEASE);
		syscall(SYS_futex, turn, FUTEX_WAKE, 1, NULL, NULL, 0);
	}
}

static void work(const char *kind, int i, double until_s, int (*pipes)[2], unsigned *turns)
{
	if (!strcmp(kind, "spin"))
		spin(until_s);
	else if (!strcmp(kind, "sleep"))
		doze(until_s);
	else if (!strcmp(kind, "disk"))
		write_disk(until_s);
	else if (!strcmp(kind, "pipe"))
		pong(pipes[i], pipes[i ^ 1], !(i & 1), until_s);
	else
		futex_pong(&turns[i / 2], i & 1, until_s);
}

static int many(int n)
{
	int running = 0;

	for (int i = 0; i < n; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(0);
		running += pid > 0;
		if (running >= AT_A_TIME)
			running -= wait(NULL) > 0;
	}
	while (wait(NULL) > 0)
		;
	printf("many %d\n", n);
	return 0;
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "spin";
	int n = argc > 2 ? atoi(argv[2]) : 2, pipes[TASKS_MAX][2], bad = 0;
	pid_t pids[TASKS_MAX];
	siginfo_t ended;
	double until_s = wall_s() + (argc > 3 ? atof(argv[3]) : 1);
	unsigned *turns = mmap(NULL, TASKS_MAX * sizeof(*turns), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	struct told *words = mmap(NULL, TASKS_MAX * sizeof(*words), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (!strcmp(kind, "many"))
		return many(n);
	if (n < 1 || n > TASKS_MAX || turns == MAP_FAILED || words == MAP_FAILED)
		return 2;
	for (int i = 0; i < n; i++)
		if (pipe(pipes[i]))
			return 2;
	for (int i = 0; i < n; i++) {
		double made_s = wall_s();

		pids[i] = fork();
		if (!pids[i]) {
			work(kind, i, until_s, pipes, turns);
			_exit(last_words(&words[i], made_s));
		}
	}
	for (int left = n; left-- > 0 && !waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT);)
		for (int i = 0; i < n; i++)
			if (pids[i] == ended.si_pid)
				bad |= tell(pids[i], &words[i]);
	return bad;
}
