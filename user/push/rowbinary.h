/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ClickHouse's format RowBinary (clickhouse.com/docs, "RowBinary"): values one after the other, little-endian, texts and arrays with their length. */
#ifndef SKEP_PUSH_ROWBINARY_H
#define SKEP_PUSH_ROWBINARY_H

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "util/vec.h"

#define ROWBINARY_VARINT_MAX 10

/* What is written. A failed allocation stays. A zeroed one is empty. */
struct rows_out {
	VEC(char) bytes;
	uint64_t nr_rows; /* the owner's */
	bool no_memory;
};

static inline void rows_put(struct rows_out *o, const void *bytes, size_t n)
{
	char *to = o->no_memory ? NULL : vec_take(&o->bytes, n);

	if (to && n)
		memcpy(to, bytes, n);
	o->no_memory |= !to && n;
}

static inline void rows_put_size(struct rows_out *o, uint64_t n)
{
	unsigned char bytes[ROWBINARY_VARINT_MAX];
	size_t len = 0;

	for (; n > 0x7f; n >>= 7)
		bytes[len++] = (unsigned char)(n | 0x80);
	bytes[len++] = (unsigned char)n;
	rows_put(o, bytes, len);
}

static inline void rows_put_text(struct rows_out *o, const char *text)
{
	size_t n = strlen(text ? text : "");

	rows_put_size(o, n);
	rows_put(o, text, n);
}

static inline void rows_put_u32(struct rows_out *o, uint32_t n)
{
	n = htole32(n);
	rows_put(o, &n, sizeof(n));
}

static inline void rows_put_u64(struct rows_out *o, uint64_t n)
{
	n = htole64(n);
	rows_put(o, &n, sizeof(n));
}

/* What is read, hostile: what is beyond the end is 0, and is_bad. */
struct rows_in {
	const char *p, *end;
	bool is_bad;
};

static inline const char *rows_take(struct rows_in *in, size_t n)
{
	const char *at = in->p;

	if (n > (size_t)(in->end - in->p)) {
		in->is_bad = true;
		in->p = in->end;
		return NULL;
	}
	in->p += n;
	return at;
}

static inline uint64_t rows_take_size(struct rows_in *in)
{
	uint64_t n = 0;
	const char *p;

	for (unsigned int shift = 0; shift < 64 && (p = rows_take(in, 1)); shift += 7) {
		n |= (uint64_t)(*p & 0x7f) << shift;
		if (!(*p & 0x80))
			return n;
	}
	in->is_bad = true;
	return 0;
}

/* n bytes without a NUL after them. */
static inline const char *rows_take_text(struct rows_in *in, size_t *ret_n)
{
	const char *p;

	*ret_n = rows_take_size(in);
	p = rows_take(in, *ret_n);
	if (!p)
		*ret_n = 0;
	return p ? p : "";
}

static inline uint64_t rows_take_u64(struct rows_in *in)
{
	const char *p = rows_take(in, sizeof(uint64_t));
	uint64_t n = 0;

	if (p)
		memcpy(&n, p, sizeof(n));
	return le64toh(n);
}

#endif
