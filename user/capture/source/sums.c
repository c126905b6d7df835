/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The two hashes of aggregate mode, joined: a count with the stacks that its key names. */
#include "capture/source/sums.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/stacks.h"
#include "util/hash.h"

#define STACKS_ONE_BY_ONE 256 /* of more entries all stacks are read, in a few calls */

struct taken {
	struct sample_key key;
	struct sample_count all;
};

struct sums {
	struct bpf_map *stacks, *counts;
	struct sample_key *keys; /* room for all entries */
	struct sample_count *now;
	struct map by_key;
	VEC(struct taken) taken; /* one for each entry of counts, when they were taken last */
};

struct sums *sums_new(struct bpf_map *stacks, struct bpf_map *counts)
{
	size_t max = bpf_map__max_entries(counts);
	struct sums *sums = calloc(1, sizeof(*sums));

	if (!sums)
		return NULL;
	sums->stacks = stacks;
	sums->counts = counts;
	sums->keys = calloc(max, sizeof(*sums->keys));
	sums->now = calloc(max, sizeof(*sums->now));
	if (sums->keys && sums->now)
		return sums;
	sums_free(sums);
	return NULL;
}

void sums_free(struct sums *sums)
{
	if (!sums)
		return;
	free(sums->keys);
	free(sums->now);
	map_free(&sums->by_key);
	vec_free(&sums->taken);
	free(sums);
}

static struct sample_count growth(const struct sample_count *now, const struct sample_count *before)
{
	return (struct sample_count){ now->count - before->count, now->weight - before->weight, now->last_ns };
}

static struct taken *find_taken(struct sums *sums, const struct sample_key *key)
{
	uint64_t hash = hash_bytes(key, sizeof(*key));

	map_each(i, &sums->by_key, hash)
		if (!memcmp(&sums->taken.data[i].key, key, sizeof(*key)))
			return &sums->taken.data[i];
	if (vec_reserve(&sums->taken) || map_add(&sums->by_key, hash, sums->taken.n))
		return NULL;
	sums->taken.data[sums->taken.n] = (struct taken){ .key = *key };
	return &sums->taken.data[sums->taken.n++];
}

/* Leaves in keys and now what has grown, and by how much. Returns how many, or -ENOMEM. */
static long take_grown(struct sums *sums, long n)
{
	long nr = 0;

	for (long i = 0; i < n; i++) {
		struct taken *taken = find_taken(sums, &sums->keys[i]);
		struct sample_count grown;

		if (!taken)
			return -ENOMEM;
		grown = growth(&sums->now[i], &taken->all);
		taken->all = sums->now[i];
		if (!grown.count && !grown.weight)
			continue;
		sums->keys[nr] = sums->keys[i];
		sums->now[nr++] = grown;
	}
	return nr;
}

/* Where stacks are found: all of them, or each as it is met. */
struct found {
	const struct bpf_map *map;
	struct stacks all;
	struct stack_cache met;
	bool has_all;
};

static struct chain chain_of(struct found *found, uint64_t key)
{
	const struct stack_val *st = found->has_all ? stacks_find(&found->all, key) : stack_cache_get(&found->met, found->map, key);

	return st ? (struct chain){ .ips = (const uint64_t *)st->ips, .n = st->nr } : (struct chain){ .n = 0 };
}

/* The first n of keys and now. */
static int deliver(const struct sums *sums, long n, int (*each)(void *arg, struct sample *s, struct sample_key *key), void *arg)
{
	struct found found = { .map = sums->stacks, .has_all = n > STACKS_ONE_BY_ONE };
	int ret = found.has_all ? stacks_read(&found.all, sums->stacks) : 0;

	for (long i = 0; i < n && !ret; i++) {
		const struct sample_count *grown = &sums->now[i];
		struct sample s = { .cpu = UINT32_MAX, .count = grown->count, .weight = grown->weight, .time_ns = grown->last_ns };

		s.chains[CHAIN_KERNEL] = chain_of(&found, sums->keys[i].kstack);
		s.chains[CHAIN_USER] = chain_of(&found, sums->keys[i].ustack);
		ret = each(arg, &s, &sums->keys[i]);
	}
	stacks_free(&found.all);
	stack_cache_free(&found.met);
	return ret;
}

int sums_take(struct sums *sums, int (*each)(void *arg, struct sample *s, struct sample_key *key), void *arg)
{
	long n = hash_read(sums->counts, sums->keys, sums->now);

	if (n > 0)
		n = take_grown(sums, n);
	return n < 0 ? (int)n : deliver(sums, n, each, arg);
}

size_t sums_used(const struct sums *sums)
{
	return sums->taken.n;
}

bool sums_are_full(const struct sums *sums)
{
	size_t counts = bpf_map__max_entries(sums->counts), stacks = bpf_map__max_entries(sums->stacks);

	return sums->taken.n > (counts < stacks ? counts : stacks) / 2; /* most have a stack of their own */
}

int sums_empty(struct sums *sums, int (*each)(void *arg, struct sample *s, struct sample_key *key), void *arg)
{
	int ret = sums_take(sums, each, arg);

	if (!ret)
		ret = hash_clear(sums->counts);
	if (ret)
		return ret;
	map_clear(&sums->by_key);
	sums->taken.n = 0;
	return hash_clear(sums->stacks);
}
