/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "model/series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/hash.h"

int series_init(struct series *s, size_t max)
{
	*s = (struct series){ .max = max, .pool = strpool_new() };
	return s->pool ? 0 : -ENOMEM;
}

void series_free(struct series *s)
{
	for (size_t i = 0; i < s->values.n; i++)
		free(s->values.data[i].slots);
	vec_free(&s->values);
	vec_free(&s->families);
	map_free(&s->by_key);
	if (s->pool)
		strpool_free(s->pool);
	s->pool = NULL;
}

static int nr_labels(const struct series_family *f)
{
	int n = 0;

	while (n < SERIES_LABELS_MAX && f->labels[n])
		n++;
	return n;
}

static const char *text_of(const char *const *texts, int i)
{
	return texts && texts[i] ? texts[i] : "";
}

static uint64_t hash_of(const struct series_family *f, const char *const *texts)
{
	uint64_t hash = hash_u64((uintptr_t)f);

	for (int i = 0; i < nr_labels(f); i++)
		hash = hash_pair(hash, hash_bytes(text_of(texts, i), strlen(text_of(texts, i))));
	return hash;
}

static struct series_value *lookup(struct series *s, const struct series_family *f, const char *const *texts)
{
	int n = nr_labels(f);

	map_each(at, &s->by_key, hash_of(f, texts)) {
		struct series_value *v = &s->values.data[at];
		bool is_it = v->family == f;

		for (int i = 0; i < n && is_it; i++)
			is_it = !strcmp(v->texts[i], text_of(texts, i));
		if (is_it)
			return v;
	}
	return NULL;
}

static size_t lines_of(const struct series_family *f)
{
	return f->kind == SERIES_HIST ? SERIES_HIST_LINES : 1;
}

/* Are its values among those that the limit counts, but for "other"? */
static bool has_limit(const struct series_family *f)
{
	return nr_labels(f) && !f->is_exempt;
}

static bool is_limited(const struct series_value *v)
{
	return has_limit(v->family) && strcmp(v->texts[0], SERIES_OTHER);
}

static struct series_value *make(struct series *s, const struct series_family *f, const char *const *texts)
{
	struct series_value v = { .family = f };
	bool is_new = true;

	for (int i = 0; i < nr_labels(f); i++)
		if (!(v.texts[i] = strpool_add(s->pool, text_of(texts, i))))
			return NULL;
	for (size_t i = 0; i < s->families.n; i++)
		is_new &= s->families.data[i] != f;
	if (f->kind == SERIES_HIST && !(v.slots = calloc(HIST_SLOTS, sizeof(*v.slots))))
		return NULL;
	if ((is_new && vec_reserve(&s->families)) || vec_reserve(&s->values) || map_add(&s->by_key, hash_of(f, texts), s->values.n)) {
		free(v.slots);
		return NULL;
	}
	if (is_new)
		s->families.data[s->families.n++] = f;
	s->values.data[s->values.n] = v;
	s->nr_lines += is_limited(&v) ? lines_of(f) : 0;
	return &s->values.data[s->values.n++];
}

/* NULL: no memory. */
static struct series_value *find(struct series *s, const struct series_family *f, const char *const *texts)
{
	static const char *const others[SERIES_LABELS_MAX] = { SERIES_OTHER, SERIES_OTHER, SERIES_OTHER };
	struct series_value *found = lookup(s, f, texts);

	if (!found && has_limit(f) && s->nr_lines + lines_of(f) > s->max) {
		s->beyond++;
		texts = others;
		found = lookup(s, f, texts);
	}
	found = found ? found : make(s, f, texts);
	if (found)
		found->round = s->round;
	return found;
}

int series_add(struct series *s, const struct series_family *f, const char *const *texts, uint64_t n)
{
	struct series_value *v = find(s, f, texts);

	if (!v)
		return -ENOMEM;
	v->n += n;
	return 0;
}

int series_add_hist(struct series *s, const struct series_family *f, const char *const *texts, const uint64_t *slots, uint64_t sum)
{
	struct series_value *v = find(s, f, texts);

	if (!v)
		return -ENOMEM;
	v->n += sum;
	for (int i = 0; i < HIST_SLOTS; i++)
		v->slots[i] += slots[i];
	return 0;
}

/* Texts stay in the pool: of a machine's units and calls there is an end, but for names that are made anew each time. */
int series_round(struct series *s, uint64_t idle)
{
	size_t kept = 0;

	s->round++;
	if (s->nr_lines + SERIES_HIST_LINES <= s->max)
		return 0;
	map_clear(&s->by_key);
	s->nr_lines = 0;
	for (size_t i = 0; i < s->values.n; i++) {
		struct series_value *v = &s->values.data[i];

		if (is_limited(v) && v->round + idle < s->round) {
			free(v->slots);
			continue;
		}
		if (map_add(&s->by_key, hash_of(v->family, v->texts), kept))
			return -ENOMEM;
		s->nr_lines += is_limited(v) ? lines_of(v->family) : 0;
		s->values.data[kept++] = *v;
	}
	s->values.n = kept;
	return 0;
}

int series_set(struct series *s, const struct series_family *f, const char *const *texts, uint64_t n)
{
	struct series_value *v = find(s, f, texts);

	if (!v)
		return -ENOMEM;
	if (f->kind == SERIES_GAUGE || n > v->n)
		v->n = n;
	return 0;
}
