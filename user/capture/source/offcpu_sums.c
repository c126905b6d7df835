/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sums of time off the CPUs, taken and emptied while programs write to them; what was delivered, once more. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/iter.h"
#include "capture/source/offcpu_parts.h"
#include "skel/offcpu.skel.h"
#include "util/hash.h"

/* For keep_stacks(). */
struct to_keep {
	struct src_offcpu *src;
	VEC(uint64_t) keys;
};

/* The tables of a turn. */
static struct bpf_map *spans_of(const struct src_offcpu *src, uint32_t turn)
{
	return turn & 1 ? src->skel->maps.spans_odd : src->skel->maps.spans;
}

static struct bpf_map *stacks_of(const struct src_offcpu *src, uint32_t turn)
{
	return turn & 1 ? src->skel->maps.stacks_odd : src->skel->maps.stacks;
}

const struct stack_val *offcpu_stack(struct src_offcpu *src, uint64_t key)
{
	const struct stack_val *stack;

	if (src->cfg->aggregate && !src->is_live)
		return stacks_find(&src->stacks, key);
	stack = stack_cache_get(&src->cache, stacks_of(src, src->turn), key);
	return stack || !src->turn ? stack : stack_cache_get(&src->cache, stacks_of(src, src->turn - 1), key);
}

static int read_other(struct src_offcpu *src, __u32 preempted, struct offcpu_sums *ret_all)
{
	int cpus = libbpf_num_possible_cpus(), ret = 0;
	struct offcpu_sums *per_cpu = calloc(cpus > 0 ? cpus : 1, sizeof(*per_cpu)), all = { 0 };

	if (!per_cpu)
		return -ENOMEM;
	if (bpf_map_lookup_elem(bpf_map__fd(src->skel->maps.other), &preempted, per_cpu))
		ret = -errno;
	for (int cpu = 0; cpu < cpus && !ret; cpu++) {
		all.spans += per_cpu[cpu].spans;
		all.off_ns += per_cpu[cpu].off_ns;
		all.waits += per_cpu[cpu].waits;
		all.wait_ns += per_cpu[cpu].wait_ns;
	}
	free(per_cpu);
	*ret_all = all;
	return ret;
}

static struct offcpu_sums less(const struct offcpu_sums *a, const struct offcpu_sums *b)
{
	return (struct offcpu_sums){ a->spans - b->spans, a->off_ns - b->off_ns, a->waits - b->waits, a->wait_ns - b->wait_ns, a->last_ns };
}

static struct known *find_known(struct src_offcpu *src, const struct offcpu_key *key)
{
	uint64_t hash = hash_bytes(key, sizeof(*key));

	map_each(i, &src->known_by_key, hash)
		if (!memcmp(&src->known.data[i].key, key, sizeof(*key)))
			return &src->known.data[i];
	if (vec_reserve(&src->known) || map_add(&src->known_by_key, hash, src->known.n))
		return NULL;
	src->known.data[src->known.n] = (struct known){ .key = *key };
	return &src->known.data[src->known.n++];
}

/* While programs run: what a row has grown by. */
static int deliver_new(struct src_offcpu *src, const struct offcpu_key *key, const struct offcpu_sums *sums, struct sink *sink)
{
	struct known *known;
	struct offcpu_sums more;

	if (!src->is_live)
		return offcpu_row(src, key, sums, sink);
	known = find_known(src, key);
	if (!known)
		return -ENOMEM;
	more = less(sums, &known->taken);
	known->taken = *sums;
	return offcpu_row(src, key, &more, sink);
}

static int deliver_new_other(struct src_offcpu *src, bool preempted, struct sink *sink)
{
	struct known *known = &src->other[preempted];
	struct offcpu_sums more, before = known->taken;
	int ret = read_other(src, preempted, &known->taken);

	more = less(&known->taken, &before);
	return ret ? ret : offcpu_other(src, preempted, &more, sink);
}

int offcpu_rows(struct src_offcpu *src, struct sink *sink)
{
	struct bpf_map *map = spans_of(src, src->turn);
	size_t max = bpf_map__max_entries(map), key_size = bpf_map__key_size(map);
	char *keys = calloc(max, key_size);
	struct offcpu_sums *sums = calloc(max, sizeof(*sums));
	int ret = !keys || !sums ? -ENOMEM : src->is_live ? 0 : stacks_read(&src->stacks, src->skel->maps.stacks);
	long n = ret ? ret : hash_read(map, keys, sums);

	for (long i = 0; i < n && ret >= 0; i++) {
		struct offcpu_key key = { 0 };

		memcpy(&key, keys + i * key_size, key_size);
		ret = deliver_new(src, &key, &sums[i], sink);
	}
	free(keys);
	free(sums);
	if (n < 0)
		return (int)n;
	for (int preempted = 0; preempted < 2 && !ret; preempted++)
		ret = deliver_new_other(src, preempted, sink);
	return ret;
}

