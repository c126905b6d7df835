/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Stacks each once, by the hash of their frames. */
#include "capture/source/kept.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/hash.h"
#include "util/map.h"
#include "util/vec.h"

#define SUMS_MAX 65536u
#define FRAMES_MAX (4u << 20)
#define OTHER "[other]"

struct kept_stack {
	uint32_t n;
	uint64_t ips[];
};

struct kept_sum {
	struct sample_key key; /* kstack and ustack: 1 + positions in `stacks`, 0: none */
	struct sample_count sum;
};

struct kept {
	VEC(struct kept_stack *) stacks;
	VEC(struct kept_sum) sums;
	struct map stacks_by_frames, sums_by_key;
	size_t nr_frames;
};

struct kept *kept_new(void)
{
	return calloc(1, sizeof(struct kept));
}

void kept_clear(struct kept *kept)
{
	for (size_t i = 0; i < kept->stacks.n; i++)
		free(kept->stacks.data[i]);
	kept->stacks.n = kept->sums.n = kept->nr_frames = 0;
	map_clear(&kept->stacks_by_frames);
	map_clear(&kept->sums_by_key);
}

void kept_free(struct kept *kept)
{
	if (!kept)
		return;
	kept_clear(kept);
	vec_free(&kept->stacks);
	vec_free(&kept->sums);
	map_free(&kept->stacks_by_frames);
	map_free(&kept->sums_by_key);
	free(kept);
}

/* Its number, 0 of no frames; true: it is there. */
static bool find_stack(const struct kept *kept, const struct chain *chain, uint64_t hash, __u64 *ret_number)
{
	*ret_number = 0;
	if (!chain->n)
		return true;
	map_each(i, &kept->stacks_by_frames, hash) {
		const struct kept_stack *stack = kept->stacks.data[i];

		if (stack->n == chain->n && !memcmp(stack->ips, chain->ips, chain->n * sizeof(*chain->ips))) {
			*ret_number = (__u64)i + 1;
			return true;
		}
	}
	return false;
}

static int keep_stack(struct kept *kept, const struct chain *chain, uint64_t hash, __u64 *ret_number)
{
	size_t bytes = chain->n * sizeof(*chain->ips);
	struct kept_stack *stack = vec_reserve(&kept->stacks) ? NULL : malloc(sizeof(*stack) + bytes);

	if (!stack || map_add(&kept->stacks_by_frames, hash, kept->stacks.n)) {
		free(stack);
		return -ENOMEM;
	}
	stack->n = chain->n;
	memcpy(stack->ips, chain->ips, bytes);
	kept->stacks.data[kept->stacks.n++] = stack;
	kept->nr_frames += chain->n;
	*ret_number = kept->stacks.n;
	return 0;
}

/* -ENOSPC: it is not there, and there is no room. */
static int stack_number(struct kept *kept, const struct chain *chain, __u64 *ret_number)
{
	uint64_t hash = hash_u64(hash_words(chain->n, chain->ips, chain->n));

	if (find_stack(kept, chain, hash, ret_number))
		return 0;
	return kept->sums.n >= SUMS_MAX || kept->nr_frames >= FRAMES_MAX ? -ENOSPC : keep_stack(kept, chain, hash, ret_number);
}

static uint64_t hash_of(const struct sample_key *key)
{
	_Static_assert(sizeof(*key) % sizeof(uint64_t) == 0, "words");
	return hash_u64(hash_words(0, (const uint64_t *)key, sizeof(*key) / sizeof(uint64_t)));
}

static struct kept_sum *find_sum(struct kept *kept, const struct sample_key *key, uint64_t hash)
{
	map_each(i, &kept->sums_by_key, hash)
		if (!memcmp(&kept->sums.data[i].key, key, sizeof(*key)))
			return &kept->sums.data[i];
	return NULL;
}

static struct kept_sum *sum_of(struct kept *kept, const struct sample_key *key)
{
	uint64_t hash = hash_of(key);
	struct kept_sum *sum = find_sum(kept, key, hash);

	if (sum)
		return sum;
	if (vec_reserve(&kept->sums) || map_add(&kept->sums_by_key, hash, kept->sums.n))
		return NULL;
	sum = &kept->sums.data[kept->sums.n++];
	*sum = (struct kept_sum){ .key = *key };
	return sum;
}

int kept_add(struct kept *kept, const struct sample *s, const struct sample_key *who)
{
	const struct sample_key other = { .event = who->event, .comm = OTHER };
	struct sample_key key = *who;
	struct kept_sum *sum = NULL;
	int ret;

	memset(key.comm, 0, sizeof(key.comm)); /* what stands after the NUL must not make another key */
	strcpy(key.comm, who->comm);
	ret = stack_number(kept, &s->chains[CHAIN_KERNEL], &key.kstack);
	ret = ret ? ret : stack_number(kept, &s->chains[CHAIN_USER], &key.ustack);
	if (ret == -ENOMEM)
		return ret;
	if (!ret)
		sum = kept->sums.n < SUMS_MAX ? sum_of(kept, &key) : find_sum(kept, &key, hash_of(&key));
	if (!sum)
		sum = sum_of(kept, &other);
	if (!sum)
		return -ENOMEM;
	sum->sum.count += s->count;
	sum->sum.weight += s->weight;
	if (sum->sum.last_ns < s->time_ns)
		sum->sum.last_ns = s->time_ns;
	return 0;
}

static struct chain chain_of(const struct kept *kept, uint64_t number)
{
	const struct kept_stack *stack = number ? kept->stacks.data[number - 1] : NULL;

	return stack ? (struct chain){ .ips = stack->ips, .n = stack->n } : (struct chain){ .n = 0 };
}

int kept_each(const struct kept *kept, int (*each)(void *arg, struct sample *s, struct sample_key *key), void *arg)
{
	int ret = 0;

	for (size_t i = 0; i < kept->sums.n && !ret; i++) {
		const struct kept_sum *k = &kept->sums.data[i];
		struct sample s = { .cpu = UINT32_MAX, .count = k->sum.count, .weight = k->sum.weight, .time_ns = k->sum.last_ns };
		struct sample_key key = k->key;

		s.chains[CHAIN_KERNEL] = chain_of(kept, key.kstack);
		s.chains[CHAIN_USER] = chain_of(kept, key.ustack);
		ret = each(arg, &s, &key);
	}
	return ret;
}
