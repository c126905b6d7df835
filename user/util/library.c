/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "util/library.h"

#include <dlfcn.h>
#include <string.h>

bool library_open(const char *soname, const struct library_symbol *symbols, size_t n)
{
	void *lib = dlopen(soname, RTLD_NOW | RTLD_LOCAL);

	if (!lib)
		return false;
	for (size_t i = 0; i < n; i++) {
		void *found = dlsym(lib, symbols[i].name);

		if (!found)
			return false;
		memcpy(symbols[i].to, &found, sizeof(found));
	}
	return true;
}
