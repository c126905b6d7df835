/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "sym/jitindex.h"

#include <stdbool.h>
#include <stdlib.h>

#include "sym/jitdump.h"

#define VERSIONS_MAX (1u << 16) /* of the code at one address: who has more has no name there */
#define TAIL_SHARE 16u /* so small a part of all codes is the tail */
#define TAIL_PAIRS 256 /* so few new codes are compared with each other */

static int compare_codes(const void *pa, const void *pb, void *arg)
{
	const struct jitdump_code *codes = arg;
	uint32_t na = *(const uint32_t *)pa, nb = *(const uint32_t *)pb;
	const struct jitdump_code *a = &codes[na], *b = &codes[nb];

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return na < nb ? -1 : na > nb;
}

static void lay_out(struct jitindex *d, const struct jitdump_code *codes, size_t n)
{
	size_t leaves = 2;
	uint64_t end = 0;

	while (leaves <= n)
		leaves *= 2;
	free(d->order);
	free(d->ends);
	d->order = malloc((n + 1) * sizeof(*d->order));
	d->ends = calloc(2 * leaves, sizeof(*d->ends));
	d->laid = 0;
	d->nr_replaced = 0;
	if (!d->order || !d->ends)
		return;
	for (size_t i = 0; i < n; i++)
		d->order[i] = (uint32_t)i;
	qsort_r(d->order, n, sizeof(*d->order), compare_codes, (void *)codes);
	for (size_t i = 0; i < n; i++) {
		const struct jitdump_code *c = &codes[d->order[i]];

		d->ends[leaves + i] = c->addr + c->size;
		d->nr_replaced += c->addr < end;
		end = c->addr + c->size > end ? c->addr + c->size : end;
	}
	for (size_t i = leaves; --i;)
		d->ends[i] = d->ends[2 * i] > d->ends[2 * i + 1] ? d->ends[2 * i] : d->ends[2 * i + 1];
	d->leaves = leaves;
	d->laid = n;
}

/* How many of the sorted codes begin at addr or before it. */
static size_t first_after(const struct jitindex *d, const struct jitdump_code *codes, uint64_t addr)
{
	size_t lo = 0, hi = d->laid;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (codes[d->order[mid]].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The last of the first hi codes in order that ends after addr; -1: none. */
static int64_t last_around(const struct jitindex *d, size_t hi, uint64_t addr)
{
	for (size_t i = d->leaves + hi; i > 1; i /= 2) {
		size_t node = i - 1;

		if (!(i & 1) || d->ends[node] <= addr)
			continue;
		while (node < d->leaves)
			node = 2 * node + (d->ends[2 * node + 1] > addr);
		return (int64_t)(node - d->leaves);
	}
	return -1;
}

/* Is a a better answer than b? The last one that was there is; else the first one that came. Of one time it is by their order. */
static bool is_better(const struct jitdump_code *a, const struct jitdump_code *b, uint64_t time_ns)
{
	if (a->time_ns <= time_ns)
		return b->time_ns > time_ns || a->time_ns > b->time_ns || (a->time_ns == b->time_ns && a > b);
	return b->time_ns > time_ns && (a->time_ns < b->time_ns || (a->time_ns == b->time_ns && a < b));
}

/* Does a code of the tail lie over one that was there before it? */
static bool is_over(const struct jitindex *d, const struct jitdump_code *codes, size_t i)
{
	const struct jitdump_code *c = &codes[i];

	if (d->laid && last_around(d, first_after(d, codes, c->addr + c->size - 1), c->addr) >= 0)
		return true;
	for (size_t k = i - d->laid > TAIL_PAIRS ? i - TAIL_PAIRS : d->laid; k < i; k++)
		if (codes[k].addr < c->addr + c->size && c->addr < codes[k].addr + codes[k].size)
			return true;
	return false;
}

void jitindex_add(struct jitindex *d, const struct jitdump_code *codes, size_t n)
{
	size_t since = d->n;

	d->n = n;
	if (n - d->laid > n / TAIL_SHARE)
		lay_out(d, codes, n);
	for (size_t i = since; i < n && d->laid < n; i++)
		d->nr_replaced += is_over(d, codes, i);
}

const struct jitdump_code *jitindex_find(const struct jitindex *d, const struct jitdump_code *codes, uint64_t time_ns, uint64_t addr)
{
	const struct jitdump_code *best = NULL;
	uint32_t nr = 0;
	int64_t at;

	for (size_t i = d->laid; i < d->n; i++) {
		const struct jitdump_code *c = &codes[i];

		if (addr - c->addr < c->size && (!best || is_better(c, best, time_ns)))
			best = c;
	}
	for (at = (int64_t)first_after(d, codes, addr); d->laid && (at = last_around(d, (size_t)at, addr)) >= 0;) {
		const struct jitdump_code *c = &codes[d->order[at]];

		if (++nr > VERSIONS_MAX)
			return NULL;
		if (!best || is_better(c, best, time_ns))
			best = c;
	}
	return best;
}

void jitindex_free(struct jitindex *d)
{
	free(d->order);
	free(d->ends);
	*d = (struct jitindex){ 0 };
}
