/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A tracepoint's format file: what is found in it has a name, is in the record, and a key reads no more than it may. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "event/format.h"
#include "event/keys.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
	format_free(&f);
	return 0;
}
