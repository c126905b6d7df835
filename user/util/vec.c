/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Growth of the arrays declared with VEC(): doubling, overflow checked. */
#include "util/vec.h"

#include <errno.h>
#include <stdint.h>

#define VEC_FIRST 16

void *vec_extend(void **data, size_t *cap, size_t *n, size_t size, size_t count)
{
	size_t want = *cap ? *cap : VEC_FIRST;
	void *p;

	while (want - *n < count) {
		if (want > SIZE_MAX / 2 / size)
			return NULL;
		want *= 2;
	}
	if (want != *cap) {
		p = realloc(*data, want * size);
		if (!p)
			return NULL;
		*data = p;
		*cap = want;
	}
	p = (char *)*data + *n * size;
	*n += count;
	return p;
}

int vec_grow(void **data, size_t *cap, size_t size)
{
	size_t want = *cap ? *cap * 2 : VEC_FIRST;
	void *p;

	if (want > SIZE_MAX / 2 / size)
		return -ENOMEM;
	p = realloc(*data, want * size);
	if (!p)
		return -ENOMEM;
	*data = p;
	*cap = want;
	return 0;
}
