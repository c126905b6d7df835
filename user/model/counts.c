/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The table of counts. Keys come in the same order in each round: the next one is looked at first. */
#include "model/counts.h"
#include "util/cpus.h"
#include "util/num.h"

#include <errno.h>
#include <math.h>
#include <string.h>

int counts_init(struct counts *c, const struct event *events, int nr_events, enum count_by by)
{
	*c = (struct counts){ .events = events, .nr_events = nr_events, .by = by };
	if (by != COUNT_BY_NOTHING)
		return 0;
	/* The only row is there even if nothing is ever read. */
	if (!vec_take(&c->keys, 1) || !vec_take(&c->cells, nr_events))
		return -ENOMEM;
	c->keys.data[0] = (struct count_key){ .cpu = UINT32_MAX };
	memset(c->cells.data, 0, nr_events * sizeof(*c->cells.data));
	return 0;
}

int counts_init_groups(struct counts *c, const struct event *events, int nr_events, enum cpu_level level, int cache)
{
	int ret = counts_init(c, events, nr_events, COUNT_BY_GROUP);

	return ret ? ret : cpu_groups_read(&c->groups, level, cache);
}

void counts_free(struct counts *c)
{
	cpu_groups_free(&c->groups);
	vec_free(&c->seen);
	vec_free(&c->keys);
	vec_free(&c->cells);
}

void counts_round(struct counts *c)
{
	for (size_t i = 0; i < c->cells.n; i++) {
		c->cells.data[i].before = c->cells.data[i].now;
		c->cells.data[i].now = (struct count){ 0 };
	}
}

void counts_sum(struct counts *c)
{
	for (size_t i = 0; i < c->cells.n; i++)
		c->cells.data[i].before = (struct count){ 0 };
}

void counts_run(struct counts *c)
{
	for (size_t i = 0; i < c->cells.n; i++)
		c->cells.data[i].before = c->cells.data[i].now = (struct count){ 0 };
}

/* The first reading of a CPU counts it for its group. */
static int note_cpu(struct counts *c, struct count_key *key, uint32_t cpu)
{
	while (c->seen.n <= cpu) {
		if (vec_reserve(&c->seen))
			return -ENOMEM;
		c->seen.data[c->seen.n++] = false;
	}
	key->nr_cpus += !c->seen.data[cpu];
	c->seen.data[cpu] = true;
	return 0;
}

/* Keys of groups are in the order of the groups. */
static size_t place_of(const struct counts *c, const struct count_key *key)
{
	size_t at = c->keys.n;

	while (c->by == COUNT_BY_GROUP && at && c->keys.data[at - 1].cpu > key->cpu)
		at--;
	return at;
}

/* Index of the key's first cell, or -ENOMEM. */
static long find_key(struct counts *c, const struct reading *r)
{
	struct count_key key = { .cpu = UINT32_MAX };
	size_t at;

	if (c->by == COUNT_BY_CPU)
		key.cpu = r->cpu;
	if (c->by == COUNT_BY_GROUP)
		key.cpu = cpu_group_of(&c->groups, r->cpu);
	if (c->by == COUNT_BY_THREAD) {
		key.tid = r->tid;
		if (r->comm)
			strncpy(key.comm, r->comm, sizeof(key.comm) - 1);
	}
	for (size_t step = 0; step < c->keys.n; step++) {
		size_t i = (c->last + step) % c->keys.n;

		if (c->keys.data[i].cpu == key.cpu && c->keys.data[i].tid == key.tid) {
			c->last = i;
			return i * c->nr_events;
		}
	}
	if (vec_reserve(&c->keys) || !vec_take(&c->cells, c->nr_events))
		return -ENOMEM;
	at = place_of(c, &key);
	memmove(c->keys.data + at + 1, c->keys.data + at, (c->keys.n - at) * sizeof(key));
	memmove(c->cells.data + (at + 1) * c->nr_events, c->cells.data + at * c->nr_events,
		(c->keys.n - at) * c->nr_events * sizeof(*c->cells.data));
	memset(c->cells.data + at * c->nr_events, 0, c->nr_events * sizeof(*c->cells.data));
	c->keys.data[at] = key;
	c->keys.n++;
	c->last = at;
	return at * c->nr_events;
}

int counts_add(struct counts *c, const struct reading *r)
{
	long at = find_key(c, r);
	struct count *now;

	if (at < 0)
		return at;
	if (c->by == COUNT_BY_GROUP && r->cpu < CPU_LIMIT && note_cpu(c, &c->keys.data[at / c->nr_events], r->cpu))
		return -ENOMEM;
	now = &c->cells.data[at + r->event].now;
	now->value += r->value;
	now->enabled_ns += r->enabled_ns;
	now->running_ns += r->running_ns;
	return 0;
}

void counts_end_run(struct counts *c, double wall_s, bool as_read)
{
	for (size_t i = 0; i < c->cells.n; i++) {
		struct count_cell *cell = &c->cells.data[i];

		if (!cell->now.running_ns)
			continue; /* a run in which it was not counted says nothing */
		spread_add(&cell->spread, count_scaled(&cell->now, as_read));
		cell->runs.value += cell->now.value;
		cell->runs.enabled_ns += cell->now.enabled_ns;
		cell->runs.running_ns += cell->now.running_ns;
	}
	spread_add(&c->wall, wall_s);
}

const struct count_cell *counts_cell(const struct counts *c, size_t key, int event)
{
	return &c->cells.data[key * c->nr_events + event];
}

struct count counts_delta(const struct count_cell *cell)
{
	return (struct count){
		.value = num_grown(cell->now.value, cell->before.value),
		.enabled_ns = num_grown(cell->now.enabled_ns, cell->before.enabled_ns),
		.running_ns = num_grown(cell->now.running_ns, cell->before.running_ns),
	};
}

double count_scaled(const struct count *count, bool as_read)
{
	if (as_read || !count->running_ns || count->running_ns >= count->enabled_ns)
		return count->value;
	return (double)count->value * count->enabled_ns / count->running_ns;
}

void spread_add(struct spread *s, double value)
{
	double d = value - s->mean;

	s->n++;
	s->mean += d / s->n;
	s->m2 += d * (value - s->mean);
}

double spread_percent(const struct spread *s)
{
	if (s->n < 2 || s->mean == 0)
		return 0;
	return 100 * sqrt(s->m2 / (s->n - 1) / s->n) / s->mean;
}
