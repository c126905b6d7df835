/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names are interned: equal ones have one address, and a key is compared by its members. */
#include "model/hists.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/hash.h"

#define FIRST_PLACES 64

int hists_init(struct hists *h)
{
	*h = (struct hists){ .pool = strpool_new() };
	return h->pool ? 0 : -ENOMEM;
}

void hists_free(struct hists *h)
{
	strpool_free(h->pool);
	vec_free(&h->keys);
	vec_free(&h->before);
	vec_free(&h->rows);
	hist_places_free(&h->places);
}

static int intern(struct strpool *pool, const char **name)
{
	*name = *name ? strpool_add(pool, *name) : NULL;
	return *name ? 0 : -ENOMEM;
}

int hist_key_intern(struct strpool *pool, struct hist_sample *k)
{
	int ret = 0;

	ret |= k->call ? intern(pool, &k->call) : 0;
	ret |= k->event ? intern(pool, &k->event) : 0;
	ret |= k->comm ? intern(pool, &k->comm) : 0;
	for (int i = 0; i < BY_FIELDS_MAX; i++)
		ret |= k->fields[i] ? intern(pool, &k->fields[i]) : 0;
	return ret ? -ENOMEM : 0;
}

uint64_t hist_key_hash(const struct hist_sample *k)
{
	uint64_t h = hash_pair((uintptr_t)k->call, (uintptr_t)k->event);

	h = hash_pair(h ^ (uintptr_t)k->comm, (uint64_t)k->pid << 32 | k->tid);
	h = hash_pair(h ^ k->cgroup, (uint64_t)k->cpu << 32 | k->uid);
	h = hash_pair(h, k->start_ns);
	for (int i = 0; i < BY_FIELDS_MAX; i++)
		h = k->fields[i] ? hash_pair(h, (uintptr_t)k->fields[i]) : h;
	return hash_pair(h, (uint64_t)k->error << 1 | k->is_other);
}

bool hist_key_same(const struct hist_sample *a, const struct hist_sample *b)
{
	return a->call == b->call && a->event == b->event && a->comm == b->comm && a->pid == b->pid && a->tid == b->tid &&
	       a->cpu == b->cpu && a->uid == b->uid && a->error == b->error && a->cgroup == b->cgroup && a->start_ns == b->start_ns && a->is_other == b->is_other &&
	       !memcmp(a->fields, b->fields, sizeof(a->fields));
}

static uint32_t *place_of(const struct hist_places *p, const void *records, size_t size, const struct hist_sample *key)
{
	size_t i = hist_key_hash(key) & (p->n - 1);

	while (p->at[i] && !hist_key_same((const void *)((const char *)records + (p->at[i] - 1) * size), key))
		i = (i + 1) & (p->n - 1);
	return &p->at[i];
}

uint32_t *hist_place(struct hist_places *p, const void *records, size_t n, size_t size, const struct hist_sample *key)
{
	struct hist_places more = { .n = p->n ? 2 * p->n : FIRST_PLACES };

	if (2 * n >= p->n) {
		more.at = calloc(more.n, sizeof(*more.at));
		if (!more.at)
			return NULL;
		free(p->at);
		*p = more;
		for (size_t i = 0; i < n; i++)
			*place_of(p, records, size, (const void *)((const char *)records + i * size)) = i + 1;
	}
	return place_of(p, records, size, key);
}

void hist_places_clear(struct hist_places *p)
{
	if (p->n)
		memset(p->at, 0, p->n * sizeof(*p->at));
}

void hist_places_renew(struct hist_places *p, const void *records, size_t n, size_t size)
{
	hist_places_clear(p);
	for (size_t i = 0; i < n; i++)
		*place_of(p, records, size, (const void *)((const char *)records + i * size)) = i + 1;
}

void hist_places_free(struct hist_places *p)
{
	free(p->at);
	*p = (struct hist_places){ 0 };
}

static void sums_add(struct hist_sums *to, const struct hist_sums *s)
{
	to->calls += s->calls;
	to->errors += s->errors;
	to->total_ns += s->total_ns;
	to->max_ns = s->max_ns > to->max_ns ? s->max_ns : to->max_ns;
	for (int i = 0; i < HIST_SLOTS; i++)
		to->slots[i] += s->slots[i];
}

