/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The file under the perf.data writer: created privately and without a name, written by whole records. In come
 * records built in our buffer; out goes a file that perf and our reader can read at any moment,
 * because the data size in its header follows every flush.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/writer.h"
#include "util/outfile.h"

#define BUFFER_BYTES (256u << 10)
#define FILE_MODE 0600

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Never writes through a link or into another user's file: in /tmp both may be traps. */
static int open_path(struct output *o, const char *path, struct err *err)
{
	struct stat st;
	int fd;

	if (strlen(base_name(path)) + sizeof(NEWFILE_OLD) - 1 > NAME_MAX)
		return err_set(err, -ENAMETOOLONG, "cannot write '%s': no room for " NEWFILE_OLD " after its name", path);
	if (lstat(path, &st) == 0) {
		if (S_ISDIR(st.st_mode))
			return err_set(err, -EISDIR, "cannot write '%s': is a directory", path);
		if (S_ISLNK(st.st_mode)) {
			err_set(err, -ELOOP, "cannot write '%s': is a symbolic link", path);
			err_hint(err, "name the file that it points to");
			return -ELOOP;
		}
		if (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)) {
			err_set(err, -ESPIPE, "cannot write '%s': not a regular file", path);
			err_hint(err, "perf.data needs a regular file: -o FILE");
			return -ESPIPE;
		}
		o->placed = !S_ISREG(st.st_mode); /* a device */
	}
	if (o->placed)
		return outfile_open_place(path, 0, false, err);
	fd = newfile_open(&o->file, path, O_RDWR, FILE_MODE);
	if (fd < 0)
		return err_set(err, fd, "cannot write '%s': %s", path, strerror(-fd));
	return fd;
}

int output_open(struct output *o, const char *path, struct err *err)
{
	int fd;

	o->path = strdup(path);
	o->buf = malloc(BUFFER_BYTES);
	if (!o->path || !o->buf)
		return err_set(err, -ENOMEM, "cannot write '%s': %s", path, strerror(ENOMEM));
	fd = open_path(o, path, err);
	if (fd < 0)
		return fd;
	o->fd = fd;
	return 0;
}

int output_stream(struct output *o, int fd, struct err *err)
{
	o->fd = fd;
	o->is_stream = o->placed = true;
	o->path = strdup("standard output");
	o->buf = malloc(BUFFER_BYTES);
	return o->path && o->buf ? 0 : err_set(err, -ENOMEM, "out of memory");
}

int output_place(struct output *o)
{
	if (o->placed || o->failed)
		return o->failed;
	o->failed = newfile_place(&o->file, o->path, true);
	o->placed = !o->failed;
	return o->failed;
}

/* Returns how much was written, which is less than n only if o->failed was set. */
static size_t write_at(struct output *o, uint64_t at, const uint8_t *p, size_t n)
{
	size_t done = 0;
	ssize_t r;

	while (done < n) {
		r = o->is_stream ? write(o->fd, p + done, n - done) : pwrite(o->fd, p + done, n - done, (off_t)(at + done));
		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0) {
			o->failed = r < 0 ? -errno : -EIO;
			break;
		}
		done += (size_t)r;
	}
	return done;
}

int output_begin(struct output *o, const void *bytes, size_t n)
{
	o->data_at = n;
	write_at(o, 0, bytes, n);
	return o->failed;
}

uint8_t *output_reserve(struct output *o)
{
	if (o->used > BUFFER_BYTES - RECORD_MAX_BYTES && output_flush(o) < 0)
		return NULL;
	return o->failed ? NULL : o->buf + o->used;
}

/* The longest run of whole records in the first n bytes. */
static size_t whole_records(const uint8_t *p, size_t n)
{
	size_t at = 0;

	while (n - at >= sizeof(struct perf_event_header)) {
		size_t size = get_u16(p + at + offsetof(struct perf_event_header, size));

		if (size > n - at)
			break;
		at += size;
	}
	return at;
}

int output_flush(struct output *o)
{
	uint64_t end = o->data_at + o->data_bytes;
	const uint8_t *p = o->buf;
	size_t n = o->used, done;
	int failed;

	if (o->failed || !o->used)
		return o->failed;
	if (o->compressor)
		o->failed = compress_bytes(o->compressor, o->buf, o->used, &p, &n);
	if (o->failed)
		return o->failed;
	done = write_at(o, end, p, n);
	if (done < n && !o->is_stream) {
		done = whole_records(p, done);
		/* Not possible on a device; there is nothing to keep readable there. */
		if (ftruncate(o->fd, (off_t)(end + done)) < 0)
			done = 0;
	}
	o->record_bytes += o->used;
	o->used = 0;
	o->data_bytes += done;
	failed = o->failed;
	if (!o->is_stream)
		write_at(o, offsetof(struct file_header, data.size), (const uint8_t *)&o->data_bytes,
		 sizeof(o->data_bytes));
	if (failed)
		o->failed = failed;
	return o->failed;
}

int output_tail(struct output *o, const void *bytes, size_t n)
{
	uint64_t end = o->data_at + o->data_bytes;

	if (o->failed || o->is_stream)
		return o->failed;
	if (write_at(o, end, bytes, n) < n && ftruncate(o->fd, (off_t)end) < 0)
		return o->failed;
	return o->failed;
}

int output_rewrite(struct output *o, uint64_t at, const void *bytes, size_t n)
{
	if (!o->failed && !o->is_stream)
		write_at(o, at, bytes, n);
	return o->failed;
}

int output_close(struct output *o)
{
	int ret = 0;

	newfile_drop(&o->file);
	/* Network file systems report a full disk only here. */
	if (o->fd >= 0 && close(o->fd) < 0 && errno != EINTR)
		ret = -errno;
	compress_free(o->compressor);
	free(o->buf);
	free(o->path);
	return ret;
}
