/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/lastspan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/vec.h"

enum { ENTRY_SAMPLE, ENTRY_TASK, ENTRY_LOST, ENTRY_ROUND };

/* In a span, at a multiple of 8: then the structure, and what it points to in the order of its members. */
struct entry {
	uint32_t size; /* of all */
	uint32_t kind;
};

struct lost {
	uint64_t time_ns, n;
};

struct span {
	VEC(char) bytes;
	uint64_t begun_ns;
};

struct lastspan {
	struct sink sink; /* first */
	uint64_t span_ns;
	struct span older, newer;
	size_t at; /* where the entry that is being written begins */
	uint64_t lost; /* so far */
	bool no_memory;
};

static int take_base(struct sink *sink, const struct task_event *t)
{
	struct lastspan *l = (struct lastspan *)sink;
	struct task_event copy = *t;

	copy.time_ns = t->time_ns ? t->time_ns : l->newer.begun_ns;
	return lastspan_task(l, &copy);
}

struct lastspan *lastspan_new(uint64_t span_ns, uint64_t now_ns)
{
	struct lastspan *l = calloc(1, sizeof(*l));

	if (l)
		*l = (struct lastspan){ .sink.task = take_base, .span_ns = span_ns, .older.begun_ns = now_ns, .newer.begun_ns = now_ns };
	return l;
}

void lastspan_free(struct lastspan *l)
{
	if (!l)
		return;
	vec_free(&l->older.bytes);
	vec_free(&l->newer.bytes);
	free(l);
}

struct sink *lastspan_sink(struct lastspan *l)
{
	return &l->sink;
}

static void put(struct lastspan *l, const void *from, size_t n)
{
	size_t padded = (n + 7) & ~(size_t)7;
	char *to = l->no_memory ? NULL : vec_take(&l->newer.bytes, padded);

	l->no_memory |= !to && n;
	if (to && n) {
		memset(to + padded - 8, 0, 8);
		memcpy(to, from, n);
	}
}

static void put_text(struct lastspan *l, const char *text)
{
	if (text)
		put(l, text, strlen(text) + 1);
}

static void begin(struct lastspan *l, uint32_t kind)
{
	const struct entry e = { .kind = kind };

	l->at = l->newer.bytes.n;
	put(l, &e, sizeof(e));
}

/* What did not fit as a whole is none of it. */
static int end(struct lastspan *l)
{
	bool lacks = l->no_memory;

	l->no_memory = false;
	if (lacks)
		l->newer.bytes.n = l->at;
	else
		((struct entry *)(l->newer.bytes.data + l->at))->size = (uint32_t)(l->newer.bytes.n - l->at);
	return lacks ? -ENOMEM : 0;
}

static void put_sample(struct lastspan *l, const struct sample *s)
{
	put(l, s, sizeof(*s));
	put_text(l, s->comm);
	for (int i = 0; i < CHAIN_KINDS; i++)
		put(l, s->chains[i].ips, s->chains[i].n * sizeof(*s->chains[i].ips));
	put(l, s->values, s->nr_values * sizeof(*s->values));
	for (uint32_t i = 0; i < s->nr_values; i++) {
		put_text(l, s->values[i].text);
		if (s->values[i].bytes)
			put(l, s->values[i].bytes, s->values[i].nr_bytes);
	}
}

int lastspan_sample(struct lastspan *l, const struct sample *s)
{
	begin(l, ENTRY_SAMPLE);
	put_sample(l, s);
	if (s->waker) /* who has none */
		put_sample(l, s->waker);
	return end(l);
}

int lastspan_task(struct lastspan *l, const struct task_event *t)
{
	begin(l, ENTRY_TASK);
	put(l, t, sizeof(*t));
	put(l, t->namespaces, t->nr_namespaces * sizeof(*t->namespaces));
	put_text(l, t->comm);
	put_text(l, t->path);
	return end(l);
}

