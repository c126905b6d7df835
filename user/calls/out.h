/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Text of a call: a growing buffer. Millions of lines a run: printf() takes ten times as long. */
#ifndef SKEP_CALLS_OUT_H
#define SKEP_CALLS_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Zeroed before its first use. Without memory text is left out, and failed is set. */
struct out {
	char *text; /* not terminated: out_end() */
	size_t n, cap;
	bool failed;
};

/* Room for n bytes more: where they go, or NULL. The caller adds to n what it has written. */
char *out_room(struct out *o, size_t n);

static inline void out_bytes(struct out *o, const char *bytes, size_t n)
{
	char *to = o->cap - o->n >= n ? o->text + o->n : out_room(o, n);

	if (!to)
		return;
	memcpy(to, bytes, n);
	o->n += n;
}

static inline void out_char(struct out *o, char c)
{
	out_bytes(o, &c, 1);
}

static inline void out_text(struct out *o, const char *text)
{
	out_bytes(o, text, strlen(text));
}

void out_decimal(struct out *o, uint64_t n);
void out_signed(struct out *o, int64_t n);
void out_hex(struct out *o, uint64_t n);	       /* "0x1f", and "0" */
void out_octal(struct out *o, uint64_t n, int digits); /* "0644": a zero, then at least so many digits */
void out_zeroes(struct out *o, uint64_t n, int width);  /* decimal, zeroes in front */
void out_form(struct out *o, const char *form, ...) __attribute__((format(printf, 2, 3)));

/* A text in strace's words: with C's escapes, octal ones for what is not ASCII (0), hexadecimal for all if there is some such (1), or always (2). */
void out_escape(struct out *o, const char *bytes, size_t n, int hex);

/* The text with its NUL; "" without memory. Valid until the next call. */
const char *out_end(struct out *o);
void out_free(struct out *o);

#endif
