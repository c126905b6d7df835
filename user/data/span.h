/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A piece of a file that is read from its begin on, hostile: each read is checked against its end. */
#ifndef SKEP_DATA_SPAN_H
#define SKEP_DATA_SPAN_H

#include <byteswap.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "data/format.h"

struct span {
	const uint8_t *p;
	size_t n;
	bool is_swapped; /* of the other byte order */
};

static inline bool take(struct span *s, size_t n, const uint8_t **ret_p)
{
	if (s->n < n)
		return false;
	*ret_p = s->p;
	s->p += n;
	s->n -= n;
	return true;
}

static inline bool take_u32(struct span *s, uint32_t *ret_v)
{
	const uint8_t *p;

	if (!take(s, sizeof(*ret_v), &p))
		return false;
	*ret_v = s->is_swapped ? bswap_32(get_u32(p)) : get_u32(p);
	return true;
}

/* A length and that many bytes, which hold a string and its padding. */
static inline bool take_string(struct span *s, const char **ret_text, size_t *ret_n)
{
	const uint8_t *p;
	uint32_t len;

	if (!take_u32(s, &len) || !take(s, len, &p))
		return false;
	*ret_text = (const char *)p;
	*ret_n = strnlen((const char *)p, len);
	return true;
}

/* Up to its NUL. */
static inline bool take_cstring(struct span *s, const char **ret_text)
{
	const uint8_t *end = memchr(s->p, '\0', s->n), *p;

	if (!end || !take(s, (size_t)(end - s->p) + 1, &p))
		return false;
	*ret_text = (const char *)p;
	return true;
}

static inline bool take_u64(struct span *s, uint64_t *ret_v)
{
	const uint8_t *p;

	if (!take(s, sizeof(*ret_v), &p))
		return false;
	*ret_v = s->is_swapped ? bswap_64(get_u64(p)) : get_u64(p);
	return true;
}

#endif
