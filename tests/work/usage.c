/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * usage N: prints "ready", waits for a line on standard input, then touches fresh memory, sleeps, and has N children that touch
 * some too; prints what the kernel's own books say of that, "faults N" with the children's and "switches N" without, and waits
 * for the end of its input. Nothing else of it faults: all was done once before. The wait at the end is one more switch.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

struct books {
	long faults, switches;
};

static void touch(int pages)
{
	char *p = mmap(NULL, pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < pages; i++)
		p[i * 4096] = 1;
	munmap(p, pages * 4096);
}

static struct books read_books(void)
{
	struct rusage own, kids;

	getrusage(RUSAGE_CHILDREN, &kids);
	getrusage(RUSAGE_SELF, &own);
	return (struct books){ own.ru_minflt + own.ru_majflt + kids.ru_minflt + kids.ru_majflt, own.ru_nvcsw + own.ru_nivcsw };
}

static void work(int n)
{
	touch(1000);
	usleep(1000);
	for (int i = 0; i < n; i++) {
		pid_t pid = fork();

		if (!pid) {
			touch(100 + i);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		usleep(100);
	}
}

/* By write(2): stdio may touch something for the first time at any moment. */
static void say(int fd, long faults, long switches)
{
	char text[64];
	int n = snprintf(text, sizeof(text), "faults %ld\nswitches %ld\n", faults, switches);

	if (write(fd, text, n) != n)
		_exit(1);
}

int main(int argc, char **argv)
{
	struct books before, after;
	int n = argc > 1 ? atoi(argv[1]) : 10;
	int null = open("/dev/null", O_WRONLY);
	char c;

	for (int round = 0; round < 2; round++) {
		before = read_books();
		work(round ? n : 2);
		say(null, 0, 0); /* a fork leaves the stack to be copied at the next touch: not behind the last look */
		after = read_books();
		say(1, round ? after.faults - before.faults : 0, round ? after.switches - before.switches + 1 : 0);
		if (!round && (write(1, "ready\n", 6) != 6 || read(0, &c, 1) != 1))
			return 1;
	}
	while (read(0, &c, 1) > 0)
		;
	return 0;
}
