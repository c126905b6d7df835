/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Nested address ranges. */
#include "util/spans.h"

#include <errno.h>
#include <stdlib.h>

#define SPANS_MAX (1u << 26)
#define OUTER_MAX_STEPS 512 /* deeper nesting is no real program's */

int spans_add(struct spans *spans, uint64_t low, uint64_t high, uint32_t what)
{
	if (low >= high)
		return 0;
	if (spans->n >= SPANS_MAX || vec_reserve(spans))
		return -ENOMEM;
	spans->data[spans->n++] = (struct span){ low, high, what, 0 };
	return 0;
}

static int compare(const void *pa, const void *pb)
{
	const struct span *a = pa, *b = pb;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	if (a->high != b->high)
		return a->high > b->high ? -1 : 1;
	return a->what < b->what ? -1 : a->what > b->what;
}

int spans_seal(struct spans *spans)
{
	uint32_t *stack = malloc((spans->n + 1) * sizeof(*stack));
	size_t depth = 0;

	if (!stack)
		return -ENOMEM;
	if (spans->n)
		qsort(spans->data, spans->n, sizeof(*spans->data), compare);
	for (size_t i = 0; i < spans->n; i++) {
		while (depth && spans->data[stack[depth - 1]].high <= spans->data[i].low)
			depth--;
		spans->data[i].outer = depth ? stack[depth - 1] + 1 : 0;
		stack[depth++] = (uint32_t)i;
	}
	free(stack);
	return 0;
}

const struct span *spans_find(const struct spans *spans, uint64_t addr)
{
	size_t lo = 0, hi = spans->n;
	const struct span *s;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (spans->data[mid].low <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return NULL;
	s = &spans->data[lo - 1];
	for (int steps = 0; steps < OUTER_MAX_STEPS; steps++) {
		if (addr < s->high)
			return s;
		if (!s->outer)
			return NULL;
		s = &spans->data[s->outer - 1];
	}
	return NULL;
}
