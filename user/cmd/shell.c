/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* As system(3), for a program that holds signals and has raised limits; the user is ours, as in perf. */
#include "cmd/shell.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/limits.h"
#include "util/signals.h"

int shell_run(const char *text, const char *option, const sigset_t *mask, struct err *err)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		sigprocmask(SIG_SETMASK, mask, NULL);
		signals_restore();
		limits_restore();
		execl("/bin/sh", "sh", "-c", text, NULL);
		_exit(EXIT_NOCMD);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			pid = -1;
	if (pid < 0)
		return err_set(err, -errno, "cannot run the command of %s: %s", option, strerror(errno));
	if (WIFSIGNALED(status))
		return err_set(err, -ECHILD, "the command of %s was ended by signal %d", option, WTERMSIG(status));
	if (status)
		return err_set(err, -ECHILD, "the command of %s failed: exit %d", option, WEXITSTATUS(status));
	return 0;
}
