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

#define KEY_BYTES_MAX 128
#define CLEARED_A_CALL 128 /* entries */

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

static int clear_one_by_one(int fd)
{
	char keys[2][KEY_BYTES_MAX];
	bool more = !bpf_map_get_next_key(fd, NULL, keys[0]);
	int ret = 0;

	/* The next one is asked for before one is deleted: without it the search would begin at the first again. */
	for (int at = 0; more && !ret; at = !at) {
		more = !bpf_map_get_next_key(fd, keys[at], keys[!at]);
		if (bpf_map_delete_elem(fd, keys[at]) && errno != ENOENT)
			ret = -errno;
	}
	return ret;
}

int hash_clear(struct bpf_map *map)
{
	size_t key_size = bpf_map__key_size(map), value_size = bpf_map__value_size(map);
	__u32 cursor, n, *at = NULL;
	LIBBPF_OPTS(bpf_map_batch_opts, opts);
	int fd = bpf_map__fd(map), ret = 0;
	char *entries;

	if (key_size > KEY_BYTES_MAX)
		return -EINVAL;
	entries = malloc(CLEARED_A_CALL * (key_size + value_size));
	if (!entries)
		return -ENOMEM;
	for (; !ret; at = &cursor) {
		n = CLEARED_A_CALL;
		if (bpf_map_lookup_and_delete_batch(fd, at, &cursor, entries, entries + CLEARED_A_CALL * key_size, &n, &opts))
			ret = -errno;
	}
	free(entries);
	return ret == -ENOENT ? 0 : clear_one_by_one(fd); /* a kernel without batches, or a bucket of more entries than a call takes */
}

int stacks_read(struct stacks *st, struct bpf_map *map)
{
	size_t max = bpf_map__max_entries(map);
	uint64_t *keys = calloc(max, sizeof(*keys));
	long n = -ENOMEM, i = 0;

	st->values = calloc(max, sizeof(*st->values));
	if (keys && st->values)
		n = hash_read(map, keys, st->values);
	while (i < n && !map_add(&st->by_key, hash_u64(keys[i]), i))
		i++;
	free(keys);
	return n < 0 ? (int)n : i < n ? -ENOMEM : 0;
}

const struct stack_val *stacks_find(const struct stacks *st, uint64_t key)
{
	int64_t i = key ? map_find(&st->by_key, hash_u64(key)) : -1;

	return i >= 0 && st->values[i].nr <= STACK_MAX_FRAMES ? &st->values[i] : NULL;
}

void stacks_free(struct stacks *st)
{
	map_free(&st->by_key);
	free(st->values);
	*st = (struct stacks){ 0 };
}

const struct stack_val *stack_cache_get(struct stack_cache *c, const struct bpf_map *map, uint64_t key)
{
	int64_t i = map_find(&c->by_key, hash_u64(key));
	struct stack_val value, *copy;
	size_t bytes;

	if (i >= 0)
		return c->values.data[i];
	if (!key || vec_reserve(&c->values))
		return NULL;
	if (bpf_map_lookup_elem(bpf_map__fd(map), &key, &value) || value.nr > STACK_MAX_FRAMES)
		return NULL;
	bytes = offsetof(struct stack_val, ips) + value.nr * sizeof(value.ips[0]);
	copy = malloc(bytes);
	if (!copy || map_add(&c->by_key, hash_u64(key), c->values.n)) {
		free(copy);
		return NULL;
	}
	memcpy(copy, &value, bytes);
	c->values.data[c->values.n++] = copy;
	return copy;
}

int stack_cache_move(struct stack_cache *to, struct stack_cache *from, uint64_t key)
{
	int64_t i = map_find(&from->by_key, hash_u64(key));

	if (i < 0 || !from->values.data[i])
		return 0;
	if (vec_reserve(&to->values) || map_add(&to->by_key, hash_u64(key), to->values.n))
		return -ENOMEM;
	to->values.data[to->values.n++] = from->values.data[i];
	from->values.data[i] = NULL;
	return 0;
}

void stack_cache_free(struct stack_cache *c)
{
	for (size_t i = 0; i < c->values.n; i++)
		free(c->values.data[i]);
	vec_free(&c->values);
	map_free(&c->by_key);
	*c = (struct stack_cache){ 0 };
}
