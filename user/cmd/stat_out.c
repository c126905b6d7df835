/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* outfile.h writes a whole file. A file that others follow, or that is appended to, is opened in place. */
#include "cmd/stat_out.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/invoker.h"

static int open_live(struct stat_out *o, const char *path, bool append, struct err *err)
{
	int flags = append ? O_APPEND : 0, fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | flags, 0666);
	struct stat st;

	if (fd >= 0) {
		invoker_own(fd);
	} else if (errno == EEXIST) {
		fd = outfile_open_place(path, flags, true, err);
		o->is_old = !append;
	} else {
		err_set(err, -errno, "cannot write '%s': %s", path, strerror(errno));
		return -errno;
	}
	if (fd < 0)
		return fd;
	o->stream = fdopen(fd, "w");
	o->path = lstat(path, &st) || S_ISREG(st.st_mode) ? path : NULL; /* not of a name of our own descriptor */
	if (o->stream)
		return 0;
	close(fd);
	return err_set(err, -ENOMEM, "cannot write '%s': out of memory", path);
}

int stat_out_open(struct stat_out *o, const char *path, bool append, bool live, struct err *err)
{
	int ret;

	*o = (struct stat_out){ .stream = stderr };
	if (!path || !strcmp(path, "/dev/stderr"))
		return 0;
	if (!append && !live) {
		ret = outfile_open(&o->whole, path, err);
		o->is_whole = !ret;
		o->stream = o->whole.stream;
		return ret;
	}
	if (outfile_is_stdout(path)) {
		o->stream = stdout;
		return 0;
	}
	return open_live(o, path, append, err);
}

int stat_out_open_fd(struct stat_out *o, int fd, struct err *err)
{
	int flags = fcntl(fd, F_GETFL), copy = -1;

	*o = (struct stat_out){ .stream = NULL };
	/* Those with FD_CLOEXEC are our own. */
	if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY && !(fcntl(fd, F_GETFD) & FD_CLOEXEC))
		copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (copy >= 0)
		o->stream = fdopen(copy, "w");
	if (o->stream)
		return 0;
	if (copy >= 0)
		close(copy);
	err_exit(err, -EBADF, EXIT_USAGE, "bad value '%d' of '--log-fd': no file is open for writing with this number", fd);
	err_hint(err, "%d>FILE at the end of the line opens one", fd);
	return -EBADF;
}

void stat_out_started(struct stat_out *o)
{
	time_t now = time(NULL);
	char text[64];

	if (ctime_r(&now, text))
		fprintf(o->stream, "# started on %s\n", text);
}

void stat_out_fresh(struct stat_out *o)
{
	if (!o->is_old)
		return;
	o->is_old = false;
	if (ftruncate(fileno(o->stream), 0))
		return; /* a device or a pipe */
}

int stat_out_close(struct stat_out *o, int ret, struct err *err)
{
	int64_t bytes;
	int failed, moved;
	bool is_stdout;

	if (!o->stream)
		return ret;
	if (o->is_whole) {
		if (ret < 0) {
			outfile_abort(&o->whole);
			return ret;
		}
		bytes = outfile_commit(&o->whole, err);
		return bytes < 0 ? (int)bytes : ret;
	}
	failed = fflush(o->stream) ? -errno : ferror(o->stream) ? o->failed ? o->failed : -EIO : 0;
	moved = ret >= 0 && !failed && o->path ? newfile_check(fileno(o->stream), o->path, err) : 0;
	is_stdout = o->stream == stdout;
	if (o->stream != stderr && !is_stdout && fclose(o->stream) && !failed)
		failed = -errno;
	if (ret < 0 || !failed || failed == -EPIPE)
		return ret < 0 ? ret : failed ? failed : moved ? moved : ret;
	if (o->path)
		return err_set(err, failed, "cannot write '%s': %s", o->path, strerror(-failed));
	return err_set(err, failed, "cannot write %s: %s", is_stdout ? "standard output" : "the output", strerror(-failed));
}
