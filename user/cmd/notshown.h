/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions whose code cannot be shown: a line for each object and reason, on standard error. */
#ifndef SKEP_CMD_NOTSHOWN_H
#define SKEP_CMD_NOTSHOWN_H

#include <stdint.h>

#include "util/vec.h"

struct not_shown_row {
	const char *obj; /* compared by address */
	char *why;	 /* with what to do */
	char names[160]; /* of the first functions */
	uint32_t nr_funcs, nr_listed;
	uint64_t count;
};

struct not_shown {
	VEC(struct not_shown_row) rows;
};

/* A function with `count` samples. hint may be NULL. 0 or -ENOMEM. */
int not_shown_add(struct not_shown *n, const char *obj, const char *name, uint64_t count, const char *why, const char *hint);
void not_shown_print(const struct not_shown *n);
void not_shown_free(struct not_shown *n);

#endif
