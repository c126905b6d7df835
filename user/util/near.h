/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The names that are nearest to one that is not there, for the hint of an error. */
#ifndef SKEP_UTIL_NEAR_H
#define SKEP_UTIL_NEAR_H

#include <stdbool.h>
#include <stddef.h>

#include "util/err.h"

#define NEAR_NAMES 3
#define NEAR_LEN 64

struct near {
	const char *wanted; /* borrowed */
	size_t len;
	char names[NEAR_NAMES][NEAR_LEN + 1];
	unsigned scores[NEAR_NAMES]; /* edits; smallest first */
	int n;
};

void near_init(struct near *near, const char *wanted, size_t len);
void near_offer(struct near *near, const char *name, size_t len); /* longer names than NEAR_LEN are never near */

/* Is the first so like what was wanted that it may have been meant: half of it at least? */
bool near_is_close(const struct near *near);

/* Sets "similar: A, B, C", or where all names are shown if none is. */
void near_hint(const struct near *near, struct err *err);

#endif