void offcpu_forget(struct source *source, bool later)
{
	struct src_offcpu *src = (struct src_offcpu *)source;

	src->forgets = later;
	if (later)
		return;
	for (size_t i = 0; i < src->known.n; i++)
		src->known.data[i].forgotten = src->known.data[i].taken;
	for (int preempted = 0; preempted < 2; preempted++)
		src->other[preempted].forgotten = src->other[preempted].taken;
}

/* Of a task that has left its CPU in an earlier turn: its stacks stay. */
static int keep_stacks(void *arg, const void *record)
{
	const struct offcpu_asleep *asleep = record;
	struct to_keep *to = arg;

	for (size_t i = 0; i < sizeof(asleep->stacks) / sizeof(asleep->stacks[0]); i++) {
		if (!offcpu_stack(to->src, asleep->stacks[i]))
			continue;
		if (vec_reserve(&to->keys))
			return -ENOMEM;
		to->keys.data[to->keys.n++] = asleep->stacks[i];
	}
	return 0;
}

static bool is_full(const struct src_offcpu *src)
{
	uint64_t sum[COUNT_MAX];

	/* A quarter: the next second may bring three more */
	if (src->known.n > bpf_map__max_entries(src->skel->maps.spans) / 4 || src->cache.values.n > bpf_map__max_entries(src->skel->maps.stacks) / 4)
		return true;
	base_counts(&src->base, sum);
	return sum[LOSS_STACKS_FULL] != src->full;
}

/* The cache has only these from now on. */
static int cut_cache(struct src_offcpu *src, const struct to_keep *to)
{
	struct stack_cache cache = { 0 };
	int ret = 0;

	for (size_t i = 0; i < to->keys.n && !ret; i++)
		ret = stack_cache_move(&cache, &src->cache, to->keys.data[i]);
	stack_cache_free(&src->cache);
	src->cache = cache;
	return ret;
}

/*
 * Programs write to the tables of the turn before from now on, which are emptied first. A span may have stacks of any turn: those of tasks that
 * left their CPUs before this turn are kept by the cache, those of this turn stay in their table for the length of the next one.
 */
static int next_turn(struct src_offcpu *src, struct sink *sink)
{
	struct to_keep to = { .src = src };
	uint64_t sum[COUNT_MAX];
	int ret = iter_read(src->skel->progs.offcpu_asleep, sizeof(struct offcpu_asleep), keep_stacks, &to);

	if (!ret)
		ret = offcpu_rows(src, sink); /* the last ones that need stacks of the turn before */
	if (!ret)
		ret = hash_clear(stacks_of(src, src->turn + 1));
	if (!ret) {
		__atomic_store_n(&src->skel->bss->run_turn, src->turn + 1, __ATOMIC_RELEASE);
		tasks_barrier();
		ret = offcpu_rows(src, sink);
	}
	if (!ret)
		ret = hash_clear(spans_of(src, src->turn));
	if (!ret)
		ret = cut_cache(src, &to);
	vec_free(&to.keys);
	map_clear(&src->known_by_key);
	src->known.n = 0;
	src->turn++;
	base_counts(&src->base, sum);
	src->full = sum[LOSS_STACKS_FULL];
	return ret;
}

/* Spans that have ended since the last time. */
int offcpu_snapshot(struct source *source, struct sink *sink)
{
	struct src_offcpu *src = (struct src_offcpu *)source;

	if (!src->cfg->aggregate)
		return 0;
	src->is_live = true;
	if (src->forgets)
		offcpu_forget(source, false);
	return src->cfg->empties && is_full(src) ? next_turn(src, sink) : offcpu_rows(src, sink);
}

int offcpu_again(struct source *source, struct sink *sink)
{
	struct src_offcpu *src = (struct src_offcpu *)source;
	struct offcpu_sums sums;
	int ret = 0;

	src->is_again = true;
	for (size_t i = 0; i < src->known.n && !ret; i++) {
		sums = less(&src->known.data[i].taken, &src->known.data[i].forgotten);
		ret = offcpu_row(src, &src->known.data[i].key, &sums, sink);
	}
	for (int preempted = 0; preempted < 2 && !ret; preempted++) {
		sums = less(&src->other[preempted].taken, &src->other[preempted].forgotten);
		ret = offcpu_other(src, preempted, &sums, sink);
	}
	src->is_again = false;
	return ret;
}
