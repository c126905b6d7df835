/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "pprof/wire.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#include "util/text.h"

void wire_free(struct wire *w)
{
	vec_free(&w->bytes);
	w->no_memory = false;
}

static void put(struct wire *w, const void *bytes, size_t n)
{
	char *to = w->no_memory ? NULL : vec_take(&w->bytes, n);

	if (to)
		memcpy(to, bytes, n);
	else
		w->no_memory = true;
}

static size_t varint(char *to, uint64_t n)
{
	size_t len = 0;

	for (; n >= 0x80; n >>= 7)
		to[len++] = (char)(n | 0x80);
	to[len++] = (char)n;
	return len;
}

static void put_varint(struct wire *w, uint64_t n)
{
	char buf[WIRE_VARINT_MAX];

	put(w, buf, varint(buf, n));
}

static void put_tag(struct wire *w, uint32_t field, enum wire_type type)
{
	put_varint(w, (uint64_t)field << 3 | type);
}

void wire_number(struct wire *w, uint32_t field, uint64_t n)
{
	if (!n)
		return;
	put_tag(w, field, WIRE_VARINT);
	put_varint(w, n);
}

void wire_value(struct wire *w, uint32_t field, uint64_t n)
{
	put_tag(w, field, WIRE_VARINT);
	put_varint(w, n);
}

void wire_fixed64(struct wire *w, uint32_t field, uint64_t n)
{
	if (!n)
		return;
	put_tag(w, field, WIRE_FIXED64);
	n = htole64(n);
	put(w, &n, sizeof(n));
}

void wire_bytes(struct wire *w, uint32_t field, const void *bytes, size_t n)
{
	put_tag(w, field, WIRE_BYTES);
	put_varint(w, n);
	if (n)
		put(w, bytes, n);
}

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* How many bytes of text are characters. */
static size_t characters(const char *text)
{
	size_t n = 0;
	uint32_t code;
	int len;

	while (text[n] && (len = utf8_decode(text + n, &code)))
		n += (size_t)len;
	return n;
}

void wire_text(struct wire *w, uint32_t field, const char *text)
{
	size_t n = 0;

	for (const char *p = text; *p;) {
		size_t part = characters(p);

		n += part + (p[part] ? strlen(REPLACEMENT) : 0);
		p += part + (p[part] ? 1 : 0);
	}
	put_tag(w, field, WIRE_BYTES);
	put_varint(w, n);
	while (*text) {
		size_t part = characters(text);

		put(w, text, part);
		text += part;
		if (*text++)
			put(w, REPLACEMENT, strlen(REPLACEMENT));
		else
			break;
	}
}

void wire_append(struct wire *w, const struct wire *fields)
{
	w->no_memory |= fields->no_memory;
	if (fields->bytes.n)
		put(w, fields->bytes.data, fields->bytes.n);
}

void wire_numbers(struct wire *w, uint32_t field, const uint64_t *all, size_t n)
{
	char buf[WIRE_VARINT_MAX];
	size_t len = 0;

	for (size_t i = 0; i < n; i++)
		len += varint(buf, all[i]);
	if (!n)
		return;
	put_tag(w, field, WIRE_BYTES);
	put_varint(w, len);
	for (size_t i = 0; i < n; i++)
		put_varint(w, all[i]);
}

int wire_packed(struct wire_reader *r, uint64_t *ret_value)
{
	uint64_t n = 0;

	if (r->p == r->end)
		return 0;
	for (unsigned shift = 0; r->p < r->end && shift < 64; shift += 7) {
		unsigned char c = (unsigned char)*r->p++;

		n |= (uint64_t)(c & 0x7f) << shift;
		if (c & 0x80)
			continue;
		*ret_value = n;
		return 1;
	}
	return -EBADMSG;
}

/* The bytes are in the order of the machines that skep is built for. */
static int take_fixed(struct wire_reader *r, size_t n, struct wire_field *f)
{
	if ((size_t)(r->end - r->p) < n)
		return -EBADMSG;
	memcpy(&f->value, r->p, n);
	r->p += n;
	return 1;
}

static int take_bytes(struct wire_reader *r, struct wire_field *f)
{
	uint64_t n;

	if (wire_packed(r, &n) != 1 || n > (uint64_t)(r->end - r->p))
		return -EBADMSG;
	f->bytes = (struct wire_reader){ r->p, r->p + n };
	r->p += n;
	return 1;
}

int wire_next(struct wire_reader *r, struct wire_field *ret_field)
{
	struct wire_field *f = ret_field;
	uint64_t tag;
	int ret = wire_packed(r, &tag);

	if (ret <= 0)
		return ret;
	*f = (struct wire_field){ .number = (uint32_t)(tag >> 3), .type = tag & 7 };
	if (!f->number || tag >> 3 > UINT32_MAX)
		return -EBADMSG;
	switch (f->type) {
	case WIRE_VARINT:
		return wire_packed(r, &f->value) == 1 ? 1 : -EBADMSG;
	case WIRE_BYTES:
		return take_bytes(r, f);
	case WIRE_FIXED64:
		return take_fixed(r, sizeof(uint64_t), f);
	case WIRE_FIXED32:
		return take_fixed(r, sizeof(uint32_t), f);
	}
	return -EBADMSG;
}

int wire_each(const struct wire_field *f, int (*each)(void *arg, uint64_t value), void *arg)
{
	struct wire_reader r = f->bytes;
	uint64_t value;
	int ret;

	if (f->type != WIRE_BYTES)
		return each(arg, f->value);
	while ((ret = wire_packed(&r, &value)) == 1)
		if ((ret = each(arg, value)))
			return ret;
	return ret;
}
