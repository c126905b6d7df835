/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A record is a row in 64-bit words: flags, label, a word a column, 40 for a histogram, 8 for reasons. A minimum is kept as its complement,
 * so that the larger one counts as of maxima, and 0 is none. Texts are interned: equal ones
 * have one address.
 */
#include "model/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/hash.h"
#include "util/num.h"

enum { WORD_RANK, WORD_LABEL, WORD_NONE, WORDS_HEAD };

#define WORDS_REASONS (REASONS_MAX * sizeof(struct reason) / sizeof(uint64_t))

static bool is_made(const struct column *c)
{
	return c->role >= ROLE_MEAN;
}

static bool is_extreme(const struct column *c)
{
	return c->role == ROLE_MAX || c->role == ROLE_MIN;
}

static size_t words_of(const struct column *c)
{
	return c->kind == VALUE_HIST ? HIST_SLOTS : c->kind == VALUE_REASONS ? WORDS_REASONS : 1;
}

static bool is_key(const struct table *t, size_t i)
{
	return t->keys >> i & 1;
}

int table_init(struct table *t, const struct schema *schema, uint64_t keys)
{
	size_t at = WORDS_HEAD;

	*t = (struct table){ .schema = schema, .keys = keys, .pool = strpool_new() };
	for (size_t i = 0; i < schema->n; i++) {
		t->at[i] = at;
		at += words_of(&schema->columns[i]);
	}
	t->stride = at;
	return t->pool && vec_take(&t->scratch, t->stride) ? 0 : -ENOMEM;
}

static void index_free(struct table_index *x)
{
	vec_free(&x->words);
	map_free(&x->by_key);
}

void table_free(struct table *t)
{
	strpool_free(t->pool);
	index_free(&t->rows);
	index_free(&t->totals);
	vec_free(&t->before);
	vec_free(&t->scratch);
	vec_free(&t->sorted);
	vec_free(&t->values);
}

static uint64_t *record(const struct table *t, const struct table_index *x, size_t i)
{
	return x->words.data + i * t->stride;
}

/* Keys are equal where these words are. */
static uint64_t key_hash(const struct table *t, const uint64_t *rec)
{
	uint64_t h = hash_pair(rec[WORD_RANK], rec[WORD_LABEL]);

	for (size_t i = 0; i < t->schema->n; i++)
		h = is_key(t, i) ? hash_pair(h, rec[t->at[i]]) : h;
	return h;
}

static bool key_same(const struct table *t, const uint64_t *a, const uint64_t *b)
{
	if (a[WORD_RANK] != b[WORD_RANK] || a[WORD_LABEL] != b[WORD_LABEL])
		return false;
	for (size_t i = 0; i < t->schema->n; i++)
		if (is_key(t, i) && a[t->at[i]] != b[t->at[i]])
			return false;
	return true;
}

/* Keeps the first n records. map_add() has the memory: there were as many. */
static void index_keep(const struct table *t, struct table_index *x, size_t n)
{
	x->n = n;
	map_clear(&x->by_key);
	for (size_t i = 0; i < n; i++)
		map_add(&x->by_key, key_hash(t, record(t, x, i)), i);
}

/* The record with this key; of a new one all other words are 0. NULL without memory. */
static uint64_t *find_record(const struct table *t, struct table_index *x, const uint64_t *key)
{
	uint64_t hash = key_hash(t, key), *rec;

	map_each(i, &x->by_key, hash)
		if (key_same(t, record(t, x, i), key))
			return record(t, x, i);
	x->words.n = x->n * t->stride;
	rec = vec_take(&x->words, t->stride);
	if (!rec || map_add(&x->by_key, hash, x->n))
		return NULL;
	memset(rec, 0, t->stride * sizeof(*rec));
	memcpy(rec, key, WORDS_HEAD * sizeof(*rec));
	for (size_t i = 0; i < t->schema->n; i++)
		if (is_key(t, i))
			rec[t->at[i]] = key[t->at[i]];
	x->n++;
	return rec;
}

