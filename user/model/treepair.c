/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "model/treepair.h"

#include <errno.h>
#include <string.h>

#include "model/report.h"

/* One side, while it is added. */
struct side {
	struct strpool *pool;
	struct tree_frames stack;
	VEC(const char *) objs; /* by node: the last part of its object's path */
};

static const char *last_part(struct side *s, const char *obj)
{
	const char *last = obj ? report_object(obj) : NULL;

	return last == obj ? obj : strpool_add(s->pool, last);
}

/* A node's parent has a smaller number. */
static int name_objects(struct side *s, const struct tree *tree)
{
	const struct tree_node *nodes = tree->nodes.data;

	for (size_t i = 0; i < tree->nodes.n; i++) {
		if (vec_reserve(&s->objs))
			return -ENOMEM;
		if (i && nodes[nodes[i].parent].obj == nodes[i].obj)
			s->objs.data[i] = s->objs.data[nodes[i].parent];
		else
			s->objs.data[i] = last_part(s, nodes[i].obj);
		if (nodes[i].obj && !s->objs.data[i])
			return -ENOMEM;
		s->objs.n++;
	}
	return 0;
}

/* What differs between builds is left out of the stack's frames: where an object lies, and whether a function is inlined. */
static void plain(struct side *s, const struct tree *tree, uint32_t leaf)
{
	size_t at = s->stack.frames.n;

	for (uint32_t i = leaf; i; i = tree->nodes.data[i].parent) {
		struct frame *f = &s->stack.frames.data[--at];

		f->obj = s->objs.data[i];
		f->kind = f->kind == FRAME_INLINED ? FRAME_USER : f->kind;
	}
}

/* The node of a stack that was just added. */
static struct tree_before *before_of(struct treepair *pair)
{
	uint32_t leaf = pair->tree.path.n ? pair->tree.path.data[pair->tree.path.n - 1] : 0;

	while (pair->before.n < pair->tree.nodes.n) {
		if (vec_reserve(&pair->before))
			return NULL;
		pair->before.data[pair->before.n++] = (struct tree_before){ 0 };
	}
	return &pair->before.data[leaf];
}

static int add_side(struct treepair *pair, const struct tree *tree, struct strpool *pool, bool is_before)
{
	struct side s = { .pool = pool };
	int ret = name_objects(&s, tree);

	for (uint32_t i = 0; i < tree->nodes.n && !ret; i++) {
		const struct tree_node *n = &tree->nodes.data[i];
		struct tree_before *before;
		int64_t depth;

		if (!n->self && !n->self_count)
			continue;
		depth = tree_stack(tree, i, &s.stack);
		if (depth < 0) {
			ret = -ENOMEM;
			break;
		}
		plain(&s, tree, i);
		ret = tree_add(&pair->tree, s.stack.frames.data, (uint32_t)depth, is_before ? 0 : n->self, is_before ? 0 : n->self_count);
		before = ret ? NULL : before_of(pair);
		if (!before) {
			ret = -ENOMEM;
		} else if (is_before) {
			before->self += n->self;
			before->self_count += n->self_count;
		}
	}
	vec_free(&s.stack.frames);
	vec_free(&s.objs);
	return ret;
}

int treepair_join(struct treepair *pair, const struct tree *before, const struct tree *after, struct strpool *pool)
{
	struct tree_before *at;
	int ret;

	memset(pair, 0, sizeof(*pair));
	ret = tree_init(&pair->tree);
	if (!ret)
		ret = add_side(pair, after, pool, false);
	if (!ret)
		ret = add_side(pair, before, pool, true);
	if (ret || !before_of(pair))
		return -ENOMEM;
	tree_end(&pair->tree, 0);
	at = pair->before.data;
	for (size_t i = 0; i < pair->before.n; i++) {
		at[i].total = at[i].self;
		at[i].total_count = at[i].self_count;
	}
	for (size_t i = pair->before.n; i-- > 1;) {
		struct tree_before *parent = &at[pair->tree.nodes.data[i].parent];

		parent->total += at[i].total;
		parent->total_count += at[i].total_count;
	}
	return 0;
}

void treepair_free(struct treepair *pair)
{
	tree_free(&pair->tree);
	vec_free(&pair->before);
}
