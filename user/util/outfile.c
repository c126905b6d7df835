/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Output files: whole, then named. */
#include "util/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/interrupt.h"
#include "util/invoker.h"
#include "util/num.h"

#define STREAM_BYTES (256u << 10)

static struct channel out_channel = { .fd = STDOUT_FILENO };

/* fopencookie(3): a short count is an error, which stays in the stream. */
static ssize_t channel_write(void *cookie, const char *bytes, size_t n)
{
	struct channel *c = cookie;
	size_t done = 0;
	ssize_t r;

	while (done < n && !c->failed) {
		r = interrupts_write(c->fd, bytes + done, n - done);
		if (r < 0) {
			c->failed = -errno;
			c->unwritten = n - done;
		} else {
			done += r;
		}
	}
	c->bytes += done;
	errno = -c->failed;
	return done == n ? (ssize_t)n : 0;
}

static FILE *channel_stream(struct channel *c)
{
	FILE *stream = fopencookie(c, "w", (cookie_io_functions_t){ .write = channel_write });

	if (stream)
		setvbuf(stream, NULL, isatty(c->fd) ? _IOLBF : _IOFBF, STREAM_BYTES);
	return stream;
}

void outfile_take_stdout(void)
{
	FILE *stream = channel_stream(&out_channel);

	if (stream)
		stdout = stream;
}

static int flush(FILE *stream, const struct channel *c)
{
	if (!fflush(stream) && !ferror(stream))
		return 0;
	return c->failed ? c->failed : -EIO;
}

/* Lives until the next call. */
static const char *why(const struct channel *c, int ret)
{
	static char text[128];

	if (ret != -ETIMEDOUT)
		return strerror(-ret);
	snprintf(text, sizeof(text), "nobody reads it: %lld bytes and all output after them were not written",
		 (long long)c->unwritten);
	return text;
}

const char *outfile_stdout_why(int ret)
{
	return why(&out_channel, ret);
}

int outfile_flush_stdout(void)
{
	int ret = flush(stdout, &out_channel);

	return out_channel.reported ? 0 : ret;
}

static int fail_open(const char *path, int ret, struct err *err)
{
	if (ret != -ELOOP)
		return err_set(err, ret, "cannot write '%s': %s", path, strerror(-ret));
	err_set(err, ret, "cannot write '%s': is a symbolic link", path);
	err_hint(err, "name the file that it points to");
	return ret;
}

/* The descriptor of ours that a path names (/dev/fd/N, /proc/self/fd/N, /dev/stderr), or -1. */
static int own_fd(const char *path)
{
	static const char *const dirs[] = { "/dev/fd/", "/proc/self/fd/" };
	uint64_t fd;

	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++)
		if (!strncmp(path, dirs[i], strlen(dirs[i])) && !num_u64(path + strlen(dirs[i]), INT_MAX, &fd))
			return (int)fd;
	return -1;
}

/* Why a regular file is not written in place, or 0. What was looked at is what is open: nobody can change it in between. */
static int check_regular(const char *path, const struct stat *st, bool is_regular, struct err *err)
{
	if (!is_regular)
		return err_set(err, -EEXIST, "cannot write '%s': it became a regular file while it was opened", path);
	if (st->st_nlink > 1)
		return err_set(err, -EMLINK, "cannot write '%s': the file has other names too (hard links)", path);
	if (!invoker_trusts(st->st_uid)) {
		err_set(err, -EPERM, "cannot write '%s': the file belongs to another user", path);
		err_hint(err, "remove it, or write to standard output and redirect that");
		return -EPERM;
	}
	return 0;
}