static uint64_t text_word(struct table *t, const char *text, bool *lacks)
{
	const char *own = text ? strpool_add(t->pool, text) : NULL;

	*lacks |= text && !own;
	return (uintptr_t)own;
}

static const char *word_text(uint64_t word)
{
	return (const char *)(uintptr_t)word;
}

/* The row as a record in scratch. 0 or -ENOMEM. */
static int take_row(struct table *t, const struct row *row)
{
	uint64_t *rec = t->scratch.data;
	bool lacks = false;

	memset(rec, 0, t->stride * sizeof(*rec));
	rec[WORD_RANK] = row->rank;
	rec[WORD_LABEL] = (uintptr_t)row->label;
	rec[WORD_NONE] = row->none;
	for (size_t i = 0; i < t->schema->n; i++) {
		const struct column *c = &t->schema->columns[i];
		const struct value *v = &row->values[i];

		if (is_made(c) || row->none >> i & 1 || (c->role == ROLE_KEY && !is_key(t, i)))
			continue;
		if (c->kind == VALUE_HIST && v->slots) {
			memcpy(rec + t->at[i], v->slots, HIST_SLOTS * sizeof(*rec));
		} else if (c->kind == VALUE_REASONS && v->reasons) {
			struct reason *r = (struct reason *)(rec + t->at[i]);

			memcpy(r, v->reasons, WORDS_REASONS * sizeof(*rec));
			for (int k = 0; k < REASONS_MAX; k++)
				r[k].name = word_text(text_word(t, r[k].name, &lacks));
		} else if (c->kind == VALUE_TEXT) {
			rec[t->at[i]] = text_word(t, v->text, &lacks);
		} else if (c->kind != VALUE_HIST && c->kind != VALUE_REASONS) {
			rec[t->at[i]] = c->role == ROLE_MIN ? ~v->num : v->num;
		}
	}
	return lacks ? -ENOMEM : 0;
}

/* The last place is of all other names, which are "...". */
static int add_reasons(struct table *t, struct reason *to, const struct reason *from)
{
	for (int k = 0; k < REASONS_MAX && from[k].name; k++) {
		const char *name = from[k].name;
		int i = 0;

		while (i < REASONS_MAX - 1 && to[i].name && to[i].name != name)
			i++;
		if (i == REASONS_MAX - 1)
			name = strpool_add(t->pool, "...");
		if (!name)
			return -ENOMEM;
		to[i].name = name;
		to[i].n += from[k].n;
	}
	return 0;
}

static int add_record(struct table *t, uint64_t *to, const uint64_t *from)
{
	uint64_t above = 0; /* bits of columns whose maximum, or minimum, is the newer one's */
	int ret = 0;

	for (size_t i = 0; i < t->schema->n; i++)
		if (is_extreme(&t->schema->columns[i]) && from[t->at[i]] > to[t->at[i]])
			above |= 1ull << i;
	to[WORD_NONE] |= from[WORD_NONE];
	for (size_t i = 0; i < t->schema->n && !ret; i++) {
		const struct column *c = &t->schema->columns[i];
		uint64_t *a = to + t->at[i];
		const uint64_t *b = from + t->at[i];

		switch (c->role) {
		case ROLE_INFO:
			*a = *b ? *b : *a;
			break;
		case ROLE_SUM:
			*a += *b;
			break;
		case ROLE_MAX:
		case ROLE_MIN:
			*a = above >> i & 1 ? *b : *a;
			break;
		case ROLE_AT:
			*a = above >> c->of & 1 ? *b : *a;
			break;
		case ROLE_HIST:
			for (int k = 0; k < HIST_SLOTS; k++)
				a[k] += b[k];
			break;
		case ROLE_REASONS:
			ret = add_reasons(t, (struct reason *)a, (const struct reason *)b);
			break;
		}
	}
	return ret;
}

