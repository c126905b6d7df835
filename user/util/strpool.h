/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Interned strings: equal texts get one address, so the rest of skep compares names by pointer.
 * The pool owns the bytes; they live until strpool_free.
 */
#ifndef SKEP_UTIL_STRPOOL_H
#define SKEP_UTIL_STRPOOL_H

#include <stddef.h>

struct strpool;

struct strpool *strpool_new(void);
void strpool_free(struct strpool *pool);

/* Returns the one address of this text, or NULL when memory is out. The text may hold no NUL. */
const char *strpool_add(struct strpool *pool, const char *text);
const char *strpool_addn(struct strpool *pool, const char *text, size_t n);

#endif
