/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "capture/control.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/num.h"

#define FD_WORD "fd:"
#define FIFO_WORD "fifo:"
static const char ack[] = "ack\n"; /* with its NUL, as perf sends it */

static int bad(const char *text, struct err *err)
{
	err_exit(err, -EINVAL, EXIT_USAGE, "bad value '%s' of '--control'", text);
	err_hint(err, "expected fd:N[,N] of open files, or fifo:PATH[,PATH]: what commands come from, and where they are answered");
	return -EINVAL;
}

static int take_fd(const char *word, int *ret_fd)
{
	uint64_t fd;

	if (num_u64(word, INT32_MAX, &fd) || fcntl((int)fd, F_GETFD) < 0)
		return -EBADF;
	*ret_fd = (int)fd;
	return 0;
}

/* Opened for both, it has a reader and a writer from now on: the end of one of the others is no end. */
static int open_fifo(const char *path, int *ret_fd)
{
	int fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISFIFO(st.st_mode)) {
		close(fd);
		return -ESPIPE;
	}
	*ret_fd = fd;
	return 0;
}

int control_open(const char *text, struct control *ret_control, struct err *err)
{
	struct control c = { .fd = -1, .ack_fd = -1, .is_own = !strncmp(text, FIFO_WORD, strlen(FIFO_WORD)) };
	int (*take)(const char *word, int *ret_fd) = c.is_own ? open_fifo : take_fd;
	const char *names = text + strlen(c.is_own ? FIFO_WORD : FD_WORD), *comma;
	char first[PATH_MAX];
	int ret;

	if (!c.is_own && strncmp(text, FD_WORD, strlen(FD_WORD)) != 0)
		return bad(text, err);
	comma = strchr(names, ',');
	snprintf(first, sizeof(first), "%.*s", comma ? (int)(comma - names) : (int)strlen(names), names);
	if (!*first)
		return bad(text, err);
	ret = take(first, &c.fd);
	if (!ret && comma)
		ret = take(comma + 1, &c.ack_fd);
	if (ret) {
		control_close(&c);
		return err_set(err, ret, "cannot use --control '%s': %s", text, ret == -ESPIPE ? "not a FIFO" : strerror(-ret));
	}
	*ret_control = c;
	return 0;
}

void control_read(struct control *c)
{
	ssize_t n;

	if (c->n == sizeof(c->line)) {
		c->is_cut = true;
		c->n = 0;
	}
	n = read(c->fd, c->line + c->n, sizeof(c->line) - c->n);
	if (n > 0)
		c->n += (size_t)n;
	c->is_over = !n || (n < 0 && errno != EAGAIN && errno != EINTR);
}

enum control_command control_next(struct control *c)
{
	static const char *const words[] = { [CONTROL_ENABLE] = "enable", [CONTROL_DISABLE] = "disable", [CONTROL_STOP] = "stop", [CONTROL_PING] = "ping" };
	enum control_command command = CONTROL_UNKNOWN;
	char *end = memchr(c->line, '\n', c->n);
	size_t n;

	if (!end)
		return CONTROL_NONE;
	n = (size_t)(end - c->line);
	for (size_t i = CONTROL_ENABLE; i < sizeof(words) / sizeof(words[0]); i++)
		if (!c->is_cut && n == strlen(words[i]) && !memcmp(c->line, words[i], n))
			command = i;
	c->nr_unknown += command == CONTROL_UNKNOWN && n;
	c->is_cut = false;
	c->n -= n + 1;
	memmove(c->line, end + 1, c->n);
	return command;
}

void control_ack(const struct control *c)
{
	if (c->ack_fd >= 0 && write(c->ack_fd, ack, sizeof(ack)) < 0)
		return; /* the readers have closed it */
}

void control_close(struct control *c)
{
	if (c->is_own && c->fd >= 0)
		close(c->fd);
	if (c->is_own && c->ack_fd >= 0)
		close(c->ack_fd);
}
