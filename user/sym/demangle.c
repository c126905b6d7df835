/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One call into libiberty, with limits: mangled names are foreign text and can be made to explode. */
#include "sym/demangle.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#ifdef HAVE_DEMANGLE
#include <libiberty/demangle.h>

#define HASH_LEN 16u /* of "::h0123456789abcdef", the end of every legacy Rust path */
#define HASH_MARK "::h"

static bool is_mangled(const char *s)
{
	if (s[0] != '_')
		return false;
	/* _Z C++ and legacy Rust, _R Rust v0, _D D; __Z as on other systems never occurs in ELF. */
	return s[1] == 'Z' || s[1] == 'R' || (s[1] == 'D' && s[2] >= '0' && s[2] <= '9') || !strcmp(s, "_Dmain");
}

/* libiberty drops the hash of a legacy Rust name only when it takes it for Rust. */
static void cut_hash(char *s)
{
	size_t n = strlen(s), mark = sizeof(HASH_MARK) - 1;

	if (n < mark + HASH_LEN || memcmp(s + n - mark - HASH_LEN, HASH_MARK, mark))
		return;
	if (strspn(s + n - HASH_LEN, "0123456789abcdef") == HASH_LEN)
		s[n - mark - HASH_LEN] = '\0';
}

char *demangle(const char *name)
{
	char *out;

	if (!is_mangled(name) || strnlen(name, SYM_NAME_MAX_BYTES) == SYM_NAME_MAX_BYTES)
		return NULL;
	/* No DMGL_PARAMS: perf shows no parameters either, and names must agree with its. */
	out = name[1] == 'D' ? dlang_demangle(name, DMGL_NO_OPTS) : cplus_demangle(name, DMGL_AUTO);
	if (!out)
		return NULL;
	cut_hash(out);
	if (strnlen(out, SYM_NAME_MAX_BYTES) == SYM_NAME_MAX_BYTES)
		out[SYM_NAME_MAX_BYTES - 1] = '\0';
	return out;
}
#else
char *demangle(const char *name)
{
	(void)name;
	return NULL;
}
#endif
