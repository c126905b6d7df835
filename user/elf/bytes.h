/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A cursor over bytes of a file, little endian. Bytes after the end read as 0, and so does everything after that: a reader
 * looks at is_short once, when it is done. Facts: DWARF 5, 7.6 (LEB128); Linux Standard Base 5.0, Core, 10.5 (pointer encodings).
 */
#ifndef SKEP_ELF_BYTES_H
#define SKEP_ELF_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes {
	const uint8_t *at, *end;
	bool is_short; /* more was requested than there is */
};

/* How a pointer is written: form in the low four bits, what it is relative to in the next three. */
enum bytes_ptr {
	PTR_ABS = 0x00,
	PTR_ULEB = 0x01,
	PTR_U16 = 0x02,
	PTR_U32 = 0x03,
	PTR_U64 = 0x04,
	PTR_SLEB = 0x09,
	PTR_S16 = 0x0a,
	PTR_S32 = 0x0b,
	PTR_S64 = 0x0c,
	PTR_FORM = 0x0f,
	PTR_PCREL = 0x10,
	PTR_DATAREL = 0x30,
	PTR_ALIGNED = 0x50,
	PTR_BASE = 0x70,
	PTR_INDIRECT = 0x80,
	PTR_OMIT = 0xff,
};

static inline struct bytes bytes_of(const void *at, size_t n)
{
	return (struct bytes){ .at = at, .end = (const uint8_t *)at + n };
}

static inline size_t bytes_left(const struct bytes *b)
{
	return (size_t)(b->end - b->at);
}

/* False: there are not so many, and the cursor is at the end. */
static inline bool bytes_skip(struct bytes *b, uint64_t n)
{
	if (n > bytes_left(b)) {
		b->is_short = true;
		b->at = b->end;
		return false;
	}
	b->at += n;
	return true;
}

/* The next n bytes as a cursor of their own. */
static inline struct bytes bytes_cut(struct bytes *b, uint64_t n)
{
	const uint8_t *at = b->at;

	return bytes_skip(b, n) ? bytes_of(at, n) : bytes_of(b->end, 0);
}

static inline uint8_t bytes_u8(struct bytes *b)
{
	if (b->at == b->end) {
		b->is_short = true;
		return 0;
	}
	return *b->at++;
}

#define BYTES_FIXED(type, name)                         \
	static inline type name(struct bytes *b)        \
	{                                               \
		const uint8_t *at = b->at;              \
		type v = 0;                             \
                                                        \
		if (bytes_skip(b, sizeof(v)))           \
			memcpy(&v, at, sizeof(v));      \
		return v;                               \
	}
BYTES_FIXED(uint16_t, bytes_u16)
BYTES_FIXED(uint32_t, bytes_u32)
BYTES_FIXED(uint64_t, bytes_u64)
#undef BYTES_FIXED

/* Bits above 64 are dropped. */
static inline uint64_t bytes_uleb(struct bytes *b)
{
	uint64_t v = 0;
	uint8_t byte;

	for (unsigned int shift = 0;; shift += 7) {
		byte = bytes_u8(b);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return b->is_short ? 0 : v;
		shift = shift < 64 ? shift : 64;
	}
}

static inline int64_t bytes_sleb(struct bytes *b)
{
	unsigned int shift = 0;
	uint64_t v = 0;
	uint8_t byte;

	do {
		byte = bytes_u8(b);
		if (shift < 64) {
			v |= (uint64_t)(byte & 0x7f) << shift;
			shift += 7;
		}
	} while (byte & 0x80);
	if (shift < 64 && (byte & 0x40))
		v |= ~0ull << shift;
	return b->is_short ? 0 : (int64_t)v;
}

/* What pointers are relative to. */
struct bytes_base {
	const uint8_t *first; /* byte whose ELF address is vaddr */
	uint64_t vaddr;
	uint64_t data;	      /* of PTR_DATAREL */
	bool is64;
};

/*
 * A pointer as enc says. False: enc is none of the above, or omitted, or the bytes are too few. Of PTR_INDIRECT the address of the
 * pointer is read, not what it points to.
 */
static inline bool bytes_ptr(struct bytes *b, uint8_t enc, const struct bytes_base *base, uint64_t *ret_ptr)
{
	uint64_t here = base->vaddr + (uint64_t)(b->at - base->first), v;
	size_t word = base->is64 ? 8 : 4;

	if (enc == PTR_OMIT)
		return false;
	if ((enc & PTR_BASE) == PTR_ALIGNED && !bytes_skip(b, (word - here % word) % word))
		return false;
	switch (enc & PTR_FORM) {
	case PTR_ABS:
		v = base->is64 ? bytes_u64(b) : bytes_u32(b);
		break;
	case PTR_ULEB:
		v = bytes_uleb(b);
		break;
	case PTR_U16:
		v = bytes_u16(b);
		break;
	case PTR_U32:
		v = bytes_u32(b);
		break;
	case PTR_U64:
	case PTR_S64:
		v = bytes_u64(b);
		break;
	case PTR_SLEB:
		v = (uint64_t)bytes_sleb(b);
		break;
	case PTR_S16:
		v = (uint64_t)(int64_t)(int16_t)bytes_u16(b);
		break;
	case PTR_S32:
		v = (uint64_t)(int64_t)(int32_t)bytes_u32(b);
		break;
	default:
		return false;
	}
	switch (enc & PTR_BASE) {
	case PTR_ABS:
	case PTR_ALIGNED:
		break;
	case PTR_PCREL:
		v += here;
		break;
	case PTR_DATAREL:
		v += base->data;
		break;
	default:
		return false;
	}
	*ret_ptr = v;
	return !b->is_short;
}

#endif
