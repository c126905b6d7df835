/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The two hashes of aggregate mode, read at the end and joined: a count with the stacks that its key names. */
#include "capture/sums.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>

#include "capture/features.h"
#include "util/hash.h"

/* All entries of a hash: keys and values side by side. Returns how many or -errno. */
static long read_hash(struct bpf_map *map, void *keys, void *values)
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

/* Key of a stack -> its index in the array that was read, open addressing. */
struct stack_index {
	const uint64_t *keys;
	uint32_t *slots;
	uint64_t mask;
};

static int index_build(struct stack_index *ix, const uint64_t *keys, long n)
{
	uint64_t size = 16;

	while (size < (uint64_t)n * 2)
		size *= 2;
	ix->keys = keys;
	ix->mask = size - 1;
	ix->slots = calloc(size, sizeof(*ix->slots));
	if (!ix->slots)
		return -ENOMEM;
	for (long i = 0; i < n; i++) {
		uint64_t at = hash_u64(keys[i]) & ix->mask;

		while (ix->slots[at])
			at = (at + 1) & ix->mask;
		ix->slots[at] = i + 1;
	}
	return 0;
}

static const struct stack_val *index_find(const struct stack_index *ix, const struct stack_val *values, uint64_t key)
{
	for (uint64_t at = hash_u64(key) & ix->mask; key && ix->slots[at]; at = (at + 1) & ix->mask)
		if (ix->keys[ix->slots[at] - 1] == key)
			return &values[ix->slots[at] - 1];
	return NULL;
}

struct sums {
	uint64_t *stack_keys;
	struct stack_val *stacks;
	struct sample_key *keys;
	struct sample_count *counts;
	struct stack_index index;
};

static int join(const struct sums *sums, long n, int (*each)(void *arg, struct sample *s, struct sample_key *key), void *arg)
{
	int ret = 0;

	for (long i = 0; i < n && !ret; i++) {
		const struct sample_count *c = &sums->counts[i];
		const struct stack_val *k = index_find(&sums->index, sums->stacks, sums->keys[i].kstack);
		const struct stack_val *u = index_find(&sums->index, sums->stacks, sums->keys[i].ustack);
		struct sample s = { .cpu = UINT32_MAX, .count = c->count, .weight = c->weight, .time_ns = c->last_ns };

		if (k && k->nr <= STACK_MAX_FRAMES) {
			s.kips = (const uint64_t *)k->ips;
			s.nr_kips = k->nr;
		}
		if (u && u->nr <= STACK_MAX_FRAMES) {
			s.uips = (const uint64_t *)u->ips;
			s.nr_uips = u->nr;
		}
		ret = each(arg, &s, &sums->keys[i]);
	}
	return ret;
}

int sums_read(struct bpf_map *stacks, struct bpf_map *counts,
	      int (*each)(void *arg, struct sample *s, struct sample_key *key), void *arg)
{
	size_t nr_stacks = bpf_map__max_entries(stacks), nr_counts = bpf_map__max_entries(counts);
	struct sums sums = {
		.stack_keys = calloc(nr_stacks, sizeof(*sums.stack_keys)),
		.stacks = calloc(nr_stacks, sizeof(*sums.stacks)),
		.keys = calloc(nr_counts, sizeof(*sums.keys)),
		.counts = calloc(nr_counts, sizeof(*sums.counts)),
	};
	int ret = -ENOMEM;
	long n;

	if (!sums.stack_keys || !sums.stacks || !sums.keys || !sums.counts)
		goto out;
	n = read_hash(stacks, sums.stack_keys, sums.stacks);
	ret = n < 0 ? (int)n : index_build(&sums.index, sums.stack_keys, n);
	if (ret)
		goto out;
	n = read_hash(counts, sums.keys, sums.counts);
	ret = n < 0 ? (int)n : join(&sums, n, each, arg);
out:
	free(sums.index.slots);
	free(sums.stack_keys);
	free(sums.stacks);
	free(sums.keys);
	free(sums.counts);
	return ret;
}
