/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Text on its way to a stream, for views of millions of lines: stdio takes a lock and parses a format for each number. Errors stay in the
 * stream (ferror).
 */
#ifndef SKEP_UTIL_TEXTBUF_H
#define SKEP_UTIL_TEXTBUF_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define TEXTBUF_BYTES (64u << 10)
#define TEXTBUF_NUMBER_MAX 24 /* bytes of a number in any base below */

struct textbuf {
	FILE *out; /* borrowed; NULL: what does not fit is cut */
	size_t n;
	uint64_t nr_flushes;
	char data[TEXTBUF_BYTES];
};

/* out is borrowed. NULL: what does not fit into data is cut. */
static inline void textbuf_init(struct textbuf *b, FILE *out)
{
	b->out = out;
	b->n = 0;
	b->nr_flushes = 0;
}

/* To the stream. */
void textbuf_flush(struct textbuf *b);

/* What textbuf_put() does where there is no room for all. */
void textbuf_put_more(struct textbuf *b, const char *bytes, size_t n);

/* Bytes as they are: those of the program. */
static inline void textbuf_put(struct textbuf *b, const char *bytes, size_t n)
{
	if (n <= TEXTBUF_BYTES - b->n) {
		memcpy(b->data + b->n, bytes, n);
		b->n += n;
	} else {
		textbuf_put_more(b, bytes, n);
	}
}
static inline void textbuf_char(struct textbuf *b, char c)
{
	if (b->n == TEXTBUF_BYTES)
		textbuf_flush(b);
	if (b->n < TEXTBUF_BYTES)
		b->data[b->n++] = c;
}
static inline void textbuf_text(struct textbuf *b, const char *text)
{
	textbuf_put(b, text, strlen(text));
}

/* Foreign text, escaped (util/text.h): of a text with bytes to escape at most 16 KB, the rest is cut. Returns how many bytes that made. */
size_t textbuf_foreign(struct textbuf *b, const char *text);

void textbuf_pad(struct textbuf *b, size_t n); /* n blanks */

/* Numbers at the right of a column of so many bytes; 0: as long as they are. */
void textbuf_u64(struct textbuf *b, uint64_t n, size_t width);
void textbuf_hex(struct textbuf *b, uint64_t n, size_t width);
void textbuf_zeros(struct textbuf *b, uint64_t n, size_t digits); /* with zeros before it */

/* At most 1023 bytes; the rest is cut. */
void textbuf_printf(struct textbuf *b, const char *form, ...) __attribute__((format(printf, 2, 3)));

#endif
