/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* rate HZ N COMMAND...: runs it N times, HZ times a second; with 0 one run after the other. 1: it failed. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS 1000000000

int main(int argc, char **argv)
{
	volatile long n = argc > 2 ? atol(argv[2]) : 0; /* vfork() leaves it alone */
	long hz = argc > 3 ? atol(argv[1]) : -1;
	struct timespec t;

	if (hz < 0)
		return 2;
	clock_gettime(CLOCK_MONOTONIC, &t);
	for (; n > 0; n--) {
		pid_t pid = vfork();
		int status;

		if (!pid) {
			execv(argv[3], argv + 3);
			_exit(127);
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status))
			return 1;
		if (!hz)
			continue;
		t.tv_nsec += SECOND_NS / hz;
		if (t.tv_nsec >= SECOND_NS) {
			t.tv_nsec -= SECOND_NS;
			t.tv_sec++;
		}
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
	}
	return 0;
}
