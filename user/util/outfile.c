/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Output files: whole, then named. */
#include "util/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STREAM_BYTES (256u << 10)

static struct channel out_channel = { .fd = STDOUT_FILENO };

/* fopencookie(3): a short count is an error, which stays in the stream. */
static ssize_t channel_write(void *cookie, const char *bytes, size_t n)
{
	struct channel *c = cookie;
	size_t done = 0;
	ssize_t r;

	while (done < n && !c->failed) {
		r = write(c->fd, bytes + done, n - done);
		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			c->failed = -errno;
		else
			done += r;
	}
	c->bytes += done;
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

int outfile_flush_stdout(void)
{
	int ret = flush(stdout, &out_channel);

	return out_channel.told ? 0 : ret;
}

/* Returns a descriptor or -errno. */
static int open_fd(struct outfile *o, const char *path)
{
	struct stat st, link;
	bool exists = !stat(path, &st);
	int fd;

	if (exists) {
		if (S_ISDIR(st.st_mode))
			return -EISDIR;
		if (!S_ISREG(st.st_mode)) {
			fd = open(path, O_WRONLY | O_CLOEXEC);
			return fd < 0 ? -errno : fd;
		}
		if (access(path, W_OK))
			return -errno;
	}
	/* A new file would take the link's place, not its target's; and /dev/fd/N leads to a file that somebody has open. */
	if (!lstat(path, &link) && S_ISLNK(link.st_mode))
		return -ELOOP;
	fd = newfile_open(&o->file, path, O_WRONLY, 0644);
	o->unplaced = fd >= 0;
	/* What it replaces was perhaps private, or somebody else's. */
	if (fd >= 0 && exists && (fchown(fd, st.st_uid, st.st_gid) || fchmod(fd, st.st_mode & 0777))) {
		int ret = -errno;

		newfile_drop(&o->file);
		close(fd);
		o->unplaced = false;
		return ret;
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
	fd = open_fd(o, path);
	if (fd == -ELOOP) {
		err_set(err, fd, "cannot write '%s': is a symbolic link", path);
		err_hint(err, "name the file that it points to");
		return fd;
	}
	if (fd < 0)
		return err_set(err, fd, "cannot write '%s': %s", path, strerror(-fd));
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

	c->told = true;
	outfile_abort(o);
	if (ret == -EPIPE) {
		*err = (struct err){ 0 };
		return ret;
	}
	return err_set(err, ret, "cannot write %s%s%s: %s", is_stdout ? "" : "'", is_stdout ? "standard output" : o->path,
		       is_stdout ? "" : "'", strerror(-ret));
}

/* Network file systems report a full disk when a descriptor is closed: a twin is, while the file can be dropped. */
static int settle(int fd)
{
	int twin = dup(fd);

	return twin < 0 || (close(twin) && errno != EINTR) ? -errno : 0;
}

int64_t outfile_commit(struct outfile *o, struct err *err)
{
	struct channel *c = o->stream == stdout ? &out_channel : &o->channel;
	int ret = flush(o->stream, c);

	if (!ret && o->unplaced)
		ret = settle(c->fd);
	if (!ret && o->unplaced) {
		ret = newfile_place(&o->file, o->path);
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
