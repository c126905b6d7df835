/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "model/fold.h"

#include <stdio.h>
#include <string.h>

#include "sample.h"

/* name: interned. */
static struct frame mark(struct fold *f, const char *name)
{
	return (struct frame){ .name = name, .obj = strpool_add(f->pool, ""), .kind = FRAME_MARK };
}

static struct frame root(struct fold *f, const struct named *n)
{
	char text[COMM_FILE_LEN + 32];

	if (f->root == ROOT_COMM)
		return mark(f, n->comm);
	if (f->root == ROOT_PID)
		snprintf(text, sizeof(text), "%s (%d)", n->comm, (int)n->at->pid);
	else
		snprintf(text, sizeof(text), "%s (%d/%d)", n->comm, (int)n->at->pid, (int)n->at->tid);
	return mark(f, strpool_add(f->pool, text));
}

/* The waker stands on top of whom it woke, with its leaf below: what both did meets in the middle. Returns how many frames. */
static uint32_t add_waker(struct fold *f, const struct named *n, struct frame *down)
{
	char text[64];

	snprintf(text, sizeof(text), "[woken by %s]", n->at->waker->comm);
	down[0] = mark(f, strpool_add(f->pool, text));
	memcpy(down + 1, n->waker->frames, n->waker->n * sizeof(*down));
	return 1 + n->waker->n;
}

static int add_tree(struct fold *f, const struct named *named, struct tree *tree)
{
	uint32_t n = 0;

	for (int i = 0; i < LABEL_MAX; i++)
		if (f->labels >> i & 1)
			f->down[n++] = mark(f, named->at->labels && named->at->labels[i] ? named->at->labels[i] : strpool_add(f->pool, "[none]"));
	if (f->root != ROOT_NONE)
		f->down[n++] = root(f, named);
	for (uint32_t i = named->stack->n; i-- > 0;)
		f->down[n++] = named->stack->frames[i];
	if (named->waker)
		n += add_waker(f, named, &f->down[n]);
	return tree_add(tree, f->down, n, named->at->weight, named->at->count);
}

static int choose(struct fold *f, const struct sample *s, struct fold_view **ret_view)
{
	*ret_view = &f->view;
	return f->choose ? f->choose(f->choose_arg, s->event, ret_view) : 0;
}

/* What cannot be chosen for lack of memory is wanted: fold_sample() returns the error. */
static bool fold_wants(struct named_sink *sink, const struct sample *s)
{
	struct fold_view *v;

	return choose((struct fold *)sink, s, &v) || v;
}

static int fold_sample(struct named_sink *sink, const struct named *n)
{
	struct fold *f = (struct fold *)sink;
	const struct sample *s = n->at;
	struct fold_view *v;
	int ret = choose(f, s, &v);

	if (ret || !v)
		return ret;
	if (!v->first_ns || s->time_ns < v->first_ns)
		v->first_ns = s->time_ns;
	if (s->time_ns > v->last_ns)
		v->last_ns = s->time_ns;
	v->profile->weight += s->weight;
	v->folded += s->count;
	stack_losses(n->stack, s->count, v->profile->losses);
	if (n->waker && v->tree)
		stack_losses(n->waker, s->count, v->profile->losses);
	if (v->tree)
		ret = add_tree(f, n, v->tree);
	if (!ret && v->tree && v->slices)
		ret = slices_add(v->slices, s, n->comm, tree_last(v->tree));
	if (!ret && v->table)
		ret = report_add(v->table, n);
	return !ret && f->also ? f->also(f->also_arg, v, n) : ret;
}

static int fold_lost(struct named_sink *sink, uint64_t n)
{
	((struct fold *)sink)->view.profile->losses[LOSS_FILE] += n;
	return 0;
}

void fold_init(struct fold *f, struct strpool *pool)
{
	memset(f, 0, offsetof(struct fold, down));
	f->sink = (struct named_sink){ .wants = fold_wants, .sample = fold_sample, .lost = fold_lost };
	f->pool = pool;
}

enum fold_root fold_root_of(const struct report_layout *l)
{
	return l->with[KEY_TID] ? ROOT_TID : l->with[KEY_PID] ? ROOT_PID : l->with[KEY_COMM] ? ROOT_COMM : ROOT_NONE;
}