static bool is_nothing(const struct table *t, const uint64_t *rec)
{
	if (t->schema->count >= 0)
		return !rec[t->at[t->schema->count]];
	for (size_t i = 0; i < t->schema->n; i++)
		if (t->schema->columns[i].role == ROLE_SUM && rec[t->at[i]])
			return false;
	return true;
}

/* From a histogram what its maximum is at most: the end of its last slot. */
static uint64_t most_of(const struct column *c, const uint64_t *slots)
{
	int last = -1;

	for (int k = 0; k < HIST_SLOTS; k++)
		last = slots[k] ? k : last;
	if (last == HIST_SLOTS - 1) /* which has no end */
		return UINT64_MAX;
	return last < 0 || (c->axis && c->axis->is_linear) ? 0 : (2ull << last) - 1;
}

/* And what its minimum is at least: the begin of its first slot. */
static uint64_t least_of(const struct column *c, const uint64_t *slots)
{
	for (int k = 0; k < HIST_SLOTS && !(c->axis && c->axis->is_linear); k++)
		if (slots[k])
			return hist_slot_begin(NULL, k);
	return UINT64_MAX;
}

/* What is new of a key with totals since `before`, in scratch. */
static uint64_t *take_new(struct table *t, const uint64_t *now, const uint64_t *before)
{
	uint64_t *d = t->scratch.data;

	memcpy(d, now, t->stride * sizeof(*d));
	for (size_t i = 0; i < t->schema->n; i++) {
		const struct column *c = &t->schema->columns[i];
		size_t at = t->at[i];

		if (c->role == ROLE_SUM)
			d[at] = num_grown(now[at], before[at]);
		for (int k = 0; c->role == ROLE_HIST && k < HIST_SLOTS; k++)
			d[at + k] = num_grown(now[at + k], before[at + k]);
	}
	for (size_t i = 0; i < t->schema->n; i++) {
		const struct column *c = &t->schema->columns[i];
		size_t at = t->at[i];

		if (c->role == ROLE_AT && now[t->at[c->of]] <= before[t->at[c->of]])
			d[at] = 0;
		if (!is_extreme(c) || now[at] > before[at])
			continue;
		if (c->role == ROLE_MIN)
			d[at] = c->of >= 0 ? ~least_of(&t->schema->columns[c->of], d + t->at[c->of]) : 0;
		else
			d[at] = c->of >= 0 ? most_of(&t->schema->columns[c->of], d + t->at[c->of]) : 0;
		d[at] = d[at] > now[at] ? now[at] : d[at];
	}
	return d;
}

static int add_to(struct table *t, struct table_index *x, const uint64_t *rec)
{
	uint64_t *to = find_record(t, x, rec);

	return to ? add_record(t, to, rec) : -ENOMEM;
}

/* Without totals no text is needed any more: those of a long run, addresses say, are not kept. */
static void begin_round(struct table *t)
{
	struct strpool *pool;

	t->is_ended = false;
	if (t->is_sum)
		return;
	pool = t->totals.n ? NULL : strpool_new();
	if (pool) {
		strpool_free(t->pool);
		t->pool = pool;
	}
	index_keep(t, &t->rows, 0);
}

int table_add(struct table *t, const struct row *row)
{
	if (t->is_ended)
		begin_round(t);
	if (take_row(t, row))
		return -ENOMEM;
	if (row->is_total)
		return add_to(t, &t->totals, t->scratch.data);
	return is_nothing(t, t->scratch.data) ? 0 : add_to(t, &t->rows, t->scratch.data);
}

