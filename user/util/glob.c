/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One place to go back to, the last star, is enough: what an earlier star could take, the last can. No recursion. */
#include "util/glob.h"

#include <string.h>

bool glob_is(const char *pattern)
{
	return strpbrk(pattern, "*?[");
}

/* Is c in the set at p ('[')? ret_end is after its ']', or NULL when there is none. */
static bool in_set(const char *p, unsigned char c, const char **ret_end)
{
	const char *at = p + 1;
	bool negated = *at == '!' || *at == '^', found = false;

	at += negated;
	for (const char *first = at; *at && (*at != ']' || at == first); at++) {
		unsigned char from = (unsigned char)*at, to = from;

		if (at[1] == '-' && at[2] && at[2] != ']') {
			at += 2;
			to = (unsigned char)*at;
		}
		found |= c >= from && c <= to;
	}
	*ret_end = *at ? at + 1 : NULL;
	return found != negated;
}

/* The pattern after its first character when that can stand for c, else NULL. */
static const char *step(const char *p, unsigned char c)
{
	const char *end;
	bool found;

	if (!*p)
		return NULL;
	if (*p == '?')
		return p + 1;
	if (*p == '[') {
		found = in_set(p, c, &end);
		if (end)
			return found ? end : NULL;
	}
	if (*p == '\\' && p[1])
		p++;
	return (unsigned char)*p == c ? p + 1 : NULL;
}

bool glob_match(const char *pattern, const char *text, size_t len)
{
	const char *p = pattern, *end = text + len, *star = NULL, *from = NULL, *next;

	while (text < end) {
		if (*p == '*') {
			star = ++p;
			from = text;
			continue;
		}
		next = step(p, (unsigned char)*text);
		if (next) {
			p = next;
			text++;
			continue;
		}
		if (!star)
			return false;
		p = star;
		text = ++from;
	}
	while (*p == '*')
		p++;
	return !*p;
}
