/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The fields of a tracepoint's record as they are: numbers, texts, arrays. Nothing outside of the record is read. */
#ifndef SKEP_EVENT_RECORD_H
#define SKEP_EVENT_RECORD_H

#include <stdbool.h>

#include "event/format.h"
#include "util/json.h"

struct record {
	const struct format *format;
	const void *bytes;
	size_t nr_bytes;
	bool is_call; /* of a system call: arguments are words of 8 bytes, whatever their type */
};

/* NAME=VALUE, ... cut where it does not fit, with NUL; texts in quotes. Returns its length. Bytes are as they are: escape them. */
size_t record_text(const struct record *r, char *buf, size_t size);

/* A field; valid during the call. */
struct record_value {
	const char *name;
	const char *text; /* any bytes, cut at 2 KB; NULL: it is a number */
	uint64_t num;
	bool is_signed;
};
void record_each(const struct record *r, void (*each)(void *arg, const struct record_value *value), void *arg);

/* A key and a value for each field, into the object that is open. */
void record_json(const struct record *r, struct json *json);

#endif
