/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Slices are found by a hash of all of their key; a change of the key (wider bins, no CPUs) makes them again, in place. */
#include "model/slices.h"

#include <errno.h>
#include <string.h>

#include "util/hash.h"

#define FIRST_BIN_NS 1000000u
#define WIDEST_NS (1ULL << 62) /* the next would be no number of 64 bits */
#define FEW_BINS 50u /* below it a CPU is given up before time is */

void slices_init(struct slices *s)
{
	*s = (struct slices){ .spans_event = SLICE_NO_EVENT, .max = SLICES_MAX, .bin_ns = FIRST_BIN_NS };
}

void slices_free(struct slices *s)
{
	vec_free(&s->all);
	vec_free(&s->tasks);
	map_free(&s->index);
	map_free(&s->task_index);
}

static uint64_t slice_hash(const struct slice *at)
{
	return hash_pair((uint64_t)at->bin << 32 | at->task, (uint64_t)at->cpu << 32 | at->node);
}

static int64_t slice_find(const struct slices *s, const struct slice *key, uint64_t hash)
{
	map_each(i, &s->index, hash) {
		const struct slice *have = &s->all.data[i];

		if (have->bin == key->bin && have->task == key->task && have->cpu == key->cpu && have->node == key->node)
			return i;
	}
	return -1;
}

static uint64_t task_hash(const struct slices *s, const struct slice_task *t)
{
	return hash_pair((uint64_t)t->pid << 32 | t->tid, s->no_threads ? 0 : (uintptr_t)t->comm);
}

/* Its index, or -ENOMEM. Without threads a process has the name of the first of them that came. */
static int64_t task_get(struct slices *s, const struct slice_task *t)
{
	uint64_t hash = task_hash(s, t);

	map_each(i, &s->task_index, hash) {
		const struct slice_task *have = &s->tasks.data[i];

		if (have->pid == t->pid && have->tid == t->tid && (s->no_threads || have->comm == t->comm))
			return i;
	}
	if (vec_reserve(&s->tasks) || map_add(&s->task_index, hash, s->tasks.n))
		return -ENOMEM;
	s->tasks.data[s->tasks.n] = *t;
	return (int64_t)s->tasks.n++;
}

/* Puts all slices in their places again, after their keys were changed. Needs no memory but what it has. */
static int again(struct slices *s)
{
	size_t n = s->all.n;

	map_clear(&s->index);
	s->all.n = 0;
	for (size_t i = 0; i < n; i++) {
		struct slice at = s->all.data[i];
		uint64_t hash = slice_hash(&at);
		int64_t have = slice_find(s, &at, hash);

		if (have >= 0) {
			s->all.data[have].weight += at.weight;
			s->all.data[have].count += at.count;
			continue;
		}
		if (map_add(&s->index, hash, s->all.n))
			return -ENOMEM;
		s->all.data[s->all.n++] = at;
	}
	return 0;
}

static int widen(struct slices *s)
{
	for (size_t i = 0; i < s->all.n; i++)
		s->all.data[i].bin /= 2;
	s->bin_ns *= 2;
	s->nr_bins = (s->nr_bins + 1) / 2;
	return again(s);
}

static int drop_cpus(struct slices *s)
{
	for (size_t i = 0; i < s->all.n; i++)
		s->all.data[i].cpu = SLICE_NO_CPU;
	s->no_cpus = true;
	return again(s);
}

static int drop_threads(struct slices *s)
{
	struct slice_task *old = s->tasks.data;
	int64_t to;
	int ret = 0;

	s->no_threads = true;
	s->tasks.data = NULL;
	s->tasks.n = s->tasks.cap = 0;
	map_clear(&s->task_index);
	for (size_t i = 0; i < s->all.n && !ret; i++) {
		struct slice_task t = old[s->all.data[i].task];

		t.tid = 0;
		to = task_get(s, &t);
		if (to < 0)
			ret = -ENOMEM;
		else
			s->all.data[i].task = (uint32_t)to;
	}
	free(old);
	return ret ? ret : again(s);
}

/* Makes room by telling less apart. 1: there is nothing left to give up. 0 or -ENOMEM. */
static int coarser(struct slices *s)
{
	if (s->nr_bins > FEW_BINS)
		return widen(s);
	if (!s->no_cpus)
		return drop_cpus(s);
	if (!s->no_threads)
		return drop_threads(s);
	return s->nr_bins > 1 && s->bin_ns < WIDEST_NS ? widen(s) : 1;
}

