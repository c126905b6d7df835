/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A tracepoint's format file: what is found in it has a name, is in the record, and a key reads no more than it may. Its print format
 * over a record of any bytes, of which none outside is read.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "event/format.h"
#include "event/keys.h"
#include "event/printfmt.h"
#include "event/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define RECORD_BYTES 96

static void print_record(const struct format *f, const uint8_t *data, size_t size)
{
	size_t n = size < RECORD_BYTES ? size : RECORD_BYTES;
	struct record r = { f, malloc(n + 1), n, size & 1 };
	struct printfmt *p;
	char text[300], *json = NULL;
	size_t json_bytes = 0;
	struct json j;
	FILE *out = open_memstream(&json, &json_bytes);

	if (!r.bytes || !out)
		abort();
	r.bytes = realloc((void *)r.bytes, n ? n : 1); /* of its very size, for ASan */
	memcpy((void *)r.bytes, data + size - n, n);
	if (f->print && !printfmt_parse(f->print, f, &p)) {
		if (printfmt_text(p, r.bytes, n, NULL, text, sizeof(text)) >= sizeof(text))
			abort();
		printfmt_free(p);
	}
	if (record_text(&r, text, sizeof(text)) >= sizeof(text))
		abort();
	json_begin(&j, out);
	json_object(&j);
	record_json(&r, &j);
	json_object_end(&j);
	fclose(out);
	free(json);
	free((void *)r.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct format f;

	if (format_parse((const char *)data, size, &f)) {
		format_free(&f);
		return 0;
	}
	for (size_t i = 0; i < f.fields.n; i++) {
		const struct format_field *field = &f.fields.data[i];
		struct field_place p;

		if (!field->name[0] || strlen(field->name) >= FORMAT_NAME_MAX || strlen(field->type) >= FORMAT_TYPE_MAX ||
		    field->offset + field->size > UINT16_MAX)
			abort();
		for (int is_call = 0; is_call < 2; is_call++)
			if (!field_place_of(field, is_call, &p) && p.bytes > (p.kind == FIELD_TEXT ? BY_TEXT_MAX : 8))
				abort();
	}
	print_record(&f, data, size);
	format_free(&f);
	return 0;
}
