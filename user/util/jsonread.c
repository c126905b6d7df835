/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "util/jsonread.h"

#ifdef HAVE_JSON_C
#include "util/library.h"

#define SONAME "libjson-c.so.5" /* of 0.15 and later */
#define DEPTH_MAX 32

struct json_c json_c;

bool jsonread_open(void)
{
	const struct library_symbol symbols[] = {
		{ &json_c.tokener, "json_tokener_new_ex" }, { &json_c.end, "json_tokener_free" },	   { &json_c.parse, "json_tokener_parse_ex" },
		{ &json_c.put, "json_object_put" },	    { &json_c.get, "json_object_object_get_ex" },  { &json_c.text, "json_object_get_string" },
		{ &json_c.is, "json_object_is_type" },	    { &json_c.length, "json_object_array_length" }, { &json_c.at, "json_object_array_get_idx" },
	};
	static bool is_open;

	if (!is_open)
		is_open = library_open(SONAME, symbols, sizeof(symbols) / sizeof(symbols[0]));
	return is_open;
}

struct json_object *jsonread_parse(const char *text, size_t n)
{
	struct json_tokener *tok = json_c.tokener(DEPTH_MAX);
	struct json_object *o = tok ? json_c.parse(tok, text, (int)n) : NULL;

	if (tok)
		json_c.end(tok);
	return o;
}

bool jsonread_has(const struct json_object *o, const char *key)
{
	struct json_object *member;

	return o && json_c.get(o, key, &member);
}

const char *jsonread_text(const struct json_object *o, const char *key)
{
	struct json_object *member;

	return o && json_c.get(o, key, &member) && json_c.is(member, json_type_string) ? json_c.text(member) : NULL;
}
#endif
