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
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/interrupt.h"
#include "util/invoker.h"
#include "util/limits.h"
#include "util/signals.h"

#define END_PATIENCE_MS 1000
#define END_STEP_MS 20

static pid_t given_up_pid; /* for command_give_up(): COMMAND while it is there, else 0 */
static int given_up_sig;

/* The user `as`, or who called sudo. 0, -ENOENT: COMMAND stays who we are; or -errno. */
static int command_user(const char *as, struct invoker *ret_who)
{
	const struct passwd *pw = as ? getpwnam(as) : NULL;

	if (!as)
		return invoker_get(ret_who);
	if (!pw)
		return -EINVAL;
	*ret_who = (struct invoker){ pw->pw_uid, pw->pw_gid, as };
	return 0;
}

/* Returns 0 or -errno. */
static int become_user(const char *as)
{
	struct invoker who;
	struct passwd *pw;
	int ret = command_user(as, &who);

	if (ret)
		return ret == -ENOENT ? 0 : ret;
	if (who.user ? initgroups(who.user, who.gid) : setgroups(0, NULL))
		return -errno;
	if (setresgid(who.gid, who.gid, who.gid) || setresuid(who.uid, who.uid, who.uid))
		return -errno;
	/* They are root's, and a home that it cannot read breaks many a COMMAND. */
	pw = getpwuid(who.uid);
	if (pw && (setenv("HOME", pw->pw_dir, 1) || setenv("USER", pw->pw_name, 1) || setenv("LOGNAME", pw->pw_name, 1)))
		return -ENOMEM;
	return 0;
}

/* What the child says when it cannot run COMMAND. */
struct failure {
	int why; /* -errno */
	bool as_user; /* it was the change of user that failed */
};

static void mute(uint8_t mutes)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int i = STDIN_FILENO; fd >= 0 && i <= STDERR_FILENO; i++)
		if (mutes >> i & 1)
			dup2(fd, i);
}

static void child(int go_fd, int exec_fd, const sigset_t *mask, const char *as, uint8_t mutes, char *const *argv)
{
	struct failure f = { 0 };
	char byte = 0;

	sigprocmask(SIG_SETMASK, mask, NULL);
	signals_restore();
	limits_restore();
	if (mutes)
		mute(mutes);
	f.why = become_user(as);
	f.as_user = f.why;
	if (!f.why) {
		while (read(go_fd, &byte, 1) < 0 && errno == EINTR)
			;
		/* End of file: the parent gave up, or died, before it was armed. */
		if (byte != 'g')
			_exit(EXIT_FAILED);
		execvp(argv[0], argv);
		f.why = -errno;
	}
	if (write(exec_fd, &f, sizeof(f)) < 0)
		_exit(EXIT_NOEXEC);
	_exit(EXIT_NOCMD);
}

/* SIGTERM, or SIGKILL where it was not let go yet and may be stopped. */
static void command_signal(const struct command *c)
{
	kill(c->pid, c->go_fd >= 0 ? SIGKILL : SIGTERM);
	kill(c->pid, SIGCONT); /* one that somebody stopped ends, too */
}

void command_give_up(void)
{
	pid_t pid = __atomic_load_n(&given_up_pid, __ATOMIC_ACQUIRE);

	if (!pid)
		return;
	kill(pid, __atomic_load_n(&given_up_sig, __ATOMIC_RELAXED));
	kill(pid, SIGCONT);
}

static void note_given_up(pid_t pid, int sig)
{
	__atomic_store_n(&given_up_sig, sig, __ATOMIC_RELAXED);
	__atomic_store_n(&given_up_pid, pid, __ATOMIC_RELEASE);
}

int command_prepare(struct command *c, char *const *argv, const char *as, uint8_t mutes, const sigset_t *mask, struct err *err)
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
	c->as = as;
	c->pid = fork();
	if (c->pid == 0) {
		close(go[1]);
		close(report[0]);
		child(go[0], report[1], mask, as, mutes, argv);
	}
	ret = c->pid < 0 ? -errno : 0;
	close(go[0]);
	close(report[1]);
	if (ret) {
		c->pid = 0;
		close(go[1]);
		close(report[0]);
		return err_set(err, ret, "cannot fork: %s", strerror(-ret));
	}
	c->go_fd = go[1];
	c->exec_fd = report[0];
	note_given_up(c->pid, SIGKILL);
	c->pidfd = syscall(SYS_pidfd_open, c->pid, 0);
	return 0;
}

/* Somebody may have stopped it (SIGSTOP). False: there was a signal first. */
static bool wait_exec(const struct command *c)
{
	struct pollfd p[] = { { .fd = c->exec_fd, .events = POLLIN }, { .fd = interrupts_fd(), .events = POLLIN } };

	while (poll(p, 2, -1) < 0 && errno == EINTR)
		;
	return p[0].revents;
}

int command_go(struct command *c, const char *name, struct err *err)
{
	struct failure f = { 0 };
	bool gone = write(c->go_fd, "g", 1) != 1;

	if (!wait_exec(c))
		return err_set(err, -EINTR, "interrupted before '%s' started", name);
	close(c->go_fd);
	c->go_fd = -1;
	note_given_up(c->pid, SIGTERM);
	while (read(c->exec_fd, &f, sizeof(f)) < 0 && errno == EINTR)
		;
	if (f.as_user)
		return err_exit(err, f.why, EXIT_NOEXEC, "cannot run '%s' as the user of %s: %s", name, c->as ? "--as" : "SUDO_UID",
				strerror(-f.why));
	if (f.why)
		return err_exit(err, f.why, f.why == -ENOENT ? EXIT_NOCMD : EXIT_NOEXEC, "cannot run '%s': %s", name,
				strerror(-f.why));
	return gone ? err_set(err, -ECHILD, "'%s' ended before it started", name) : 0;
}

bool command_poll(struct command *c)
{
	int status;

	if (!c->pid || c->reaped)
		return true;
	/* Its number may be another's as soon as it is reaped. */
	note_given_up(0, 0);
	if (wait4(c->pid, &status, WNOHANG, &c->usage) != c->pid) {
		note_given_up(c->pid, c->go_fd >= 0 ? SIGKILL : SIGTERM);
		return false; /* ECHILD cannot be: SIGCHLD is not ignored (signals_init) */
	}
	c->reaped = true;
	c->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	return true;
}

/* In small steps: a sandbox may refuse the pidfd that would end the wait at once. */
static bool wait_end(struct command *c)
{
	struct pollfd p = { .fd = c->pidfd, .events = POLLIN };

	for (int i = 0; i < END_PATIENCE_MS / END_STEP_MS && !command_poll(c); i++)
		poll(&p, 1, END_STEP_MS);
	return command_poll(c);
}

pid_t command_end(struct command *c)
{
	pid_t left = 0;

	if (!c->pid)
		return 0;
	if (!command_poll(c)) {
		command_signal(c);
		if (!wait_end(c))
			left = c->pid;
		else if (c->status == 128 + SIGTERM)
			c->status = 0; /* that was us */
	}
	if (c->go_fd >= 0)
		close(c->go_fd);
	close(c->exec_fd);
	if (c->pidfd >= 0)
		close(c->pidfd);
	c->pid = 0;
	return left;
}
