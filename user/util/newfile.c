/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files without a name: O_TMPFILE and linkat(2), or a temporary name and rename(2). */
#include "util/newfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
	struct stat st;
	char *dir = slash ? strndup(path, slash == path ? 1 : slash - path) : strdup(".");
	int fd;

	if (!dir)
		return -ENOMEM;
	fd = open(dir, flags | O_TMPFILE | O_CLOEXEC, mode);
	fd = fd < 0 ? -errno : fd;
	/* ext4 says so where the directory was removed, the current one perhaps. */
	if (fd == -EPERM && !stat(dir, &st) && !st.st_nlink)
		fd = -ENOENT;
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
	/* EISDIR and EINVAL: the flag is not known, so the directory itself was opened. */
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

/* none: old stays empty. 0 or -errno. */
static int move_old(const char *path, char old[PATH_MAX])
{
	struct stat st;

	if (lstat(path, &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return 0;
	if (snprintf(old, PATH_MAX, "%s" NEWFILE_OLD, path) < PATH_MAX && !rename(path, old))
		return 0;
	old[0] = '\0';
	return strlen(path) + sizeof(NEWFILE_OLD) > PATH_MAX ? -ENAMETOOLONG : -errno;
}

int newfile_place(struct newfile *n, const char *path, bool keep_old)
{
	char old[PATH_MAX] = "";
	int ret;

	hold(n);
	ret = keep_old ? move_old(path, old) : 0;
	if (!ret && !n->temp)
		ret = give_name(n, path);
	if (!ret && n->temp) {
		if (rename(n->temp, path)) {
			ret = -errno;
		} else {
			free(n->temp);
			n->temp = NULL;
		}
	}
	if (ret && old[0])
		rename(old, path);
	newfile_drop(n);
	return ret;
}

int newfile_check(int fd, const char *path, struct err *err)
{
	struct stat ours, there;

	if (fstat(fd, &ours) || !S_ISREG(ours.st_mode))
		return 0;
	if (!ours.st_nlink)
		return err_set(err, -ENOENT, "'%s' was deleted while it was written: what was measured is lost", path);
	if (lstat(path, &there) || there.st_dev != ours.st_dev || there.st_ino != ours.st_ino)
		return err_set(err, -ESTALE, "'%s' was moved or replaced while it was written: the recording is no longer at that path", path);
	return 0;
}

void newfile_drop(struct newfile *n)
{
	if (n->temp)
		unlink(n->temp);
	free(n->temp);
	n->temp = NULL;
	release(n);
}
