/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "util/textbuf.h"

#include <stdarg.h>
#include <stdbool.h>

#include "util/text.h"

#define PRINTF_BYTES 1024
#define FOREIGN_BYTES (16u << 10)

void textbuf_flush(struct textbuf *b)
{
	if (b->out) {
		fwrite(b->data, 1, b->n, b->out);
		b->n = 0;
		b->nr_flushes++;
	}
}

void textbuf_put_more(struct textbuf *b, const char *bytes, size_t n)
{
	while (n) {
		size_t room = TEXTBUF_BYTES - b->n, part = n < room ? n : room;

		memcpy(b->data + b->n, bytes, part);
		b->n += part;
		bytes += part;
		n -= part;
		if (n && !b->out)
			return;
		if (n)
			textbuf_flush(b);
	}
}

#define EACH_BYTE(b) (0x0101010101010101ull * (b))

/* Printable ASCII: eight bytes at a time. A byte is not if its top bit is set, it is less than a blank, or it is DEL. */
static bool is_plain(const char *text, size_t len)
{
	uint64_t bad = 0, word;

	for (; len >= sizeof(word); len -= sizeof(word), text += sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		bad |= word | (word - EACH_BYTE(' ')) | (word + EACH_BYTE(1));
	}
	for (; len; len--, text++)
		bad |= *text < ' ' || *text > '~' ? EACH_BYTE(0x80) : 0;
	return !(bad & EACH_BYTE(0x80));
}

size_t textbuf_foreign(struct textbuf *b, const char *text)
{
	char shown[FOREIGN_BYTES];
	size_t len = strlen(text);

	if (!is_plain(text, len)) {
		len = text_escape(shown, sizeof(shown), text);
		len = len < sizeof(shown) ? len : strlen(shown);
		text = shown;
	}
	textbuf_put(b, text, len);
	return len;
}

void textbuf_pad(struct textbuf *b, size_t n)
{
	static const char blanks[64] = "                                                               ";

	for (; n > sizeof(blanks) - 1; n -= sizeof(blanks) - 1)
		textbuf_put(b, blanks, sizeof(blanks) - 1);
	textbuf_put(b, blanks, n);
}

static void put_right(struct textbuf *b, const char *begin, const char *end, size_t width)
{
	size_t n = (size_t)(end - begin);

	if (n < width)
		textbuf_pad(b, width - n);
	textbuf_put(b, begin, n);
}

void textbuf_u64(struct textbuf *b, uint64_t n, size_t width)
{
	char digits[TEXTBUF_NUMBER_MAX], *end = digits + sizeof(digits);

	put_right(b, text_decimal(end, n), end, width);
}

void textbuf_hex(struct textbuf *b, uint64_t n, size_t width)
{
	char digits[TEXTBUF_NUMBER_MAX], *end = digits + sizeof(digits), *p = end;

	do
		*--p = "0123456789abcdef"[n & 15];
	while (n >>= 4);
	put_right(b, p, end, width);
}

void textbuf_zeros(struct textbuf *b, uint64_t n, size_t digits)
{
	char text[TEXTBUF_NUMBER_MAX], *end = text + sizeof(text), *p = text_decimal(end, n);

	while ((size_t)(end - p) < digits && p > text)
		*--p = '0';
	textbuf_put(b, p, (size_t)(end - p));
}

void textbuf_printf(struct textbuf *b, const char *form, ...)
{
	char text[PRINTF_BYTES];
	va_list args;
	int n;

	va_start(args, form);
	n = vsnprintf(text, sizeof(text), form, args);
	va_end(args);
	if (n > 0)
		textbuf_put(b, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}