/* Totals to rows. Those that were not delivered have left the kernel. */
static int end_totals(struct table *t)
{
	size_t all = t->totals.n, known = t->before.n / t->stride, kept = 0;
	uint64_t *more = all > known ? vec_take(&t->before, (all - known) * t->stride) : NULL;

	if (all > known && !more)
		return -ENOMEM;
	if (more)
		memset(more, 0, (all - known) * t->stride * sizeof(*more));
	for (size_t i = 0; i < all; i++) {
		uint64_t *now = record(t, &t->totals, i), *before = t->before.data + i * t->stride;
		const uint64_t *d;

		if (is_nothing(t, now))
			continue;
		d = take_new(t, now, before);
		if (!is_nothing(t, d)) {
			if (add_to(t, &t->rows, d))
				return -ENOMEM;
			before = now; /* what counts for nothing yet comes with the next that does: rounds add up to the whole */
		}
		memmove(t->before.data + kept * t->stride, before, t->stride * sizeof(*before));
		memmove(record(t, &t->totals, kept), now, t->stride * sizeof(*now));
		now = record(t, &t->totals, kept++);
		for (size_t k = 0; k < t->schema->n; k++) /* the next round delivers it anew */
			if (t->schema->columns[k].role != ROLE_KEY)
				memset(now + t->at[k], 0, words_of(&t->schema->columns[k]) * sizeof(*now));
	}
	t->before.n = kept * t->stride;
	if (kept < all)
		index_keep(t, &t->totals, kept);
	return 0;
}

static int key_order(const struct row *a, const struct row *b, uint64_t keys)
{
	int order = 0;

	for (size_t i = 0; i < a->schema->n && !order; i++) {
		const struct value *x = &a->values[i], *y = &b->values[i];

		if (!(keys >> i & 1))
			continue;
		if (a->schema->columns[i].kind == VALUE_TEXT)
			order = strverscmp(x->text ? x->text : "", y->text ? y->text : "");
		else if (a->schema->columns[i].kind == VALUE_SIGNED)
			order = (int64_t)x->num < (int64_t)y->num ? -1 : (int64_t)x->num > (int64_t)y->num;
		else
			order = x->num < y->num ? -1 : x->num > y->num;
	}
	return order;
}

struct order {
	size_t column;
	uint64_t keys;
};

static int compare(const void *x, const void *y, void *arg)
{
	const struct row *a = x, *b = y;
	const struct order *o = arg;
	double of_a, of_b;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	of_a = row_number(a, o->column, 1);
	of_b = row_number(b, o->column, 1);
	return of_a != of_b ? of_a < of_b ? 1 : -1 : key_order(a, b, o->keys);
}

int table_round(struct table *t, int sort)
{
	struct order order = { (size_t)sort, t->keys };
	size_t n = t->schema->n;

	if (t->is_ended) /* no row came */
		begin_round(t);
	if (end_totals(t))
		return -ENOMEM;
	t->is_ended = true;
	t->sorted.n = t->values.n = 0;
	if (!t->rows.n)
		return 0;
	if (!vec_take(&t->sorted, t->rows.n) || !vec_take(&t->values, t->rows.n * n))
		return -ENOMEM;
	for (size_t r = 0; r < t->rows.n; r++) {
		uint64_t *rec = record(t, &t->rows, r);
		struct value *values = t->values.data + r * n;

		for (size_t i = 0; i < n; i++) {
			const struct column *c = &t->schema->columns[i];

			if (c->kind == VALUE_HIST)
				values[i].slots = rec + t->at[i];
			else if (c->kind == VALUE_REASONS)
				values[i].reasons = (const struct reason *)(rec + t->at[i]);
			else if (c->kind == VALUE_TEXT)
				values[i].text = word_text(rec[t->at[i]]);
			else
				values[i].num = c->role == ROLE_MIN ? ~rec[t->at[i]] : rec[t->at[i]];
		}
		t->sorted.data[r] = (struct row){ .schema = t->schema, .values = values, .none = rec[WORD_NONE],
						  .label = word_text(rec[WORD_LABEL]), .rank = (uint8_t)rec[WORD_RANK] };
	}
	qsort_r(t->sorted.data, t->sorted.n, sizeof(*t->sorted.data), compare, &order);
	return 0;
}
