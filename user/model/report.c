/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rows by key over an open-addressed index. */
#include "model/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sample.h"
#include "util/hash.h"

#define FIRST_SLOTS 1024

const struct report_key_row report_keys[KEY_MAX] = {
	[KEY_COMM] = { "comm", NULL, "Command" }, [KEY_PID] = { "pid", NULL, "Pid" },
	[KEY_TID] = { "tid", NULL, "Tid" },	  [KEY_CPU] = { "cpu", NULL, "CPU" },
	[KEY_DSO] = { "dso", "obj", "Shared Object" }, [KEY_SYM] = { "sym", "symbol", "Symbol" },
	[KEY_EVENT] = { "event", NULL, "Event" },
};

static int add_key(struct report *t, const char *word, size_t len)
{
	for (int i = 0; i < KEY_MAX; i++) {
		const char *names[] = { report_keys[i].name, report_keys[i].alias };

		for (int k = 0; k < 2; k++)
			if (names[k] && strlen(names[k]) == len && !strncmp(names[k], word, len)) {
				if (t->with[i])
					return 0;
				t->keys[t->nr_keys++] = (enum report_key)i;
				t->with[i] = true;
				return 0;
			}
	}
	return -EINVAL;
}

int report_init(struct report *t, const char *sort, bool want_callers, struct err *err)
{
	*t = (struct report){ .want_callers = want_callers, .nr_slots = FIRST_SLOTS };
	for (const char *at = sort;; at++) {
		size_t len = strcspn(at, ",");
		int ret = add_key(t, at, len);

		if (ret) {
			err_exit(err, ret, EXIT_USAGE, "bad sort key in '%s': expected comm, pid, tid, cpu, dso, sym or event",
				 sort);
			err_caret(err, sort, at - sort);
			return ret;
		}
		at += len;
		if (!*at)
			break;
	}
	t->slots = calloc(t->nr_slots, sizeof(*t->slots));
	return t->slots ? 0 : -ENOMEM;
}

void report_free(struct report *t)
{
	for (size_t i = 0; i < t->rows.n; i++)
		if (t->rows.data[i].callers) {
			tree_free(t->rows.data[i].callers);
			free(t->rows.data[i].callers);
		}
	vec_free(&t->rows);
	free(t->slots);
	t->slots = NULL;
}

/* Of the keys that all frames of a sample have in common. */
static uint64_t sample_hash(const struct report_row *r)
{
	return hash_pair(hash_pair((uintptr_t)r->comm, (uint64_t)r->pid << 32 | r->tid), (uint64_t)r->cpu << 32 | r->event);
}

static uint32_t row_hash(const struct report_row *r, uint64_t sample)
{
	return (uint32_t)hash_u64(sample ^ (uintptr_t)r->sym ^ ((uintptr_t)r->dso << 20) ^ r->kind ^ r->is_kernel);
}

static bool row_same(const struct report_row *a, const struct report_row *b)
{
	return a->comm == b->comm && a->dso == b->dso && a->sym == b->sym && a->pid == b->pid && a->tid == b->tid &&
	       a->cpu == b->cpu && a->event == b->event && a->kind == b->kind && a->is_kernel == b->is_kernel;
}

static int grow(struct report *t)
{
	uint32_t n = t->nr_slots * 2;
	uint32_t *slots = calloc(n, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < t->rows.n; i++) {
		uint32_t at = row_hash(&t->rows.data[i], sample_hash(&t->rows.data[i])) & (n - 1);

		while (slots[at])
			at = (at + 1) & (n - 1);
		slots[at] = i + 1;
	}
	free(t->slots);
	t->slots = slots;
	t->nr_slots = n;
	return 0;
}

/* Index of the row with these keys, made if new; -ENOMEM. */
static long find_row(struct report *t, const struct report_row *key, uint64_t sample)
{
	uint32_t at = row_hash(key, sample) & (t->nr_slots - 1);

	for (; t->slots[at]; at = (at + 1) & (t->nr_slots - 1))
		if (row_same(&t->rows.data[t->slots[at] - 1], key))
			return t->slots[at] - 1;
	if (vec_reserve(&t->rows))
		return -ENOMEM;
	t->rows.data[t->rows.n++] = *key;
	t->slots[at] = t->rows.n;
	if (t->rows.n * 2 > t->nr_slots && grow(t))
		return -ENOMEM;
	return t->rows.n - 1;
}

