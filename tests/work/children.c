/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Runs N (default 300) children one after the other, by exec, each burning MS (default 5) of CPU after its start; prints their pids. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

NOINLINE void child_burn(double want)
{
	want += cpu_s();
	while (cpu_s() < want)
		SPIN(2000);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 300;
	const char *ms = argc > 2 ? argv[2] : "5";

	if (argc > 1 && !strcmp(argv[1], "child")) {
		child_burn(atof(argv[2]) / 1000);
		return 0;
	}
	for (int i = 0; i < n; i++) {
		pid_t pid = fork();
		int status;

		if (pid < 0)
			return 1;
		if (!pid) {
			execl("/proc/self/exe", "children", "child", ms, NULL);
			_exit(127);
		}
		if (waitpid(pid, &status, 0) != pid || status)
			return 1;
		printf("child %d\n", pid);
	}
	return 0;
}
