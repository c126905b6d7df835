/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The type of a field follows from its declaration in the format: keys of --by are read by the same rule (event/keys.h). */
#include "event/record.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "event/keys.h"
#include "util/text.h"

#define TEXT_MAX 2048 /* of one field */

enum what { WHAT_NUMBER, WHAT_TEXT, WHAT_ARRAY, WHAT_BYTES };

struct field {
	const struct format_field *of;
	enum what what;
	struct field_place place; /* of numbers */
	const unsigned char *at;
	size_t len;	 /* of what is there */
	uint8_t element; /* bytes of one of an array */
};

static struct field field_of(const struct record *r, const struct format_field *f)
{
	struct field field = { .of = f, .element = format_element(f) };
	size_t off = f->offset, len = f->size;

	if (f->where != FORMAT_PLAIN)
		len = format_dynamic(f, r->bytes, r->nr_bytes, &off);
	if (off > r->nr_bytes)
		off = r->nr_bytes;
	field.at = (const unsigned char *)r->bytes + off;
	field.len = len < r->nr_bytes - off ? len : r->nr_bytes - off;
	if (f->where == FORMAT_PLAIN && !f->array[0] && !field_place_of(f, r->is_call, &field.place) && field.len == f->size)
		field.what = WHAT_NUMBER;
	else if ((f->where != FORMAT_PLAIN || f->array[0]) && (!strcmp(f->type, "char") || !strcmp(f->type, "const char")))
		field.what = WHAT_TEXT;
	else
		field.what = field.element && (f->array[0] || f->where != FORMAT_PLAIN) ? WHAT_ARRAY : WHAT_BYTES;
	return field;
}

static uint64_t load(const unsigned char *at, unsigned bytes, bool is_signed)
{
	unsigned unused = 64 - 8 * (bytes < 8 ? bytes : 8);
	uint64_t num = 0;

	memcpy(&num, at, bytes < 8 ? bytes : 8);
	return is_signed ? (uint64_t)((int64_t)(num << unused) >> unused) : num;
}

static uint64_t number_of(const struct field *f)
{
	return load(f->at, f->place.bytes, f->place.kind == FIELD_SIGNED);
}

struct out {
	char *buf;
	size_t size, len;
};

static void __attribute__((format(printf, 2, 3))) put(struct out *o, const char *form, ...)
{
	va_list args;

	va_start(args, form);
	o->len = text_vappend(o->buf, o->size, o->len, form, args);
	va_end(args);
}

static void put_number(struct out *o, const struct field *f)
{
	uint64_t num = number_of(f);

	if (f->place.kind == FIELD_ADDRESS)
		put(o, "0x%llx", (unsigned long long)num);
	else if (f->place.kind == FIELD_DEVICE)
		put(o, "%u:%u", (uint32_t)num >> 20, (uint32_t)num & 0xfffff);
	else if (f->place.kind == FIELD_SIGNED)
		put(o, "%lld", (long long)num);
	else
		put(o, "%llu", (unsigned long long)num);
}

static void put_hex(struct out *o, const struct field *f)
{
	for (size_t i = 0; i < f->len && o->len + 3 < o->size; i++)
		put(o, "%02x", f->at[i]);
}

static void put_array(struct out *o, const struct field *f)
{
	put(o, "{");
	for (size_t i = 0; i < f->len / f->element && o->len + 32 < o->size; i++) {
		uint64_t num = load(f->at + i * f->element, f->element, f->of->is_signed);

		put(o, f->of->is_signed ? "%s%lld" : "%s%llu", i ? "," : "", (unsigned long long)num);
	}
	put(o, "}");
}

size_t record_text(const struct record *r, char *buf, size_t size)
{
	struct out o = { buf, size, 0 };

	buf[0] = '\0';
	for (size_t i = 0; i < r->format->fields.n; i++) {
		struct field f = field_of(r, &r->format->fields.data[i]);

		put(&o, "%s%s=", i ? ", " : "", f.of->name);
		if (f.what == WHAT_NUMBER)
			put_number(&o, &f);
		else if (f.what == WHAT_TEXT)
			put(&o, "\"%.*s\"", (int)f.len, (const char *)f.at);
		else if (f.what == WHAT_ARRAY)
			put_array(&o, &f);
		else
			put_hex(&o, &f);
	}
	return o.len;
}

void record_each(const struct record *r, void (*each)(void *arg, const struct record_value *value), void *arg)
{
	char text[TEXT_MAX];

	for (size_t i = 0; i < r->format->fields.n; i++) {
		struct field f = field_of(r, &r->format->fields.data[i]);
		struct record_value value = { .name = f.of->name, .text = text };
		struct out o = { text, sizeof(text), 0 };

		text[0] = '\0';
		if (f.what == WHAT_NUMBER && (f.place.kind == FIELD_SIGNED || f.place.kind == FIELD_UNSIGNED)) {
			value.text = NULL;
			value.num = number_of(&f);
			value.is_signed = f.place.kind == FIELD_SIGNED;
		} else if (f.what == WHAT_NUMBER) {
			put_number(&o, &f);
		} else if (f.what == WHAT_TEXT) {
			put(&o, "%.*s", (int)f.len, (const char *)f.at);
		} else if (f.what == WHAT_ARRAY) {
			put_array(&o, &f);
		} else {
			put_hex(&o, &f);
		}
		each(arg, &value);
	}
}

static void json_number(struct json *json, const struct field *f)
{
	char text[32];
	struct out o = { text, sizeof(text), 0 };

	if (f->place.kind == FIELD_SIGNED) {
		json_i64(json, (int64_t)number_of(f));
	} else if (f->place.kind == FIELD_UNSIGNED) {
		json_u64(json, number_of(f));
	} else {
		put_number(&o, f);
		json_text(json, text);
	}
}

void record_json(const struct record *r, struct json *json)
{
	char text[TEXT_MAX];

	for (size_t i = 0; i < r->format->fields.n; i++) {
		struct field f = field_of(r, &r->format->fields.data[i]);
		struct out o = { text, sizeof(text), 0 };

		json_key(json, f.of->name);
		text[0] = '\0';
		if (f.what == WHAT_NUMBER) {
			json_number(json, &f);
		} else if (f.what == WHAT_TEXT) {
			put(&o, "%.*s", (int)f.len, (const char *)f.at);
			json_text(json, text);
		} else if (f.what == WHAT_BYTES) {
			put_hex(&o, &f);
			json_text(json, text);
		} else {
			json_array(json);
			for (size_t k = 0; k < f.len / f.element; k++) {
				uint64_t num = load(f.at + k * f.element, f.element, f.of->is_signed);

				if (f.of->is_signed)
					json_i64(json, (int64_t)num);
				else
					json_u64(json, num);
			}
			json_array_end(json);
		}
	}
}