int hists_add(struct hists *h, const struct hist_sample *row)
{
	struct hist_sample key = *row;
	uint32_t *place;

	if (hist_key_intern(h->pool, &key))
		return -ENOMEM;
	place = hist_place(&h->places, h->keys.data, h->keys.n, sizeof(*h->keys.data), &key);
	if (!place)
		return -ENOMEM;
	if (!*place) {
		if (vec_reserve(&h->keys) || vec_reserve(&h->before))
			return -ENOMEM;
		h->keys.data[h->keys.n] = key;
		h->keys.data[h->keys.n++].sums = (struct hist_sums){ 0 };
		h->before.data[h->before.n++] = (struct hist_sums){ 0 };
		*place = h->keys.n;
	}
	sums_add(&h->keys.data[*place - 1].sums, &row->sums);
	return 0;
}

static int by_number(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : 0;
}

int hist_key_compare(const struct hist_sample *a, const struct hist_sample *b)
{
	int order = by_text(a->comm, b->comm);

	order = order ? order : by_text(a->call, b->call);
	order = order ? order : by_text(a->event, b->event);
	for (int i = 0; i < BY_FIELDS_MAX; i++)
		order = order || !a->fields[i] || !b->fields[i] ? order : strverscmp(a->fields[i], b->fields[i]);
	order = order ? order : by_number(a->pid, b->pid);
	order = order ? order : by_number(a->tid, b->tid);
	order = order ? order : by_number(a->start_ns, b->start_ns);
	order = order ? order : by_number(a->cpu, b->cpu);
	order = order ? order : by_number(a->uid, b->uid);
	order = order ? order : by_number(a->error, b->error);
	return order ? order : by_number(a->cgroup, b->cgroup);
}

static int most_calls(const void *x, const void *y)
{
	const struct hist_sample *a = x, *b = y;

	if (a->is_other != b->is_other)
		return a->is_other ? 1 : -1;
	return a->sums.calls != b->sums.calls ? by_number(b->sums.calls, a->sums.calls) : hist_key_compare(a, b);
}

static int most_time(const void *x, const void *y)
{
	const struct hist_sample *a = x, *b = y;

	if (a->is_other != b->is_other || a->sums.total_ns == b->sums.total_ns)
		return most_calls(x, y);
	return by_number(b->sums.total_ns, a->sums.total_ns);
}

static uint64_t less(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

static struct hist_sums added(const struct hist_sums *now, const struct hist_sums *before, bool is_linear)
{
	struct hist_sums d = {
		.calls = less(now->calls, before->calls),
		.errors = less(now->errors, before->errors),
		.total_ns = less(now->total_ns, before->total_ns),
		.max_ns = now->max_ns,
	};
	int last = 0;

	for (int i = 0; i < HIST_SLOTS; i++) {
		d.slots[i] = less(now->slots[i], before->slots[i]);
		last = d.slots[i] ? i : last;
	}
	if (now->max_ns == before->max_ns && is_linear)
		d.max_ns = 0;
	else if (now->max_ns == before->max_ns && now->max_ns >> (last + 1))
		d.max_ns = (2ull << last) - 1;
	return d;
}

int hists_round(struct hists *h, bool by_time)
{
	size_t all = h->keys.n, kept = 0;

	h->rows.n = 0;
	for (size_t i = 0; i < all; i++) {
		struct hist_sample *key = &h->keys.data[i], row = *key;

		if (!key->sums.calls) /* its row has left the kernel */
			continue;

		row.sums = added(&key->sums, &h->before.data[i], h->is_linear);
		if (row.sums.calls) {
			if (vec_reserve(&h->rows))
				return -ENOMEM;
			h->rows.data[h->rows.n++] = row;
			/* A call that is counted and whose time is not yet has it in its next row: rounds add up to the whole. */
			h->before.data[i] = key->sums;
		}
		key->sums = (struct hist_sums){ 0 };
		h->keys.data[kept] = *key;
		h->before.data[kept++] = h->before.data[i];
	}
	h->keys.n = h->before.n = kept;
	if (kept < all)
		hist_places_renew(&h->places, h->keys.data, kept, sizeof(*h->keys.data));
	if (h->rows.n)
		qsort(h->rows.data, h->rows.n, sizeof(*h->rows.data), by_time ? most_time : most_calls);
	return 0;
}
