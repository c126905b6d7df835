/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The sums are 80 numbers in a row each: added and taken away alike. */
#include "model/sched.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(offsetof(struct sched_sample, key) == 0, "hist_place() looks for keys there");

int sched_table_init(struct sched_table *t)
{
	*t = (struct sched_table){ .pool = strpool_new() };
	return t->pool ? 0 : -ENOMEM;
}

static void index_free(struct sched_index *x)
{
	vec_free(&x->all);
	hist_places_free(&x->places);
}

void sched_table_free(struct sched_table *t)
{
	strpool_free(t->pool);
	index_free(&t->rows);
	index_free(&t->ended);
	vec_free(&t->before);
}

/* The sums of a key, zeroes for a new one. NULL without memory. */
static struct sched_sums *sums_of(struct sched_index *x, const struct hist_sample *key)
{
	uint32_t *place = hist_place(&x->places, x->all.data, x->all.n, sizeof(*x->all.data), key);

	if (!place)
		return NULL;
	if (!*place) {
		if (vec_reserve(&x->all))
			return NULL;
		x->all.data[x->all.n++] = (struct sched_sample){ .key = *key };
		*place = x->all.n;
	}
	return &x->all.data[*place - 1].sums;
}

static void add(struct sched_sums *to, const struct sched_sums *s)
{
	for (int i = 0; i < SCHED_STATES; i++)
		to->ns[i] += s->ns[i];
	to->waits += s->waits;
	if (s->wait_max_ns > to->wait_max_ns) {
		to->wait_max_ns = s->wait_max_ns;
		to->wait_max_at_ns = s->wait_max_at_ns;
	}
	to->voluntary += s->voluntary;
	to->involuntary += s->involuntary;
	to->wakeups += s->wakeups;
	to->migrations += s->migrations;
	for (int i = 0; i < BY_SLOTS; i++) {
		to->wait_slots[i] += s->wait_slots[i];
		to->run_slots[i] += s->run_slots[i];
		to->off_slots[i] += s->off_slots[i];
	}
}

static uint64_t less(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

static struct sched_sums added(const struct sched_sums *now, const struct sched_sums *before)
{
	struct sched_sums d = { .waits = less(now->waits, before->waits) };
	int last = -1;

	for (int i = 0; i < SCHED_STATES; i++)
		d.ns[i] = less(now->ns[i], before->ns[i]);
	d.voluntary = less(now->voluntary, before->voluntary);
	d.involuntary = less(now->involuntary, before->involuntary);
	d.wakeups = less(now->wakeups, before->wakeups);
	d.migrations = less(now->migrations, before->migrations);
	for (int i = 0; i < BY_SLOTS; i++) {
		d.wait_slots[i] = now->wait_slots[i] - before->wait_slots[i];
		d.run_slots[i] = now->run_slots[i] - before->run_slots[i];
		d.off_slots[i] = now->off_slots[i] - before->off_slots[i];
		last = d.wait_slots[i] ? i : last;
	}
	if (now->wait_max_ns > before->wait_max_ns) {
		d.wait_max_ns = now->wait_max_ns;
		d.wait_max_at_ns = now->wait_max_at_ns;
	} else if (last >= 0) {
		d.wait_max_ns = (2ull << last) - 1 < now->wait_max_ns ? (2ull << last) - 1 : now->wait_max_ns;
	}
	return d;
}

uint64_t sched_off_ns(const struct sched_sums *s)
{
	return s->ns[SCHED_SLEEPING] + s->ns[SCHED_BLOCKED] + s->ns[SCHED_STOPPED];
}

uint64_t sched_switches(const struct sched_sums *s)
{
	return s->voluntary + s->involuntary;
}

static bool is_nothing(const struct sched_sums *s)
{
	return !s->ns[SCHED_RUNNING] && !s->ns[SCHED_WAITING] && !sched_off_ns(s) && !sched_switches(s) && !s->waits && !s->wakeups &&
	       !s->migrations;
}

static int add_row(struct sched_table *t, const struct hist_sample *key, const struct sched_sums *sums)
{
	struct sched_sums *to;

	if (is_nothing(sums))
		return 0;
	to = sums_of(&t->rows, key);
	if (to)
		add(to, sums);
	return to ? 0 : -ENOMEM;
}

static void begin_round(struct sched_table *t)
{
	t->rows.all.n = 0;
	hist_places_clear(&t->rows.places);
	t->is_ended = false;
}

int sched_table_add(struct sched_table *t, const struct sched_sample *s)
{
	struct hist_sample key = s->key;
	struct sched_sums *to;

	if (t->is_ended)
		begin_round(t);
	if (hist_key_intern(t->pool, &key))
		return -ENOMEM;
	if (!s->is_total)
		return add_row(t, &key, &s->sums);
	to = sums_of(&t->ended, &key);
	if (to)
		add(to, &s->sums);
	return to ? 0 : -ENOMEM;
}

static uint64_t amount(const struct sched_sums *s, enum sched_sort sort)
{
	switch (sort) {
	case SCHED_BY_MAX:
		return s->wait_max_ns;
	case SCHED_BY_RUN:
		return s->ns[SCHED_RUNNING];
	case SCHED_BY_OFF:
		return sched_off_ns(s);
	case SCHED_BY_SWITCHES:
		return sched_switches(s);
	case SCHED_BY_MIGRATIONS:
		return s->migrations;
	default:
		return s->ns[SCHED_WAITING];
	}
}

static int compare(const void *x, const void *y, void *arg)
{
	const struct sched_sample *a = x, *b = y;
	const enum sched_sort *sort = arg;
	uint64_t of_a = amount(&a->sums, *sort), of_b = amount(&b->sums, *sort);

	if (a->key.is_other != b->key.is_other)
		return a->key.is_other ? 1 : -1;
	return of_a != of_b ? of_a < of_b ? 1 : -1 : hist_key_compare(&a->key, &b->key);
}

int sched_table_round(struct sched_table *t, enum sched_sort sort)
{
	struct sched_index *rows = &t->rows, *ended = &t->ended;
	size_t known = t->before.n, kept = 0;

	if (t->is_ended) /* no sample came */
		begin_round(t);
	if (t->ended.all.n > known) {
		struct sched_sums *more = vec_take(&t->before, t->ended.all.n - known);

		if (!more)
			return -ENOMEM;
		memset(more, 0, (t->ended.all.n - known) * sizeof(*more));
	}
	for (size_t i = 0; i < ended->all.n; i++) {
		struct sched_sample *e = &ended->all.data[i];
		struct sched_sums sums;

		if (is_nothing(&e->sums)) /* its row has left the kernel */
			continue;
		sums = added(&e->sums, &t->before.data[i]);
		if (add_row(t, &e->key, &sums))
			return -ENOMEM;
		t->before.data[kept] = e->sums;
		e->sums = (struct sched_sums){ 0 };
		ended->all.data[kept++] = *e;
	}
	if (kept < ended->all.n)
		hist_places_renew(&ended->places, ended->all.data, kept, sizeof(*ended->all.data));
	ended->all.n = t->before.n = kept;
	if (rows->all.n)
		qsort_r(rows->all.data, rows->all.n, sizeof(*rows->all.data), compare, &sort);
	t->is_ended = true;
	return 0;
}

struct hist_sums sched_waits(const struct sched_sums *s)
{
	struct hist_sums h = { .calls = s->waits, .max_ns = s->wait_max_ns };

	for (int i = 0; i < BY_SLOTS; i++)
		h.slots[i] = s->wait_slots[i];
	return h;
}
