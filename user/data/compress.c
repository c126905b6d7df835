/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * COMPRESSED records as perf record -z writes them: one zstd stream, cut into records. In come bytes of records, in pieces of any
 * size; out go records that hold them, each flushed, so that a file can be read up to its last one. The bytes that go out are ours.
 */
#include <errno.h>
#include <stdlib.h>

#include "data/writer.h"

#ifdef HAVE_ZSTD
#include <zstd.h>

/*
 * What goes into one record. perf gives up where a record yields nothing (perf_session__process_compressed_event(),
 * tools/perf/util/session.c), and a block of zstd yields nothing until it is whole: so a piece fits into its record even if it
 * cannot be compressed. Nor is it more than perf has room for.
 */
#define PIECE_BYTES (60u << 10)
#define RECORD_ROOM (UINT16_MAX - sizeof(struct perf_event_header))
#define FRAME_HEADER_BYTES 18 /* at most: RFC 8878, 3.1.1 */
_Static_assert(ZSTD_COMPRESSBOUND(PIECE_BYTES) + FRAME_HEADER_BYTES <= RECORD_ROOM, "a piece that cannot be compressed fits");
_Static_assert(PIECE_BYTES <= COMPRESSION_MMAP_BYTES, "perf has room for a piece");

struct compressor {
	ZSTD_CStream *zstd;
	size_t used, cap;
	uint8_t *bytes;
};

int compress_open(const char *path, int level, struct compressor **ret_c, struct err *err)
{
	struct compressor *c = calloc(1, sizeof(*c));

	if (c)
		c->zstd = ZSTD_createCStream();
	if (!c || !c->zstd || ZSTD_isError(ZSTD_initCStream(c->zstd, level))) {
		compress_free(c);
		return err_set(err, -ENOMEM, "cannot write '%s': %s", path, strerror(ENOMEM));
	}
	*ret_c = c;
	return 0;
}

static int reserve(struct compressor *c, size_t cap)
{
	uint8_t *p;

	if (cap <= c->cap)
		return 0;
	p = realloc(c->bytes, cap);
	if (!p)
		return -ENOMEM;
	c->bytes = p;
	c->cap = cap;
	return 0;
}

static int compress_piece(struct compressor *c, const uint8_t *p, size_t n)
{
	struct perf_event_header h = { .type = RECORD_COMPRESSED };
	uint8_t *record = c->bytes + c->used;
	ZSTD_outBuffer out = { record + sizeof(h), RECORD_ROOM, 0 };
	ZSTD_inBuffer in = { p, n, 0 };
	size_t left = ZSTD_compressStream2(c->zstd, &out, &in, ZSTD_e_flush);

	if (ZSTD_isError(left))
		return -ENOMEM; /* all that it can lack */
	if (left)
		return -EOVERFLOW;
	h.size = (uint16_t)(sizeof(h) + out.pos);
	memcpy(record, &h, sizeof(h));
	c->used += h.size;
	return 0;
}

int compress_bytes(struct compressor *c, const uint8_t *p, size_t n, const uint8_t **ret_p, size_t *ret_n)
{
	int ret = reserve(c, (n + PIECE_BYTES - 1) / PIECE_BYTES * UINT16_MAX);

	c->used = 0;
	for (size_t at = 0; at < n && ret == 0; at += PIECE_BYTES)
		ret = compress_piece(c, p + at, n - at < PIECE_BYTES ? n - at : PIECE_BYTES);
	if (ret < 0)
		return ret;
	*ret_p = c->bytes;
	*ret_n = c->used;
	return 0;
}

void compress_free(struct compressor *c)
{
	if (!c)
		return;
	ZSTD_freeCStream(c->zstd);
	free(c->bytes);
	free(c);
}

#else

int compress_open(const char *path, int level, struct compressor **ret_c, struct err *err)
{
	(void)level;
	(void)ret_c;
	err_exit(err, -EOPNOTSUPP, EXIT_CANNOT, "cannot write '%s' compressed: this skep has no zstd", path);
	err_hint(err, "build skep with libzstd, or leave out -z");
	return -EOPNOTSUPP;
}

int compress_bytes(struct compressor *c, const uint8_t *p, size_t n, const uint8_t **ret_p, size_t *ret_n)
{
	(void)c;
	(void)p;
	(void)n;
	(void)ret_p;
	(void)ret_n;
	return -EOPNOTSUPP;
}

void compress_free(struct compressor *c)
{
	(void)c;
}

#endif
