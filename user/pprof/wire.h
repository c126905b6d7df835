/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The encoding of protocol buffers (protobuf.dev, "Encoding"), as far as pprof uses it: numbers, and bytes with their length. Our own:
 * a library keeps a whole message as objects, several times as large, and what is written here goes out piece by piece.
 */
#ifndef SKEP_PPROF_WIRE_H
#define SKEP_PPROF_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/vec.h"

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

#define WIRE_VARINT_MAX 10 /* bytes of a number */

/* What is written. A failed allocation stays: every later write does nothing. A zeroed one is empty. */
struct wire {
	VEC(char) bytes;
	bool no_memory;
};

void wire_free(struct wire *w);
void wire_number(struct wire *w, uint32_t field, uint64_t n); /* 0 is what a missing field is: not written */
void wire_value(struct wire *w, uint32_t field, uint64_t n); /* written also if it is 0, where that is not what a missing field is */
void wire_fixed64(struct wire *w, uint32_t field, uint64_t n); /* likewise */
void wire_bytes(struct wire *w, uint32_t field, const void *bytes, size_t n); /* also of another wire: a message in the message */
void wire_text(struct wire *w, uint32_t field, const char *text); /* any bytes: what is not UTF-8, as these fields have to be, becomes U+FFFD */
void wire_append(struct wire *w, const struct wire *fields); /* as they are */
void wire_numbers(struct wire *w, uint32_t field, const uint64_t *all, size_t n); /* packed */

/* What is read, hostile. A zeroed one is at its end. */
struct wire_reader {
	const char *p, *end;
};

struct wire_field {
	uint32_t number;
	enum wire_type type;
	uint64_t value;		  /* of numbers */
	struct wire_reader bytes; /* WIRE_BYTES */
};

/* The next field: 1; 0 at the end; -EBADMSG. Groups, which are deprecated, are bad. */
int wire_next(struct wire_reader *r, struct wire_field *ret_field);

/* The next number of packed ones: 1; 0 at the end; -EBADMSG. */
int wire_packed(struct wire_reader *r, uint64_t *ret_value);

/*
 * A field of numbers that may be packed or not: calls each for every number that this field has. 0, -EBADMSG, or what each returned
 * that is not 0.
 */
int wire_each(const struct wire_field *f, int (*each)(void *arg, uint64_t value), void *arg);

#endif
