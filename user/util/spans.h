/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Nested address ranges: filled once, sorted, then the innermost one around an address is found fast. */
#ifndef SKEP_UTIL_SPANS_H
#define SKEP_UTIL_SPANS_H

#include <stddef.h>
#include <stdint.h>

#include "util/vec.h"

struct span {
	uint64_t low, high;
	uint32_t what;	/* the owner's index; of equal ranges the larger one is the inner */
	uint32_t outer; /* index + 1 of the span around this one; set by spans_seal */
};

struct spans {
	struct span *data;
	size_t n, cap;
};

int spans_add(struct spans *spans, uint64_t low, uint64_t high, uint32_t what);
int spans_seal(struct spans *spans);
const struct span *spans_find(const struct spans *spans, uint64_t addr);

#endif
