/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Call frame information by hand: bytes that are put one after the other, and entries around them. */
#ifndef SKEP_TESTS_TEST_CFI_H
#define SKEP_TESTS_TEST_CFI_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/cfi.h"

#define UNUSED __attribute__((unused))

#define SECTION_AT 0x500000ull
#define START 0x401000ull
#define SIZE 0x1000ull

struct out {
	uint8_t bytes[1 << 17];
	size_t n;
};

/* Instructions as text: TEXT("\x41" "\x0e\x10") */
struct text {
	const char *bytes;
	size_t n;
};
#define TEXT(s) ((struct text){ s, sizeof(s) - 1 })

/* CFA = rsp + 8, return address at CFA - 8 */
#define ENTRY_X86 TEXT("\x0c\x07\x08\x90\x01")

static UNUSED void put(struct out *o, const void *bytes, size_t n)
{
	assert_true(n <= sizeof(o->bytes) - o->n);
	if (n)
		memcpy(o->bytes + o->n, bytes, n);
	o->n += n;
}

static UNUSED void put_uint(struct out *o, uint64_t v, size_t n)
{
	put(o, &v, n);
}

static UNUSED void put_text(struct out *o, struct text t)
{
	put(o, t.bytes, t.n);
}

static UNUSED size_t entry_begin(struct out *o)
{
	put_uint(o, 0, 4);
	return o->n;
}

static UNUSED void entry_end(struct out *o, size_t at)
{
	uint32_t len = (uint32_t)(o->n - at);

	memcpy(o->bytes + at - 4, &len, sizeof(len));
}

/* A CIE of .eh_frame, factors 1 and -8, pointers relative and of 32 bits. Returns where it is. */
static UNUSED size_t put_cie(struct out *o, const char *letters, struct text program)
{
	size_t at = entry_begin(o);

	put_uint(o, 0, 4);
	put_uint(o, 1, 1);
	put(o, letters, strlen(letters) + 1);
	put_text(o, TEXT("\x01\x78\x10\x01\x1b"));
	put_text(o, program);
	entry_end(o, at);
	return at - 4;
}

static UNUSED void put_fde(struct out *o, size_t cie, uint64_t start, uint64_t size, struct text program)
{
	size_t at = entry_begin(o);

	put_uint(o, o->n - cie, 4);
	put_uint(o, start - (SECTION_AT + o->n), 4);
	put_uint(o, size, 4);
	put_uint(o, 0, 1);
	put_text(o, program);
	entry_end(o, at);
}

#endif
