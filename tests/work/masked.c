/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* masked COMMAND...: runs it with SIGUSR1 blocked. */
#include <signal.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	sigset_t set;

	if (argc < 2)
		return 2;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_SETMASK, &set, NULL);
	execvp(argv[1], argv + 1);
	return 127;
}
