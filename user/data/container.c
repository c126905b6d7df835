/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is around the records of a perf.data file: in come the header, attributes and feature sections,
 * hostile; out go the reader's events and meta, and where in the file its records are.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "data/reader.h"

#define ATTR_ENTRY_MAX 4096u
#define IDS_AT_ONCE 8192u

int reader_fail(const struct data_reader *r, struct err *err, int ret, const char *why)
{
	return err_set(err, ret, "cannot read '%s': %s", r->in.name, why);
}

/* Reads n bytes at an offset of a regular file: 0, -errno, or -ENODATA past its end. */
static int read_at(const struct data_reader *r, void *p, size_t n, uint64_t at)
{
	size_t done = 0;
	ssize_t got;

	if (at > INT64_MAX - n)
		return -ENODATA;
	while (done < n) {
		got = pread(r->in.fd, (char *)p + done, n - done, (off_t)(at + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (!got)
			return -ENODATA;
		done += (size_t)got;
	}
	return 0;
}

static int read_ids(struct data_reader *r, size_t attr, struct file_section ids, struct err *err)
{
	uint8_t *buf;
	int ret = 0;

	if (ids.size % sizeof(uint64_t) || ids.size > r->in.bytes)
		return reader_fail(r, err, -EBADMSG, "damaged list of event ids");
	buf = malloc(IDS_AT_ONCE * sizeof(uint64_t));
	if (!buf)
		return reader_fail(r, err, -ENOMEM, strerror(ENOMEM));
	while (ids.size && ret == 0) {
		size_t n = ids.size < IDS_AT_ONCE * sizeof(uint64_t) ? (size_t)ids.size :
								       IDS_AT_ONCE * sizeof(uint64_t);

		ret = read_at(r, buf, n, ids.offset);
		if (ret == 0 && r->in.stream.is_swapped)
			swap_words(buf, n);
		if (ret == 0)
			ret = attr_add_ids(r, attr, buf, n / sizeof(uint64_t));
		ids.offset += n;
		ids.size -= n;
	}
	free(buf);
	if (ret == -ENODATA)
		return reader_fail(r, err, ret, "it ends inside its header: nothing was recorded");
	return ret < 0 ? reader_fail(r, err, ret, strerror(-ret)) : 0;
}

static int read_attrs(struct data_reader *r, struct err *err)
{
	const struct file_header *h = &r->header;
	struct file_section ids;
	uint8_t entry[ATTR_ENTRY_MAX];
	uint64_t nr;
	int ret;

	if (h->attr_size < PERF_ATTR_SIZE_VER0 + sizeof(ids) || h->attr_size > sizeof(entry) ||
	    !h->attrs.size || h->attrs.size % h->attr_size)
		return reader_fail(r, err, -EBADMSG, "damaged header");
	nr = h->attrs.size / h->attr_size;
	if (nr > ATTRS_MAX)
		return reader_fail(r, err, -E2BIG, "too many events");
	for (uint64_t i = 0; i < nr; i++) {
		ret = read_at(r, entry, h->attr_size, h->attrs.offset + i * h->attr_size);
		if (ret < 0)
			return reader_fail(r, err, ret,
				    ret == -ENODATA ? "it ends inside its header: nothing was recorded" :
						      strerror(-ret));
		if (r->in.stream.is_swapped) {
			swap_attr(entry, h->attr_size - sizeof(ids));
			swap_words(entry + h->attr_size - sizeof(ids), sizeof(ids));
		}
		ret = attr_add(r, entry, h->attr_size - sizeof(ids));
		if (ret < 0)
			return reader_fail(r, err, ret, strerror(-ret));
		memcpy(&ids, entry + h->attr_size - sizeof(ids), sizeof(ids));
		ret = read_ids(r, i, ids, err);
		if (ret < 0)
			return ret;
	}
	return 0;
}

/* 0, -ENODATA when the section is not all there, or another -errno. */
static int read_section(struct data_reader *r, unsigned feature, struct file_section s)
{
	uint8_t *buf;
	int ret;

	if (s.size > r->in.bytes || s.offset > r->in.bytes - s.size)
		return -ENODATA;
	r->meta.is_stat |= feature == FEATURE_STAT; /* whose section is empty */
	if (!s.size || s.size > FEATURE_BYTES_MAX)
		return 0;
	buf = malloc(s.size);
	if (!buf)
		return -ENOMEM;
	ret = read_at(r, buf, s.size, s.offset);
	if (ret == 0)
		ret = feature_read(r, feature, buf, s.size);
	free(buf);
	return ret;
}

static int read_features(struct data_reader *r, struct err *err)
{
	uint64_t at = r->in.end;
	struct file_section s;
	int ret;

	for (unsigned f = FEATURE_FIRST; f < FEATURE_MAX; f++) {
		if (!(r->header.features[f / 64] & 1ull << (f % 64)))
			continue;
		ret = read_at(r, &s, sizeof(s), at);
		at += sizeof(s);
		if (r->in.stream.is_swapped)
			swap_words((uint8_t *)&s, sizeof(s));
		if (ret == 0)
			ret = read_section(r, f, s);
		if (ret == -ENODATA)
			r->meta.truncated = true;
		else if (ret < 0)
			return reader_fail(r, err, ret, strerror(-ret));
	}
	return 0;
}

/* Finds the end of the data and, if the file was closed, reads the features after it. */
static int read_file_format(struct data_reader *r, struct err *err)
{
	struct file_header *h = &r->header;
	bool has_features = h->size >= sizeof(*h);
	uint64_t any = 0;
	int ret;

	if (!r->regular) {
		reader_fail(r, err, -ESPIPE, "a perf.data file cannot be read from a pipe");
		err_hint(err, "write it to a file first; a pipe is for what 'perf record -o -' writes");
		return -ESPIPE;
	}
	if (h->size < FILE_HEADER_NO_FEATURES)
		return reader_fail(r, err, -EBADMSG, "damaged header");
	ret = read_at(r, h, has_features ? sizeof(*h) : FILE_HEADER_NO_FEATURES, 0);
	if (ret < 0)
		return reader_fail(r, err, ret,
			    ret == -ENODATA ? "it ends inside its header: nothing was recorded" : strerror(-ret));
	if (r->in.stream.is_swapped)
		swap_words((uint8_t *)h + FILE_MAGIC_BYTES, sizeof(*h) - FILE_MAGIC_BYTES);
	ret = read_attrs(r, err);
	if (ret < 0)
		return ret;
	for (int i = 0; i < FEATURE_WORDS; i++)
		any |= h->features[i];
	r->in.pos = h->data.offset;
	if (h->data.offset > r->in.bytes)
		return reader_fail(r, err, -ENODATA, "it ends inside its header: nothing was recorded");
	r->in.end = h->data.offset + h->data.size;
	/*
	 * perf fills in data.size at the end, but the feature bits before; we do it the other way round.
	 * Either way an interrupted file has records up to its end.
	 */
	if (!h->data.size || h->data.size > r->in.bytes - h->data.offset || (!any && has_features)) {
		r->in.end = r->in.bytes;
		r->meta.truncated = true;
		return 0;
	}
	return read_features(r, err);
}

static int read_magic(struct data_reader *r, struct err *err)
{
	uint8_t head[PIPE_HEADER_BYTES];
	size_t done = 0;
	ssize_t got;

	while (done < sizeof(head)) {
		got = r->regular ? pread(r->in.fd, head + done, sizeof(head) - done, (off_t)done) :
				   read(r->in.fd, head + done, sizeof(head) - done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return reader_fail(r, err, -errno, strerror(errno));
		if (!got)
			break;
		done += (size_t)got;
	}
	if (!done)
		return reader_fail(r, err, -ENODATA, "it is empty");
	r->in.stream.is_swapped = done == sizeof(head) && !memcmp(head, FILE_MAGIC_SWAPPED, FILE_MAGIC_BYTES);
	r->meta.is_swapped = r->in.stream.is_swapped;
	if (r->in.stream.is_swapped) {
		memcpy(head, FILE_MAGIC, FILE_MAGIC_BYTES);
		swap_words(head + FILE_MAGIC_BYTES, sizeof(uint64_t));
	}
	if (done == sizeof(head) && !memcmp(head, FILE_MAGIC_V1, FILE_MAGIC_BYTES))
		return reader_fail(r, err, -EBADMSG, "format 1 of perf before Linux 3.2, not supported");
	if (done < sizeof(head) || memcmp(head, FILE_MAGIC, FILE_MAGIC_BYTES))
		return reader_fail(r, err, -EBADMSG, "not a perf.data file");
	r->header.size = get_u64(head + FILE_MAGIC_BYTES);
	r->pipe_format = r->header.size == PIPE_HEADER_BYTES;
	r->in.pos = PIPE_HEADER_BYTES;
	r->in.end = r->regular ? r->in.bytes : UINT64_MAX;
	return 0;
}

int container_read(struct data_reader *r, struct err *err)
{
	int ret = read_magic(r, err);

	return ret < 0 || r->pipe_format ? ret : read_file_format(r, err);
}
