/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* In batches where the kernel has them. */
#include "capture/stacks.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "capture/features.h"
#include "util/hash.h"

#define CACHE_FIRST 1024

long hash_read(struct bpf_map *map, void *keys, void *values)
{
	size_t key_size = bpf_map__key_size(map), value_size = bpf_map__value_size(map);
	__u32 n = bpf_map__max_entries(map), cursor = 0;
	LIBBPF_OPTS(bpf_map_batch_opts, opts);
	long nr = 0;
	char *prev = NULL;

	/* 5.6, 057996380a42 "bpf: Add batch ops to all htab bpf map" */
	if (!bpf_map_lookup_batch(bpf_map__fd(map), NULL, &cursor, keys, values, &n, &opts) || errno == ENOENT)
		return n;
	feature_tried(FEATURE_BATCH, -errno);
	while (nr < (long)bpf_map__max_entries(map)) {
		if (bpf_map_get_next_key(bpf_map__fd(map), prev, (char *)keys + nr * key_size))
			return errno == ENOENT ? nr : -errno;
		prev = (char *)keys + nr * key_size;
		if (!bpf_map_lookup_elem(bpf_map__fd(map), prev, (char *)values + nr * value_size))
			nr++;
	}
	return nr;
}

static int index_build(struct stacks *st, long n)
{
	uint64_t size = 16;

	while (size < (uint64_t)n * 2)
		size *= 2;
	st->mask = size - 1;
	st->slots = calloc(size, sizeof(*st->slots));
	if (!st->slots)
		return -ENOMEM;
	for (long i = 0; i < n; i++) {
		uint64_t at = hash_u64(st->keys[i]) & st->mask;

		while (st->slots[at])
			at = (at + 1) & st->mask;
		st->slots[at] = i + 1;
	}
	return 0;
}

int stacks_read(struct stacks *st, struct bpf_map *map)
{
	size_t max = bpf_map__max_entries(map);
	long n;

	st->keys = calloc(max, sizeof(*st->keys));
	st->values = calloc(max, sizeof(*st->values));
	if (!st->keys || !st->values)
		return -ENOMEM;
	n = hash_read(map, st->keys, st->values);
	return n < 0 ? (int)n : index_build(st, n);
}

const struct stack_val *stacks_find(const struct stacks *st, uint64_t key)
{
	for (uint64_t at = hash_u64(key) & st->mask; key && st->slots[at]; at = (at + 1) & st->mask) {
		uint32_t i = st->slots[at] - 1;

		if (st->keys[i] == key)
			return st->values[i].nr <= STACK_MAX_FRAMES ? &st->values[i] : NULL;
	}
	return NULL;
}

void stacks_free(struct stacks *st)
{
	free(st->slots);
	free(st->keys);
	free(st->values);
	*st = (struct stacks){ 0 };
}

static uint32_t cache_slot(const struct stack_cache *c, uint64_t key)
{
	uint32_t at = hash_u64(key) & (c->size - 1);

	while (c->keys[at] && c->keys[at] != key)
		at = (at + 1) & (c->size - 1);
	return at;
}

static int cache_grow(struct stack_cache *c)
{
	struct stack_cache old = *c;

	c->size = old.size ? old.size * 2 : CACHE_FIRST;
	c->keys = calloc(c->size, sizeof(*c->keys));
	c->values = calloc(c->size, sizeof(*c->values));
	if (!c->keys || !c->values) {
		free(c->keys);
		free(c->values);
		*c = old;
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < old.size; i++) {
		uint32_t at = old.keys[i] ? cache_slot(c, old.keys[i]) : 0;

		if (!old.keys[i])
			continue;
		c->keys[at] = old.keys[i];
		c->values[at] = old.values[i];
	}
	free(old.keys);
	free(old.values);
	return 0;
}

const struct stack_val *stack_cache_get(struct stack_cache *c, const struct bpf_map *map, uint64_t key)
{
	struct stack_val value, *copy;
	uint32_t at;
	size_t bytes;

	if (!key || (2 * c->n >= c->size && cache_grow(c)))
		return NULL;
	at = cache_slot(c, key);
	if (c->keys[at])
		return c->values[at];
	if (bpf_map_lookup_elem(bpf_map__fd(map), &key, &value) || value.nr > STACK_MAX_FRAMES)
		return NULL;
	bytes = offsetof(struct stack_val, ips) + value.nr * sizeof(value.ips[0]);
	copy = malloc(bytes);
	if (!copy)
		return NULL;
	memcpy(copy, &value, bytes);
	c->keys[at] = key;
	c->values[at] = copy;
	c->n++;
	return copy;
}

void stack_cache_free(struct stack_cache *c)
{
	for (uint32_t i = 0; i < c->size; i++)
		free(c->values[i]);
	free(c->keys);
	free(c->values);
	*c = (struct stack_cache){ 0 };
}
