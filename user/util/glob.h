/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Patterns of names over bytes that no NUL ends, for lists of 100,000 names. As fnmatch(3) without flags has them in the C locale,
 * but brackets have neither [:class:], [.x.] and [=x=] nor escapes: a backslash in them is one of the set.
 */
#ifndef SKEP_UTIL_GLOB_H
#define SKEP_UTIL_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* Has the pattern a character that stands for others? */
bool glob_is(const char *pattern);

/* Can a name that matches begin with this byte? True also where that is not known. */
static inline bool glob_may_begin(const char *pattern, char first)
{
	return *pattern == first || *pattern == '*' || *pattern == '?' || *pattern == '[' || *pattern == '\\';
}

/* *, ?, [a-z], [!a-z], [^a-z] and a backslash before any of them. A bracket that nothing closes stands for itself. */
bool glob_match(const char *pattern, const char *text, size_t len);

#endif
