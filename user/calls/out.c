/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "calls/out.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "util/text.h"

#define FIRST_BYTES 1024

char *out_room(struct out *o, size_t n)
{
	size_t cap = o->cap ? o->cap : FIRST_BYTES;
	char *text;

	while (cap - o->n < n)
		cap *= 2;
	if (cap == o->cap)
		return o->text + o->n;
	text = realloc(o->text, cap);
	if (!text) {
		o->failed = true;
		return NULL;
	}
	o->text = text;
	o->cap = cap;
	return text + o->n;
}

void out_decimal(struct out *o, uint64_t n)
{
	char buf[24], *end = buf + sizeof(buf), *at = text_decimal(end, n);

	out_bytes(o, at, end - at);
}

void out_signed(struct out *o, int64_t n)
{
	if (n < 0)
		out_char(o, '-');
	out_decimal(o, n < 0 ? -(uint64_t)n : (uint64_t)n);
}

void out_hex(struct out *o, uint64_t n)
{
	char buf[20], *end = buf + sizeof(buf), *at = end;

	if (!n) {
		out_char(o, '0');
		return;
	}
	for (; n; n >>= 4)
		*--at = "0123456789abcdef"[n & 15];
	*--at = 'x';
	*--at = '0';
	out_bytes(o, at, end - at);
}

void out_octal(struct out *o, uint64_t n, int digits)
{
	char buf[24], *end = buf + sizeof(buf), *at = end;

	for (; n || digits > 0; n >>= 3, digits--)
		*--at = '0' + (n & 7);
	*--at = '0';
	out_bytes(o, at, end - at);
}

void out_zeroes(struct out *o, uint64_t n, int width)
{
	char buf[24], *end = buf + sizeof(buf), *at = text_decimal(end, n);

	while (end - at < width)
		*--at = '0';
	out_bytes(o, at, end - at);
}

void out_form(struct out *o, const char *form, ...)
{
	char buf[512];
	va_list args;
	int n;

	va_start(args, form);
	n = vsnprintf(buf, sizeof(buf), form, args);
	va_end(args);
	if (n > 0)
		out_bytes(o, buf, (size_t)n < sizeof(buf) ? (size_t)n : sizeof(buf) - 1);
}

static bool is_plain(unsigned char c)
{
	return (c >= ' ' && c < 0x7f) || (c >= '\t' && c <= '\r');
}

static char *escape(char *to, unsigned char c, unsigned char next, bool has_next)
{
	static const char letters[] = "tnvfr";
	bool is_next_digit = has_next && next >= '0' && next <= '7';

	if (c == '"' || c == '\\') {
		*to++ = '\\';
		*to++ = c;
	} else if (c >= '\t' && c <= '\r') {
		*to++ = '\\';
		*to++ = letters[c - '\t'];
	} else if (c >= ' ' && c < 0x7f) {
		*to++ = c;
	} else {
		*to++ = '\\';
		if (is_next_digit || c >= 0100)
			*to++ = '0' + (c >> 6);
		if (is_next_digit || c >= 010)
			*to++ = '0' + (c >> 3 & 7);
		*to++ = '0' + (c & 7);
	}
	return to;
}

void out_escape(struct out *o, const char *bytes, size_t n, int hex)
{
	char *to = out_room(o, 4 * n + 1), *begin = to;

	if (!to)
		return;
	if (hex == 1) {
		hex = 0;
		for (size_t i = 0; i < n && !hex; i++)
			hex = !is_plain(bytes[i]);
	}
	for (size_t i = 0; i < n; i++) {
		unsigned char c = bytes[i];

		if (hex) {
			*to++ = '\\';
			*to++ = 'x';
			*to++ = "0123456789abcdef"[c >> 4];
			*to++ = "0123456789abcdef"[c & 15];
		} else {
			to = escape(to, c, i + 1 < n ? bytes[i + 1] : 0, i + 1 < n);
		}
	}
	o->n += to - begin;
}

const char *out_end(struct out *o)
{
	char *at = out_room(o, 1);

	if (!at)
		return "";
	*at = '\0';
	return o->text;
}

void out_free(struct out *o)
{
	free(o->text);
	*o = (struct out){ 0 };
}
