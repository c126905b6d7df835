/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* RFC 1952, by zlib. */
#include "capture/unpack.h"

#include <stdbool.h>
#include <stdlib.h>
#include <zlib.h>

#define GZIP_WINDOW (MAX_WBITS + 16) /* inflateInit2(): a gzip header, and no other */

void *unpack(const void *packed, size_t packed_bytes, size_t bytes)
{
	z_stream z = { .next_in = (Bytef *)packed, .avail_in = (uInt)packed_bytes };
	void *ret = malloc(bytes);
	bool is_whole;

	if (!ret || inflateInit2(&z, GZIP_WINDOW) != Z_OK) {
		free(ret);
		return NULL;
	}
	z.next_out = ret;
	z.avail_out = (uInt)bytes;
	is_whole = inflate(&z, Z_FINISH) == Z_STREAM_END && !z.avail_out;
	inflateEnd(&z);
	if (is_whole)
		return ret;
	free(ret);
	return NULL;
}
