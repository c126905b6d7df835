/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Compressed sections: a header of method and size, then one stream. 64-bit files only. */
#include "elf/elfpack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#define UNPACKED_MAX_BYTES (512ull << 20)
#define ZLIB_MAX_RATIO 1032u /* of deflate: 258 bytes by two bits */
#define METHOD_ZLIB 1u
#define METHOD_ZSTD 2u /* not in the elf.h of glibc before 2.37 */

static int inflate_all(const char *in, uint64_t n, char *out, uint64_t size)
{
	uLongf got = size;

	if (size / ZLIB_MAX_RATIO > n || uncompress((Bytef *)out, &got, (const Bytef *)in, n) != Z_OK || got != size)
		return -EBADMSG;
	return 0;
}

static int unpack(uint32_t method, const char *in, uint64_t n, char *out, uint64_t size)
{
	switch (method) {
	case METHOD_ZLIB:
		return inflate_all(in, n, out, size);
#ifdef HAVE_ZSTD
	case METHOD_ZSTD:
		return ZSTD_decompress(out, size, in, n) == size ? 0 : -EBADMSG;
#endif
	default:
		return -ENODATA;
	}
}

int elfpack_read_sec(const struct elf_file *elf, const struct elf_sec *sec, char **ret_bytes, uint64_t *ret_size)
{
	char *packed, *out;
	Elf64_Chdr h;
	int ret;

	*ret_size = sec->size;
	if (!(sec->flags & SHF_COMPRESSED))
		return elf_read_sec(elf, sec, ret_bytes);
	if (!elf->is64 || sec->type == SHT_NOBITS || sec->size < sizeof(h))
		return -ENODATA;
	ret = elf_read(elf, sec->off, sec->size, &packed);
	if (ret)
		return ret;
	memcpy(&h, packed, sizeof(h));
	out = h.ch_size <= UNPACKED_MAX_BYTES ? malloc(h.ch_size + 1) : NULL;
	ret = out ? unpack(h.ch_type, packed + sizeof(h), sec->size - sizeof(h), out, h.ch_size) : -ENOMEM;
	free(packed);
	if (ret) {
		free(out);
		return ret;
	}
	out[h.ch_size] = '\0';
	*ret_bytes = out;
	*ret_size = h.ch_size;
	return 0;
}
