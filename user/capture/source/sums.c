/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The two hashes of aggregate mode, read at the end and joined: a count with the stacks that its key names. */
#include "capture/source/sums.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>

#include "capture/stacks.h"

struct sums {
	struct stacks stacks;
	struct sample_key *keys;
	struct sample_count *counts;
};

static int join(const struct sums *sums, long n, int (*each)(void *arg, struct sample *s, struct sample_key *key), void *arg)
{
	int ret = 0;

	for (long i = 0; i < n && !ret; i++) {
		const struct sample_count *c = &sums->counts[i];
		const struct stack_val *k = stacks_find(&sums->stacks, sums->keys[i].kstack);
		const struct stack_val *u = stacks_find(&sums->stacks, sums->keys[i].ustack);
		struct sample s = { .cpu = UINT32_MAX, .count = c->count, .weight = c->weight, .time_ns = c->last_ns };

		if (k)
			s.chains[CHAIN_KERNEL] = (struct chain){ .ips = (const uint64_t *)k->ips, .n = k->nr };
		if (u)
			s.chains[CHAIN_USER] = (struct chain){ .ips = (const uint64_t *)u->ips, .n = u->nr };
		ret = each(arg, &s, &sums->keys[i]);
	}
	return ret;
}

int sums_read(struct bpf_map *stacks, struct bpf_map *counts,
	      int (*each)(void *arg, struct sample *s, struct sample_key *key), void *arg)
{
	size_t nr_counts = bpf_map__max_entries(counts);
	struct sums sums = { .keys = calloc(nr_counts, sizeof(*sums.keys)), .counts = calloc(nr_counts, sizeof(*sums.counts)) };
	int ret = sums.keys && sums.counts ? stacks_read(&sums.stacks, stacks) : -ENOMEM;
	long n = ret ? ret : hash_read(counts, sums.keys, sums.counts);

	ret = n < 0 ? (int)n : join(&sums, n, each, arg);
	stacks_free(&sums.stacks);
	free(sums.keys);
	free(sums.counts);
	return ret;
}
