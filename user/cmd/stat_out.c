/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A whole file is outfile.h's; one that others follow, or that is added to, has to be opened as it is. */
#include "cmd/stat_out.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "util/invoker.h"

static int open_live(struct stat_out *o, const char *path, bool append)
{
	int flags = O_WRONLY | O_CLOEXEC | (append ? O_APPEND : 0), fd = open(path, flags | O_CREAT | O_EXCL, 0666);

	if (fd >= 0) {
		invoker_own(fd);
	} else if (errno == EEXIST) {
		fd = open(path, flags | O_NOFOLLOW);
		o->is_old = !append;
	}
	if (fd < 0)
		return -errno;
	o->stream = fdopen(fd, "w");
	return o->stream ? 0 : -errno;
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
	ret = open_live(o, path, append);
	return ret ? err_set(err, ret, "cannot write '%s': %s", path, strerror(-ret)) : 0;
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
	int failed;

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
	failed = fflush(o->stream) ? -errno : 0;
	if (o->stream != stderr && o->stream != stdout && fclose(o->stream) && !failed)
		failed = -errno;
	if (ret < 0 || !failed || failed == -EPIPE)
		return ret < 0 ? ret : failed;
	return err_set(err, failed, "cannot write the counts: %s", strerror(-failed));
}
