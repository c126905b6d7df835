/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Objects of this system that tables are made of. SKEP_OBJECTS=N: so many instead of a handful. */
#ifndef SKEP_TESTS_TEST_OBJECTS_H
#define SKEP_TESTS_TEST_OBJECTS_H

#include <glob.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* check() counts those that it took in *nr, of which there are to be most. */
static void objects_glob(const char *pattern, uint64_t most, void (*check)(const char *path), const uint64_t *nr)
{
	glob_t g;

	if (!glob(pattern, 0, NULL, &g)) {
		for (size_t i = 0; i < g.gl_pathc && *nr < most; i++)
			check(g.gl_pathv[i]);
		globfree(&g);
	}
}

static void objects_each(void (*check)(const char *path), const uint64_t *nr)
{
	static const char *const few[] = { "/proc/self/exe", "/usr/lib*/*/libc.so.6", "/lib64/ld-linux-x86-64.so.2",
					   "/usr/lib/*/libcrypto.so.3", "/usr/lib/*/libstdc++.so.6", "/usr/bin/bash" };
	static const char *const many[] = { "/usr/bin/*", "/usr/lib/x86_64-linux-gnu/*.so.*", "/usr/lib/*/*/*.so" };
	const char *wide = getenv("SKEP_OBJECTS");
	uint64_t most = wide ? strtoull(wide, NULL, 10) : sizeof(few) / sizeof(*few);

	for (size_t i = 0; i < sizeof(few) / sizeof(*few); i++)
		objects_glob(few[i], most, check, nr);
	for (size_t i = 0; wide && i < sizeof(many) / sizeof(*many); i++)
		objects_glob(many[i], (i + 1) * most / 3, check, nr);
}

#endif
