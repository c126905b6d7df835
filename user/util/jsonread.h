/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Reading JSON: json-c, a parser that has been fuzzed for years, opened when it is needed. Only where HAVE_JSON_C is defined. Objects are freed by
 * json_c.put().
 */
#ifndef SKEP_UTIL_JSONREAD_H
#define SKEP_UTIL_JSONREAD_H

#include <stdbool.h>
#include <stddef.h>

#ifdef HAVE_JSON_C
#include <json-c/json.h>

/* The library's functions, once jsonread_open() was true. */
extern struct json_c {
	struct json_tokener *(*tokener)(int depth);
	void (*end)(struct json_tokener *tok);
	struct json_object *(*parse)(struct json_tokener *tok, const char *text, int n);
	int (*put)(struct json_object *o);
	json_bool (*get)(const struct json_object *o, const char *key, struct json_object **ret);
	const char *(*text)(struct json_object *o);
	int (*is)(const struct json_object *o, enum json_type type);
	size_t (*length)(const struct json_object *o);
	struct json_object *(*at)(const struct json_object *o, size_t i);
} json_c;

/* False: there is no libjson-c.so.5. */
bool jsonread_open(void);

/* The first value of a text of n bytes, up to INT_MAX; NULL: it is no JSON, or nested too deep. */
struct json_object *jsonread_parse(const char *text, size_t n);

/* Has it a member of that name? False: it is NULL. */
bool jsonread_has(const struct json_object *o, const char *key);

/* The text of o, or of its member; borrowed of o. NULL: o is NULL, or has no member of that name that is a text. */
const char *jsonread_text(const struct json_object *o, const char *key);
#endif

#endif
