/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * COMPRESSED records (perf record -z): one zstd stream cut into records, which holds the records
 * proper. What comes out goes through a stream of its own, because records may be cut in two.
 */
#include <errno.h>
#include <stdlib.h>

#include "data/reader.h"

#ifdef HAVE_ZSTD
#include <zstd.h>

struct decompressor {
	ZSTD_DStream *zstd;
	struct stream stream;
	bool busy; /* a compressed record in a compressed record is an attack */
};

static int decompress_new(struct data_reader *r, struct err *err)
{
	struct decompressor *z = calloc(1, sizeof(*z));

	if (z)
		z->zstd = ZSTD_createDStream();
	if (!z || !z->zstd) {
		free(z);
		return err_set(err, -ENOMEM, "cannot read '%s': %s", r->in.name, strerror(ENOMEM));
	}
	z->stream.pool = &r->pool;
	z->stream.is_swapped = r->in.stream.is_swapped;
	r->in.decompressor = z;
	return 0;
}

static int accept_all(struct data_reader *r, struct stream *s, struct err *err)
{
	const uint8_t *record;
	int ret;

	while ((ret = stream_peek(s, &record)) > 0) {
		size_t size = get_u16(record + offsetof(struct perf_event_header, size));

		ret = record_accept(r, s, record, err);
		if (ret < 0)
			return ret;
		stream_take(s, size);
	}
	if (ret < 0)
		err_set(err, ret, "cannot read '%s': damaged record in compressed data", r->in.name);
	return ret;
}

static int decompress_all(struct data_reader *r, ZSTD_inBuffer *in, uint64_t packed_at, struct err *err)
{
	struct decompressor *z = r->in.decompressor;
	size_t room, ret, before;
	uint8_t *p;
	int fail;

	do {
		ZSTD_outBuffer out = { 0 };

		fail = stream_room(&z->stream, &p, &room);
		if (fail < 0)
			return err_set(err, fail, "cannot read '%s': %s", r->in.name, strerror(-fail));
		out.dst = p;
		out.size = room;
		before = in->pos;
		ret = ZSTD_decompressStream(z->zstd, &out, in);
		if (ZSTD_isError(ret))
			return err_set(err, -EBADMSG, "cannot read '%s': damaged compressed data: %s", r->in.name,
				       ZSTD_getErrorName(ret));
		stream_filled(&z->stream, out.pos);
		z->stream.chunk->file = r->in.name;
		z->stream.chunk->file_at = packed_at;
		z->stream.chunk->is_packed = true;
		fail = accept_all(r, &z->stream, err);
		if (fail < 0)
			return fail;
		if (out.pos < room && in->pos == before)
			break;
		/* A full buffer may hide output that is still inside. */
		if (out.pos < room && in->pos == in->size)
			break;
	} while (true);
	return 0;
}

int decompress_record(struct data_reader *r, const uint8_t *p, size_t n, struct err *err)
{
	ZSTD_inBuffer in = { p, n, 0 };
	const struct chunk *c = r->in.stream.chunk;
	uint64_t packed_at = c->file_at + r->in.stream.at;
	int ret;

	if (!r->in.decompressor) {
		ret = decompress_new(r, err);
		if (ret < 0)
			return ret;
	}
	if (r->in.decompressor->busy)
		return err_set(err, -EBADMSG, "cannot read '%s': compressed records inside each other", r->in.name);
	r->in.decompressor->busy = true;
	ret = decompress_all(r, &in, packed_at, err);
	r->in.decompressor->busy = false;
	return ret;
}

void decompress_free(struct decompressor *z)
{
	if (!z)
		return;
	ZSTD_freeDStream(z->zstd);
	stream_free(&z->stream);
	free(z);
}

#else

int decompress_record(struct data_reader *r, const uint8_t *p, size_t n, struct err *err)
{
	(void)p;
	(void)n;
	err_exit(err, -EOPNOTSUPP, EXIT_CANNOT,
		 "cannot read '%s': its records are compressed (perf record -z), and this skep has no zstd",
		 r->in.name);
	err_hint(err, "build skep with libzstd, or first: perf inject -i %s -o plain.data", r->in.name);
	return -EOPNOTSUPP;
}

void decompress_free(struct decompressor *z)
{
	(void)z;
}

#endif
