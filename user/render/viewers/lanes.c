/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "render/viewers/lanes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample.h"
#include "util/hash.h"

static bool is_of(const struct lanes *set, const struct lane *s, const struct named *named)
{
	return s->pid == named->at->pid && s->tid == named->at->tid && (!set->cfg->is_sum || s->comm == named->comm);
}

static int64_t find(const struct lanes *set, const struct map *map, uint64_t hash, const struct named *named, uint32_t event)
{
	map_each(i, map, hash) {
		const struct lane *s = &set->all.data[i];

		if (is_of(set, s, named) && (event == UINT32_MAX || s->event == event))
			return i;
	}
	return -1;
}

static int64_t lane_of(struct lanes *set, const struct named *named)
{
	const struct sample *at = named->at;
	uint64_t thread = hash_pair((uint64_t)at->pid << 32 | at->tid, set->cfg->is_sum ? (uintptr_t)named->comm : 0), hash = hash_pair(thread, at->event);
	int64_t found = find(set, &set->by_thread, hash, named, at->event), first, strand;

	if (found >= 0)
		return found;
	first = find(set, &set->by_tid, thread, named, UINT32_MAX);
	strand = strands_add(&set->strands);
	if (strand < 0 || vec_reserve(&set->all) || map_add(&set->by_thread, hash, set->all.n) || (first < 0 && map_add(&set->by_tid, thread, set->all.n)))
		return -ENOMEM;
	set->all.data[set->all.n] = (struct lane){ .pid = at->pid, .tid = at->tid, .event = at->event, .comm = named->comm, .samples = (uint32_t)strand,
						     .markers = STRANDS_NONE, .of_thread = first < 0 ? (uint32_t)set->all.n : (uint32_t)first };
	return (int64_t)set->all.n++;
}

int64_t lanes_add(struct lanes *set, const struct named *named, uint32_t nr_frames, struct err *err)
{
	const struct sample *at = named->at;
	int64_t i = lane_of(set, named), node = i < 0 ? i : stacktable_add(&set->stacks, named->stack->frames, nr_frames);
	struct lane_sample sample = { .time_ns = at->time_ns, .weight = at->weight ? at->weight : at->count,
					.count = at->count < UINT32_MAX ? (uint32_t)at->count : UINT32_MAX };
	struct lane *s;
	int ret;

	if (i < 0 || node < 0)
		return -ENOMEM;
	s = &set->all.data[i];
	s->comm = named->comm;
	if (!set->has_first || at->time_ns < set->first_ns)
		set->first_ns = at->time_ns;
	set->has_first = true;
	set->last_ns = at->time_ns > set->last_ns ? at->time_ns : set->last_ns;
	sample.time_ns = at->time_ns > s->last_ns ? at->time_ns : s->last_ns; /* a damaged file's, and samples that waited for a name */
	s->last_ns = sample.time_ns;
	sample.node = set->node = (uint32_t)node;
	ret = strands_put(&set->strands, s->samples, &sample, sizeof(sample), err);
	if (ret)
		return ret;
	s->nr++;
	s->weight += sample.weight;
	return i;
}

struct ranked {
	uint64_t weight;
	uint32_t number;
};

static int by_weight(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

uint32_t *lanes_order(const struct lanes *set)
{
	struct ranked *ranked = calloc(set->all.n + 1, sizeof(*ranked));
	uint32_t *order = calloc(set->all.n + 1, sizeof(*order));

	for (size_t i = 0; ranked && i < set->all.n; i++)
		ranked[i] = (struct ranked){ set->all.data[i].weight, (uint32_t)i };
	if (ranked && order) {
		qsort(ranked, set->all.n, sizeof(*ranked), by_weight);
		for (size_t i = 0; i < set->all.n; i++)
			order[i] = ranked[i].number;
	} else {
		free(order);
		order = NULL;
	}
	free(ranked);
	return order;
}

const char *lane_name(const struct lanes *set, const struct lane *s, char *buf)
{
	int n = snprintf(buf, LANE_NAME_BYTES, s->tid && s->tid != s->pid ? "%s (%d/%d)" : "%s (%d)", s->comm, (int)s->pid, (int)s->tid);

	if (set->cfg->nr_events > 1 && n < LANE_NAME_BYTES)
		snprintf(buf + n, LANE_NAME_BYTES - (size_t)n, " %s", set->cfg->events[s->event].name);
	return buf;
}

struct strand_reader lanes_read(const struct lanes *set, uint32_t strand)
{
	return (struct strand_reader){ .of = &set->strands, .strand = strand };
}

void lanes_free(struct lanes *set)
{
	stacktable_free(&set->stacks);
	strands_free(&set->strands);
	vec_free(&set->all);
	map_free(&set->by_thread);
	map_free(&set->by_tid);
}
