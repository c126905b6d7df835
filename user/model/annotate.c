/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Samples by function and address. */
#include "model/annotate.h"

#include <errno.h>
#include <stdlib.h>

#include "util/hash.h"

void annotate_free(struct annotate *a)
{
	vec_free(&a->funcs);
	vec_free(&a->hits);
	map_free(&a->func_index);
	map_free(&a->hit_index);
}

int64_t annotate_func(struct annotate *a, const struct annotate_key *key)
{
	uint64_t hash = hash_pair(hash_pair((uintptr_t)key->series, (uintptr_t)key->id), key->start);

	map_each(i, &a->func_index, hash) {
		const struct annotate_key *k = &a->funcs.data[i].key;

		if (k->series == key->series && k->id == key->id && k->start == key->start)
			return i;
	}
	if (vec_reserve(&a->funcs) || map_add(&a->func_index, hash, a->funcs.n))
		return -ENOMEM;
	a->funcs.data[a->funcs.n] = (struct annotate_func){ .key = *key };
	return (int64_t)a->funcs.n++;
}

int annotate_add(struct annotate *a, uint32_t func, uint64_t addr, uint64_t weight, uint64_t count)
{
	struct annotate_func *f = &a->funcs.data[func];
	struct annotate_hit *hit = NULL;
	uint64_t hash = hash_pair(addr, func);

	map_each(i, &a->hit_index, hash)
		if (a->hits.data[i].func == func && a->hits.data[i].addr == addr)
			hit = &a->hits.data[i];
	if (!hit) {
		if (vec_reserve(&a->hits) || map_add(&a->hit_index, hash, a->hits.n))
			return -ENOMEM;
		hit = &a->hits.data[a->hits.n++];
		*hit = (struct annotate_hit){ .addr = addr, .func = func };
	}
	hit->weight += weight;
	hit->count += count;
	f->weight += weight;
	f->count += count;
	return 0;
}

static int compare_hits(const void *pa, const void *pb)
{
	const struct annotate_hit *a = pa, *b = pb;

	if (a->func != b->func)
		return a->func < b->func ? -1 : 1;
	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

void annotate_end(struct annotate *a)
{
	if (a->hits.n)
		qsort(a->hits.data, a->hits.n, sizeof(*a->hits.data), compare_hits);
	map_free(&a->hit_index);
	for (size_t i = 0; i < a->hits.n; i++) {
		struct annotate_func *f = &a->funcs.data[a->hits.data[i].func];

		if (!f->nr_hits++)
			f->first_hit = i;
	}
}

static int compare_funcs(const void *pa, const void *pb, void *arg)
{
	const struct annotate_func *funcs = arg;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;

	if (funcs[a].weight != funcs[b].weight)
		return funcs[a].weight > funcs[b].weight ? -1 : 1;
	return a < b ? -1 : a > b;
}

size_t annotate_order(const struct annotate *a, const void *series, uint32_t *ret_order)
{
	size_t n = 0;

	for (size_t i = 0; i < a->funcs.n; i++)
		if (a->funcs.data[i].key.series == series)
			ret_order[n++] = (uint32_t)i;
	if (n)
		qsort_r(ret_order, n, sizeof(*ret_order), compare_funcs, a->funcs.data);
	return n;
}
