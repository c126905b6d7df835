/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The functions that user stacks start in, by their names. */
#include <string.h>

#include "sym/sym.h"

bool symbol_is_root(const char *name)
{
	static const char *const names[] = { "_start",	     "clone",	     "clone3",		 "__clone",
					     "__clone3",     "start_thread", "__start_thread",	 "thread_start",
					     "_dl_start",    "_dl_start_user", "__libc_start_call_main",
					     "_dl_start_final" };
	static const char *const prefixes[] = { "__libc_start_main", "_rt0_" };
	static const char *const go[] = { "runtime.goexit", "runtime.rt0_go", "runtime.mstart" }; /* or with .abi0 */

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	for (size_t i = 0; i < sizeof(go) / sizeof(*go); i++) {
		size_t n = strlen(go[i]);

		if (!strncmp(name, go[i], n) && (!name[n] || !strcmp(name + n, ".abi0")))
			return true;
	}
	return false;
}