/* Bins before the first one, for a time that is earlier. */
static int shift(struct slices *s, uint64_t time_ns)
{
	uint64_t before_ns = s->start_ns - time_ns, bins;
	int ret = 0;

	while (!ret && (bins = before_ns / s->bin_ns + !!(before_ns % s->bin_ns)) + s->nr_bins > SLICE_BINS_MAX)
		ret = widen(s);
	if (ret)
		return ret;
	/* times are unsigned: what would begin before zero begins at zero, with a first bin that is narrower */
	s->start_ns = bins * s->bin_ns > s->start_ns ? 0 : s->start_ns - bins * s->bin_ns;
	for (size_t i = 0; i < s->all.n; i++)
		s->all.data[i].bin += (uint32_t)bins;
	s->nr_bins += (uint32_t)bins;
	return again(s);
}

/* Makes the bins reach from one time to the other. */
static int reach(struct slices *s, uint64_t from_ns, uint64_t to_ns)
{
	int ret = 0;

	if (!s->nr_bins) {
		s->start_ns = from_ns;
		s->nr_bins = 1;
	}
	if (from_ns < s->start_ns)
		ret = shift(s, from_ns);
	while (!ret && (to_ns - s->start_ns) / s->bin_ns >= SLICE_BINS_MAX)
		ret = widen(s);
	if (!ret && (to_ns - s->start_ns) / s->bin_ns >= s->nr_bins)
		s->nr_bins = (uint32_t)((to_ns - s->start_ns) / s->bin_ns) + 1;
	if (to_ns > s->last_ns)
		s->last_ns = to_ns;
	return ret;
}

/* Adds a sample's part at one moment. The key is made again after each step that merges slices. */
static int put(struct slices *s, uint64_t time_ns, const struct slice_task *who, struct slice at)
{
	const struct slice_task task = { who->comm, who->pid, s->no_threads ? 0 : who->tid };
	int64_t have, to = task_get(s, &task);
	uint64_t hash;
	int ret;

	if (to < 0)
		return -ENOMEM;
	at.task = (uint32_t)to;
	at.bin = s->has_time ? (uint32_t)((time_ns - s->start_ns) / s->bin_ns) : 0;
	if (s->no_cpus)
		at.cpu = SLICE_NO_CPU;
	hash = slice_hash(&at);
	have = slice_find(s, &at, hash);
	if (have >= 0) {
		s->all.data[have].weight += at.weight;
		s->all.data[have].count += at.count;
		return 0;
	}
	if (s->all.n >= s->max) {
		ret = coarser(s);
		if (!ret)
			return put(s, time_ns, who, at);
		s->left_out += ret > 0 ? at.weight : 0;
		return ret > 0 ? 0 : ret;
	}
	if (vec_reserve(&s->all) || map_add(&s->index, hash, s->all.n))
		return -ENOMEM;
	s->all.data[s->all.n++] = at;
	return 0;
}

/* Time that ended at time_ns: each bin has the part that lies in it; the last one has the count. */
static int spread(struct slices *s, uint64_t from_ns, uint64_t time_ns, const struct slice_task *who, struct slice at)
{
	uint64_t left = at.weight, count = at.count, now = from_ns;
	int ret = 0;

	while (!ret && left) {
		uint64_t bin = (now - s->start_ns) / s->bin_ns, room = s->bin_ns - (now - s->start_ns) % s->bin_ns;
		bool is_last = room >= left || now >= time_ns || bin + 1 >= s->nr_bins;

		at.weight = is_last ? left : room;
		at.count = is_last ? count : 0;
		ret = put(s, now, who, at);
		left -= at.weight;
		now += room;
	}
	return ret;
}

int slices_add(struct slices *s, const struct sample *sample, const char *comm, uint32_t node)
{
	const struct slice_task who = { comm, sample->pid, sample->tid };
	struct slice at = { .cpu = sample->cpu, .node = node, .weight = sample->weight, .count = sample->count };
	uint64_t time = sample->time_ns, from = time;
	int ret;

	if (!s->has_time) {
		s->nr_bins = 1;
		return put(s, 0, &who, at);
	}
	if (sample->event == s->spans_event)
		from = sample->weight < time ? time - sample->weight : 0;
	ret = reach(s, from, time);
	if (ret)
		return ret;
	return from < time ? spread(s, from, time, &who, at) : put(s, time, &who, at);
}