int lastspan_lost(struct lastspan *l, uint64_t now_ns, uint64_t so_far)
{
	const struct lost lost = { now_ns, so_far - l->lost };
	int ret;

	if (so_far <= l->lost)
		return 0;
	begin(l, ENTRY_LOST);
	put(l, &lost, sizeof(lost));
	ret = end(l);
	l->lost = ret ? l->lost : so_far;
	return ret;
}

int lastspan_round(struct lastspan *l, uint64_t now_ns)
{
	struct span dropped = l->older;
	int ret;

	begin(l, ENTRY_ROUND);
	ret = end(l);
	if (ret || (now_ns - l->newer.begun_ns < l->span_ns && l->newer.bytes.n < LASTSPAN_BYTES_MAX))
		return ret;
	l->older = l->newer;
	l->newer = dropped; /* for its memory */
	l->newer.bytes.n = 0;
	l->newer.begun_ns = now_ns;
	return 1;
}

/* The next n bytes of an entry. */
static void *take(char **p, size_t n)
{
	void *at = *p;

	*p += (n + 7) & ~(size_t)7;
	return at;
}

static const char *take_text(char **p, const char *had)
{
	return had ? take(p, strlen(*p) + 1) : NULL;
}

/* Sets the pointers of the copy: what they point to follows it, in the order of put_sample(). */
static struct sample *take_sample(char **p)
{
	struct sample *s = take(p, sizeof(*s));
	struct sample_value *values;

	s->comm = take_text(p, s->comm);
	for (int i = 0; i < CHAIN_KINDS; i++)
		s->chains[i].ips = take(p, s->chains[i].n * sizeof(*s->chains[i].ips));
	values = take(p, s->nr_values * sizeof(*values));
	for (uint32_t i = 0; i < s->nr_values; i++) {
		values[i].text = take_text(p, values[i].text);
		if (values[i].bytes)
			values[i].bytes = take(p, values[i].nr_bytes);
	}
	s->values = values;
	s->sched = NULL;
	s->call = NULL;
	s->fields = NULL;
	return s;
}

static int replay_sample(char *p, uint64_t since_ns, struct sink *to, uint64_t *nr_samples)
{
	struct sample *s = take_sample(&p);

	if (s->waker)
		s->waker = take_sample(&p);
	if (s->time_ns < since_ns)
		return 0;
	++*nr_samples;
	return to->sample(to, s);
}

static int replay_task(char *p, struct sink *to)
{
	struct task_event *t = take(&p, sizeof(*t));

	t->namespaces = take(&p, t->nr_namespaces * sizeof(*t->namespaces));
	t->comm = take_text(&p, t->comm);
	t->path = take_text(&p, t->path);
	return to->task(to, t);
}

static int replay_lost(char *p, uint64_t since_ns, struct sink *to)
{
	const struct lost *lost = take(&p, sizeof(*lost));

	return lost->time_ns < since_ns || !to->lost ? 0 : to->lost(to, lost->n);
}

static int replay(struct span *span, uint64_t since_ns, struct sink *to, uint64_t *nr_samples)
{
	int ret = 0;

	for (size_t at = 0; at < span->bytes.n && !ret;) {
		struct entry *e = (struct entry *)(span->bytes.data + at);
		char *p = (char *)(e + 1);

		if (e->kind == ENTRY_SAMPLE)
			ret = replay_sample(p, since_ns, to, nr_samples);
		else if (e->kind == ENTRY_TASK)
			ret = replay_task(p, to);
		else if (e->kind == ENTRY_LOST)
			ret = replay_lost(p, since_ns, to);
		else if (to->round)
			ret = to->round(to);
		at += e->size;
	}
	return ret;
}

int lastspan_replay(struct lastspan *l, uint64_t since_ns, struct sink *to, uint64_t *ret_samples, uint64_t *ret_from_ns)
{
	int ret;

	*ret_samples = 0;
	ret = replay(&l->older, since_ns, to, ret_samples);

	*ret_from_ns = l->older.begun_ns > since_ns ? l->older.begun_ns : since_ns;
	return ret ? ret : replay(&l->newer, since_ns, to, ret_samples);
}
