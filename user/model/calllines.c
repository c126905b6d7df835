/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "model/calllines.h"

#include <errno.h>
#include <string.h>

#include "util/hash.h"

#define OPEN_SHARE 0.1 /* of the function's weight: this much is open from the start, */
#define OPEN_DEPTH 12  /* so deep */

static uint64_t path_of(const struct tree *t, uint32_t node, uint64_t parent)
{
	const struct tree_node *n = &t->nodes.data[node];
	uint64_t parts[4] = { parent, (uintptr_t)n->name, (uintptr_t)n->obj, n->kind };

	return hash_bytes(parts, sizeof(parts));
}

static bool is_open(const struct call_lines *c, uint64_t path, bool by_itself)
{
	int64_t at = map_find(&c->turned, path);

	return at >= 0 ? c->is_open.data[at] : by_itself;
}

static int add(struct call_lines *c, struct call_line line)
{
	if (vec_reserve(&c->lines))
		return -ENOMEM;
	c->lines.data[c->lines.n++] = line;
	return 0;
}

/* The children of a node, and below each that is open its own. Trees are as deep as a stack: no deeper recursion than STACK_FRAMES_MAX. */
static int add_children(struct call_lines *c, const struct tree *t, uint32_t parent, uint64_t whole, struct call_line like)
{
	uint64_t above = like.path;
	int ret = 0;

	for (uint32_t i = t->nodes.data[parent].first_child; i != TREE_NONE && !ret; i = t->nodes.data[i].next_sibling) {
		const struct tree_node *n = &t->nodes.data[i];
		bool is_alone = n->total == t->nodes.data[parent].total;

		like.node = n;
		like.path = path_of(t, i, above);
		like.has_more = n->first_child != TREE_NONE;
		like.is_open = like.has_more && is_open(c, like.path, like.depth < OPEN_DEPTH && (is_alone || (double)n->total >= OPEN_SHARE * (double)whole));
		ret = add(c, like);
		if (!ret && like.is_open) {
			struct call_line below = like;

			below.depth++;
			ret = add_children(c, t, i, whole, below);
		}
	}
	return ret;
}

int call_lines_make(struct call_lines *c, const struct focus *f, bool callers_only)
{
	int ret;

	c->lines.n = 0;
	if (callers_only)
		return add_children(c, &f->callers, 0, f->total, (struct call_line){ .kind = CALL_CALLER, .path = CALL_CALLER });
	ret = add(c, (struct call_line){ .kind = CALL_FUNCTION, .path = CALL_FUNCTION });
	if (!ret)
		ret = add(c, (struct call_line){ .kind = CALL_CALLERS, .path = CALL_CALLERS });
	if (!ret)
		ret = add_children(c, &f->callers, 0, f->total, (struct call_line){ .kind = CALL_CALLER, .path = CALL_CALLER });
	if (!ret)
		ret = add(c, (struct call_line){ .kind = CALL_CALLEES, .path = CALL_CALLEES });
	return ret ? ret : add_children(c, &f->callees, 0, f->total, (struct call_line){ .kind = CALL_CALLEE, .path = CALL_CALLEE });
}

void call_lines_free(struct call_lines *c)
{
	vec_free(&c->lines);
	vec_free(&c->is_open);
	map_free(&c->turned);
}

int call_lines_turn(struct call_lines *c, uint64_t path, bool open)
{
	int64_t at = map_find(&c->turned, path);

	if (at < 0) {
		if (vec_reserve(&c->is_open) || map_add(&c->turned, path, c->is_open.n))
			return -ENOMEM;
		at = (int64_t)c->is_open.n++;
	}
	c->is_open.data[at] = open;
	return 0;
}
