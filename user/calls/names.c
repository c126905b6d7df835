/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "calls/names.h"

#include <stddef.h>

const char *names_find(const struct names *names, uint64_t value)
{
	for (uint32_t i = 0; i < names->n; i++)
		if (names->all[i].value == value)
			return names->all[i].text;
	return NULL;
}

static void comment(struct out *o, const char *text)
{
	if (!*text)
		return;
	out_text(o, " /* ");
	out_text(o, text);
	out_text(o, " */");
}

void names_one(struct out *o, const struct names *names, uint64_t value, enum names_style style)
{
	const char *text = names_find(names, value);

	if (text && style == NAMES_ABBREV) {
		out_text(o, text);
		return;
	}
	out_hex(o, value);
	if (style != NAMES_RAW && (text || names->unknown[0] != '-'))
		comment(o, text ? text : names->unknown);
}

void names_more_flags(struct out *o, const struct names *names, uint64_t value, bool any)
{
	for (uint32_t i = 0; i < names->n && value; i++) {
		const struct name *n = &names->all[i];

		if (!n->value || (value & n->value) != n->value)
			continue;
		if (any)
			out_char(o, '|');
		out_text(o, n->text);
		value &= ~n->value;
		any = true;
	}
	if (value) {
		if (any)
			out_char(o, '|');
		out_hex(o, value);
	}
}

void names_flags(struct out *o, const struct names *names, uint64_t value, enum names_style style)
{
	bool known = false;

	for (uint32_t i = 0; i < names->n && !known; i++)
		known = names->all[i].value ? (value & names->all[i].value) == names->all[i].value : !value;
	if (style == NAMES_RAW || !known) {
		out_hex(o, value);
		if (value && style != NAMES_RAW)
			comment(o, names->unknown);
		return;
	}
	if (style == NAMES_VERBOSE) {
		out_hex(o, value);
		out_text(o, " /* ");
	}
	if (!value)
		out_text(o, names_find(names, 0));
	else
		names_more_flags(o, names, value, false);
	if (style == NAMES_VERBOSE)
		out_text(o, " */");
}
