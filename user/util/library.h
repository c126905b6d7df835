/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shared libraries that few commands need, opened when they do: dlopen(3). */
#ifndef SKEP_UTIL_LIBRARY_H
#define SKEP_UTIL_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

struct library_symbol {
	void *to; /* the address of a pointer to a function */
	const char *name;
};

/* Fills all of them, or returns false: some may be filled, and dlerror(3) may say why. */
bool library_open(const char *soname, const struct library_symbol *symbols, size_t n);

#endif
