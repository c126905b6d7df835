/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A growing array as three fields of the owner: T *data; size_t n, cap. Elements move when it grows,
 * so keep indexes, not pointers.
 */
#ifndef SKEP_UTIL_VEC_H
#define SKEP_UTIL_VEC_H

#include <stdlib.h>

#define VEC(T)            \
	struct {          \
		T *data;  \
		size_t n; \
		size_t cap; \
	}

/* Makes room for one more element. Returns 0 or -ENOMEM; the vector is unchanged on failure. */
#define vec_reserve(v) ((v)->n < (v)->cap ? 0 : vec_grow((void **)&(v)->data, &(v)->cap, sizeof(*(v)->data)))

/* Appends n elements that are not set yet. Returns the first of them, or NULL without memory. */
#define vec_take(v, count) vec_extend((void **)&(v)->data, &(v)->cap, &(v)->n, sizeof(*(v)->data), count)

#define vec_free(v)                   \
	do {                          \
		free((v)->data);      \
		(v)->data = NULL;     \
		(v)->n = (v)->cap = 0; \
	} while (0)

void *vec_extend(void **data, size_t *cap, size_t *n, size_t size, size_t count);
int vec_grow(void **data, size_t *cap, size_t size);

#endif
