/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "util/strands.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int64_t strands_add(struct strands *s)
{
	if (vec_reserve(&s->all))
		return -ENOMEM;
	memset(&s->all.data[s->all.n], 0, sizeof(*s->all.data));
	return (int64_t)s->all.n++;
}

static const char *directory(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && dir[0] == '/' ? dir : "/tmp";
}

/* A file without a name: file systems that have none such get one that is removed at once. */
static int make_file(void)
{
	char path[4096];
	int fd = open(directory(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT))
		return fd < 0 ? -errno : fd;
	if (snprintf(path, sizeof(path), "%s/skep.XXXXXX", directory()) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(path);
	return fd;
}

static int write_block(struct strands *s, const char *block)
{
	size_t done = 0;
	ssize_t n;

	if (!s->nr_blocks) {
		int fd = make_file();

		if (fd < 0)
			return fd;
		s->fd = fd;
	}
	while (done < STRANDS_BLOCK) {
		n = pwrite(s->fd, block + done, STRANDS_BLOCK - done, (off_t)s->nr_blocks * STRANDS_BLOCK + (off_t)done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			n = n < 0 ? -errno : -ENOSPC;
			if (!s->nr_blocks)
				close(s->fd);
			return (int)n;
		}
		done += (size_t)n;
	}
	s->nr_blocks++;
	return 0;
}

static int flush_block(struct strands *s, struct strand *to, struct err *err)
{
	int ret;

	if (vec_reserve(&to->blocks))
		return -ENOMEM;
	ret = s->nr_blocks == UINT32_MAX ? -EFBIG : write_block(s, to->tail.data);
	if (ret) {
		err_set(err, ret, "cannot write a temporary file in '%s': %s", directory(), strerror(-ret));
		err_hint(err, "TMPDIR names another directory");
		return ret;
	}
	to->blocks.data[to->blocks.n++] = s->nr_blocks - 1;
	to->tail.n = 0;
	return 0;
}

int strands_put(struct strands *s, uint32_t strand, const void *bytes, size_t n, struct err *err)
{
	struct strand *to = &s->all.data[strand];
	const char *from = bytes;
	int ret = 0;

	while (n && !ret) {
		size_t room = STRANDS_BLOCK - to->tail.n, part = n < room ? n : room;
		char *at = vec_take(&to->tail, part);

		if (!at)
			return -ENOMEM;
		memcpy(at, from, part);
		from += part;
		n -= part;
		if (to->tail.n == STRANDS_BLOCK)
			ret = flush_block(s, to, err);
	}
	return ret;
}

void strands_free(struct strands *s)
{
	for (size_t i = 0; i < s->all.n; i++) {
		vec_free(&s->all.data[i].blocks);
		vec_free(&s->all.data[i].tail);
	}
	vec_free(&s->all);
	if (s->nr_blocks)
		close(s->fd);
	s->nr_blocks = 0;
}

/* The next block, or the tail after the last: false where there is no more. */
static int load(struct strand_reader *r)
{
	const struct strand *from = &r->of->all.data[r->strand];
	ssize_t n;

	if (r->next > from->blocks.n || r->failed)
		return 0;
	r->at = 0;
	if (r->next++ == from->blocks.n) {
		r->n = from->tail.n;
		if (r->n)
			memcpy(r->block, from->tail.data, r->n);
		return r->n != 0;
	}
	do
		n = pread(r->of->fd, r->block, STRANDS_BLOCK, (off_t)from->blocks.data[r->next - 1] * STRANDS_BLOCK);
	while (n < 0 && errno == EINTR);
	if (n != STRANDS_BLOCK) {
		r->failed = n < 0 ? -errno : -EIO;
		r->n = 0;
		return 0;
	}
	r->n = STRANDS_BLOCK;
	return 1;
}

int strand_read(struct strand_reader *r, void *ret_bytes, size_t n)
{
	char *to = ret_bytes;

	while (n) {
		size_t part = r->n - r->at;

		if (!part) {
			if (!load(r))
				return 0;
			continue;
		}
		part = part < n ? part : n;
		memcpy(to, r->block + r->at, part);
		r->at += part;
		to += part;
		n -= part;
	}
	return 1;
}