int outfile_open_place(const char *path, int flags, bool is_regular, struct err *err)
{
	int own = own_fd(path), ret = 0, fd;
	struct stat st;

	if (own >= 0)
		fd = fcntl(own, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	else
		fd = open(path, O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC | flags);
	if (fd < 0 || fstat(fd, &st))
		ret = fail_open(path, -errno, err);
	else if (own < 0 && S_ISREG(st.st_mode))
		ret = check_regular(path, &st, is_regular, err);
	if (ret && fd >= 0)
		close(fd);
	return ret ? ret : fd;
}

/* Returns a descriptor or -errno. */
static int open_fd(struct outfile *o, const char *path, struct err *err)
{
	struct stat st;
	bool exists = !lstat(path, &st);
	int fd;

	if (own_fd(path) >= 0 || (exists && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
		return outfile_open_place(path, 0, false, err);
	if (exists && S_ISDIR(st.st_mode))
		return fail_open(path, -EISDIR, err);
	if (exists && access(path, W_OK))
		return fail_open(path, -errno, err);
	fd = newfile_open(&o->file, path, O_WRONLY, 0644);
	if (fd < 0)
		return fail_open(path, fd, err);
	o->unplaced = true;
	/* What it replaces was perhaps private. A stranger's file may be there to be given what we write: it is not kept so. */
	if (exists && invoker_trusts(st.st_uid) && (fchown(fd, st.st_uid, st.st_gid) || fchmod(fd, st.st_mode & 0777))) {
		int ret = -errno;

		newfile_drop(&o->file);
		close(fd);
		o->unplaced = false;
		return fail_open(path, ret, err);
	}
	return fd;
}

/* The names of our own standard output. To open one of them would truncate what it was redirected to. */
bool outfile_is_stdout(const char *path)
{
	return !strcmp(path, "-") || !strcmp(path, "/dev/stdout") || !strcmp(path, "/dev/fd/1") || !strcmp(path, "/proc/self/fd/1");
}

int outfile_open(struct outfile *o, const char *path, struct err *err)
{
	int fd;

	*o = (struct outfile){ .path = path };
	if (outfile_is_stdout(path)) {
		o->stream = stdout;
		return 0;
	}
	fd = open_fd(o, path, err);
	if (fd < 0)
		return fd;
	o->channel.fd = fd;
	o->stream = channel_stream(&o->channel);
	if (!o->stream) {
		if (o->unplaced)
			newfile_drop(&o->file);
		close(fd);
		return err_set(err, -ENOMEM, "cannot write '%s': out of memory", path);
	}
	return 0;
}

static int fail(struct outfile *o, struct channel *c, int ret, struct err *err)
{
	bool is_stdout = c == &out_channel;

	c->reported = true;
	outfile_abort(o);
	if (ret == -EPIPE) {
		*err = (struct err){ 0 };
		return ret;
	}
	return err_set(err, ret, "cannot write %s%s%s: %s", is_stdout ? "" : "'", is_stdout ? "standard output" : o->path,
		       is_stdout ? "" : "'", why(c, ret));
}

/* Network file systems report a full disk when a descriptor is closed: a twin is, while the file can be dropped. */
static int settle(int fd)
{
	int twin = dup(fd);

	return twin < 0 || (close(twin) && errno != EINTR) ? -errno : 0;
}

int outfile_place(struct outfile *o)
{
	if (!o->unplaced || o->channel.failed)
		return o->channel.failed;
	o->channel.failed = newfile_place(&o->file, o->path, o->keep_old);
	o->unplaced = false;
	return o->channel.failed;
}

int64_t outfile_commit(struct outfile *o, struct err *err)
{
	struct channel *c = o->stream == stdout ? &out_channel : &o->channel;
	int ret = flush(o->stream, c);

	if (!ret && o->unplaced)
		ret = settle(c->fd);
	if (!ret && o->unplaced) {
		ret = newfile_place(&o->file, o->path, o->keep_old);
		o->unplaced = false;
	}
	if (ret)
		return fail(o, c, ret, err);
	if (o->stream != stdout) {
		fclose(o->stream);
		close(c->fd);
	}
	o->stream = NULL;
	return c->bytes;
}

void outfile_abort(struct outfile *o)
{
	if (!o->stream)
		return;
	if (o->unplaced)
		newfile_drop(&o->file);
	o->unplaced = false;
	if (o->stream != stdout) {
		/* What is still buffered has nowhere to go. */
		o->channel.failed = o->channel.failed ? o->channel.failed : -ECANCELED;
		fclose(o->stream);
		close(o->channel.fd);
	}
	o->stream = NULL;
}

bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}