/* The key values that all frames of a sample have in common. */
static struct report_row sample_key(const struct report *t, const struct named *named)
{
	const struct sample *s = named->at;

	return (struct report_row){
		.comm = t->with[KEY_COMM] ? named->comm : NULL,
		.pid = t->with[KEY_PID] ? s->pid : 0,
		.tid = t->with[KEY_TID] ? s->tid : 0,
		.cpu = t->with[KEY_CPU] ? s->cpu : 0,
		.event = t->with[KEY_EVENT] ? s->event : 0,
	};
}

/* And those of frame f. */
static void frame_key(const struct report *t, const struct frame *f, struct report_row *r)
{
	if (t->with[KEY_DSO])
		r->dso = f->obj;
	if (!t->with[KEY_SYM])
		return;
	r->sym = f->name;
	r->kind = f->kind == FRAME_INLINED ? FRAME_USER : f->kind;
	r->is_kernel = f->is_kernel;
}

static int add_callers(struct report_row *r, const struct sample *s, const struct stack *st)
{
	if (!r->callers) {
		r->callers = malloc(sizeof(*r->callers));
		if (!r->callers)
			return -ENOMEM;
		if (tree_init(r->callers)) {
			free(r->callers);
			r->callers = NULL;
			return -ENOMEM;
		}
	}
	return tree_add(r->callers, st->frames + 1, st->n - 1, s->weight, s->count);
}

int report_add(struct report *t, const struct named *named)
{
	static const struct frame nothing = { .kind = FRAME_UNKNOWN };
	const struct sample *s = named->at;
	const struct stack *st = named->stack;
	struct report_row key = sample_key(t, named);
	uint64_t hash = sample_hash(&key);

	t->samples++;
	for (uint32_t i = 0; i < st->n || i == 0; i++) {
		const struct frame *f = st->n ? &st->frames[i] : &nothing;
		struct report_row *r;
		long at;

		if (f->kind == FRAME_MARK && i > 0)
			continue;
		frame_key(t, f, &key);
		at = find_row(t, &key, hash);
		if (at < 0)
			return at;
		r = &t->rows.data[at];
		if (i == 0) {
			r->self += s->weight;
			r->self_count += s->count;
			if (t->want_callers && st->n > 1 && add_callers(r, s, st))
				return -ENOMEM;
		}
		if (r->mark == t->samples)
			continue;
		r->mark = t->samples;
		r->total += s->weight;
		r->total_count += s->count;
	}
	return 0;
}

static int name_cmp(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int row_cmp(const struct report_row *x, const struct report_row *y, bool by_total)
{
	uint64_t a[2] = { by_total ? x->total : x->self, by_total ? x->self : x->total };
	uint64_t b[2] = { by_total ? y->total : y->self, by_total ? y->self : y->total };
	int c;

	for (int i = 0; i < 2; i++)
		if (a[i] != b[i])
			return a[i] > b[i] ? -1 : 1;
	if ((c = name_cmp(x->sym, y->sym)) || (c = name_cmp(x->comm, y->comm)) || (c = name_cmp(x->dso, y->dso)))
		return c;
	return x->pid != y->pid ? (x->pid < y->pid ? -1 : 1) : x->tid < y->tid ? -1 : x->tid > y->tid;
}

static int cmp_self(const void *a, const void *b)
{
	return row_cmp(a, b, false);
}

static int cmp_total(const void *a, const void *b)
{
	return row_cmp(a, b, true);
}

void report_sort(struct report *t, bool by_total)
{
	if (t->rows.n)
		qsort(t->rows.data, t->rows.n, sizeof(*t->rows.data), by_total ? cmp_total : cmp_self);
	/* The index no longer fits the rows: nothing may be added after this. */
	free(t->slots);
	t->slots = NULL;
	t->nr_slots = 0;
	for (size_t i = 0; i < t->rows.n; i++)
		if (t->rows.data[i].callers)
			tree_sort(t->rows.data[i].callers, 0);
}
