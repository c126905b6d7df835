/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* COMMAND as a child process that starts with us and runs as the user who typed it. */
#include "capture/command.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/num.h"

#define END_PATIENCE_MS 1000

/* sudo(8) leaves the invoking user in SUDO_UID and SUDO_GID. Returns 0 or -errno. */
static int become_invoker(void)
{
	const char *uid_text = getenv("SUDO_UID"), *gid_text = getenv("SUDO_GID"), *user = getenv("SUDO_USER");
	uint64_t uid, gid;

	if (geteuid() != 0 || !uid_text || !gid_text)
		return 0;
	if (num_u64(uid_text, UINT32_MAX - 1, &uid) || num_u64(gid_text, UINT32_MAX - 1, &gid))
		return -EINVAL;
	if (uid == 0)
		return 0;
	if (user ? initgroups(user, gid) : setgroups(0, NULL))
		return -errno;
	if (setresgid(gid, gid, gid) || setresuid(uid, uid, uid))
		return -errno;
	return 0;
}

static void child(int go_fd, int exec_fd, char *const *argv)
{
	sigset_t none;
	char byte;
	int why;

	prctl(PR_SET_PDEATHSIG, SIGKILL); /* until exec: no orphan that waits for ever */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	why = become_invoker();
	if (!why) {
		while (read(go_fd, &byte, 1) < 0 && errno == EINTR)
			;
		/* End of file: the parent gave up before it was armed. */
		if (byte != 'g')
			_exit(EXIT_FAILED);
		prctl(PR_SET_PDEATHSIG, 0);
		execvp(argv[0], argv);
		why = -errno;
	}
	if (write(exec_fd, &why, sizeof(why)) < 0)
		_exit(EXIT_NOEXEC);
	_exit(EXIT_NOCMD);
}

int command_prepare(struct command *c, char *const *argv, struct err *err)
{
	int go[2], report[2], ret;

	if (pipe2(go, O_CLOEXEC))
		return err_set(err, -errno, "cannot make a pipe: %s", strerror(errno));
	if (pipe2(report, O_CLOEXEC)) {
		ret = -errno;
		close(go[0]);
		close(go[1]);
		return err_set(err, ret, "cannot make a pipe: %s", strerror(-ret));
	}
	c->pid = fork();
	if (c->pid == 0) {
		close(go[1]);
		close(report[0]);
		child(go[0], report[1], argv);
	}
	ret = c->pid < 0 ? -errno : 0;
	close(go[0]);
	close(report[1]);
	c->go_fd = go[1];
	c->exec_fd = report[0];
	c->pidfd = ret ? -1 : (int)syscall(SYS_pidfd_open, c->pid, 0);
	if (ret) {
		c->pid = 0;
		return err_set(err, ret, "cannot fork: %s", strerror(-ret));
	}
	return 0;
}

int command_go(struct command *c, const char *name, struct err *err)
{
	int why = 0;

	if (write(c->go_fd, "g", 1) != 1)
		return err_set(err, -EPIPE, "'%s' went away before it began", name);
	close(c->go_fd);
	c->go_fd = -1;
	while (read(c->exec_fd, &why, sizeof(why)) < 0 && errno == EINTR)
		;
	if (!why)
		return 0;
	return err_exit(err, why, why == -ENOENT ? EXIT_NOCMD : EXIT_NOEXEC, "cannot run '%s': %s", name,
			strerror(-why));
}

bool command_poll(struct command *c)
{
	int status;

	if (!c->pid || c->reaped)
		return true;
	if (waitpid(c->pid, &status, WNOHANG) != c->pid)
		return false;
	c->reaped = true;
	c->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	return true;
}

void command_end(struct command *c)
{
	struct pollfd p = { .fd = c->pidfd, .events = POLLIN };

	if (!c->pid)
		return;
	if (c->go_fd > 0)
		close(c->go_fd);
	if (!command_poll(c)) {
		if (c->go_fd < 0)
			kill(c->pid, SIGTERM);
		poll(&p, 1, END_PATIENCE_MS);
		command_poll(c);
	}
	close(c->exec_fd);
	close(c->pidfd);
	c->pid = 0;
}
