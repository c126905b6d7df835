/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files without a name: O_TMPFILE and linkat(2), or a temporary name and rename(2). */
#include "util/newfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/invoker.h"
#include "util/signals.h"

static void hold(struct newfile *n)
{
	if (!n->held)
		signals_hold(&n->old_mask);
	n->held = true;
}

static void release(struct newfile *n)
{
	if (n->held)
		signals_release(&n->old_mask);
	n->held = false;
}

static char *temp_name(const char *path)
{
	char *name;

	return asprintf(&name, "%s.%d.tmp", path, (int)getpid()) < 0 ? NULL : name;
}

static int open_unnamed(const char *path, int flags, mode_t mode)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash ? strndup(path, slash == path ? 1 : slash - path) : strdup(".");
	int fd;

	if (!dir)
		return -ENOMEM;
	fd = open(dir, flags | O_TMPFILE | O_CLOEXEC, mode);
	fd = fd < 0 ? -errno : fd;
	free(dir);
	return fd;
}

static int open_named(struct newfile *n, const char *path, int flags, mode_t mode)
{
	int fd;

	n->temp = temp_name(path);
	if (!n->temp)
		return -ENOMEM;
	hold(n);
	fd = open(n->temp, flags | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd >= 0)
		return fd;
	fd = -errno;
	/* Not ours: not to be removed. */
	free(n->temp);
	n->temp = NULL;
	release(n);
	return fd;
}

int newfile_open(struct newfile *n, const char *path, int flags, mode_t mode)
{
	*n = (struct newfile){ 0 };
	n->fd = open_unnamed(path, flags, mode);
	/* EISDIR and EINVAL: the flag is not known, so the directory itself was asked for. */
	if (n->fd == -EOPNOTSUPP || n->fd == -EISDIR || n->fd == -EINVAL)
		n->fd = open_named(n, path, flags, mode);
	if (n->fd >= 0)
		invoker_own(n->fd);
	return n->fd;
}

/* linkat(2) replaces nothing: over a former file it gives a temporary name, for rename(2). */
static int give_name(struct newfile *n, const char *path)
{
	char proc[32];
	int ret;

	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", n->fd);
	if (!linkat(AT_FDCWD, proc, AT_FDCWD, path, AT_SYMLINK_FOLLOW))
		return 0;
	if (errno != EEXIST)
		return -errno;
	n->temp = temp_name(path);
	if (!n->temp)
		return -ENOMEM;
	if (!linkat(AT_FDCWD, proc, AT_FDCWD, n->temp, AT_SYMLINK_FOLLOW))
		return 0;
	ret = -errno;
	free(n->temp);
	n->temp = NULL;
	return ret;
}

int newfile_place(struct newfile *n, const char *path)
{
	int ret = 0;

	hold(n);
	if (!n->temp)
		ret = give_name(n, path);
	if (!ret && n->temp) {
		if (rename(n->temp, path)) {
			ret = -errno;
		} else {
			free(n->temp);
			n->temp = NULL;
		}
	}
	newfile_drop(n);
	return ret;
}

void newfile_drop(struct newfile *n)
{
	if (n->temp)
		unlink(n->temp);
	free(n->temp);
	n->temp = NULL;
	release(n);
}
