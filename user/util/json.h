/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A streaming JSON writer (RFC 8259): no tree, no allocation, any depth. Text may be any bytes: what
 * is not UTF-8 becomes U+FFFD. Numbers that JSON does not have (NaN, infinity) are an error that
 * json_end reports. Keys and values must be called in a sensible order; that is not checked.
 */
#ifndef SKEP_UTIL_JSON_H
#define SKEP_UTIL_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
	FILE *out;
	bool in_html; /* also escape what could end a script element */
	bool comma;   /* a value stands before this place */
	int error;    /* the first -errno */
};

void json_begin(struct json *json, FILE *out);
/* Returns 0, -EINVAL for a refused number, or -EIO for a failed write. */
int json_end(struct json *json);

void json_object(struct json *json);	   /* { */
void json_object_end(struct json *json); /* } */
void json_array(struct json *json);	   /* [ */
void json_array_end(struct json *json);	   /* ] */
void json_line(struct json *json);	   /* a line break, before the next key or value */

void json_key(struct json *json, const char *key);
void json_text(struct json *json, const char *text); /* NULL: null */
void json_u64(struct json *json, uint64_t value);    /* exact in the text; readers with doubles are exact to 2^53 */
void json_i64(struct json *json, int64_t value);
void json_double(struct json *json, double value, int decimals);
void json_fraction(struct json *json, uint64_t value, uint64_t unit, int decimals); /* value in units, exact: 1234567 of 1000000 is 1.235 */
void json_bool(struct json *json, bool value);
void json_raw(struct json *json); /* a value, which the caller writes to out at once: it is JSON */

/* key and value in one call */
void json_key_text(struct json *json, const char *key, const char *text);
void json_key_u64(struct json *json, const char *key, uint64_t value);

#endif
