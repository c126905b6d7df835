/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "render/viewers/stacktable.h"

#include <errno.h>

#include "util/hash.h"

#define DEPTH_MAX 255u

static bool is_frame(const struct stack_frame *a, const struct frame *b, uint32_t depth)
{
	return a->name == b->name && a->obj == b->obj && a->line == b->line && a->file == b->file && a->kind == b->kind && a->depth == depth;
}

static uint64_t begin_of(const struct frame *f)
{
	uint64_t at = f->is_kernel ? f->addr : f->pos;

	return f->kind == FRAME_UNKNOWN || f->kind == FRAME_MARK || f->off > at ? 0 : at - f->off;
}

static int64_t frame_number(struct stacktable *t, const struct frame *f, uint32_t depth)
{
	uint64_t hash = hash_pair((uintptr_t)f->name ^ (uint64_t)f->line << 40, (uintptr_t)f->obj ^ (uint64_t)depth << 52);

	map_each(i, &t->by_frame, hash) {
		if (is_frame(&t->frames.data[i], f, depth))
			return i;
	}
	if (vec_reserve(&t->frames) || map_add(&t->by_frame, hash, t->frames.n))
		return -ENOMEM;
	t->frames.data[t->frames.n] = (struct stack_frame){ .name = f->name, .obj = f->obj, .file = f->file, .line = f->line, .kind = (uint8_t)f->kind,
							    .depth = (uint8_t)depth, .is_kernel = f->is_kernel, .pos = begin_of(f) };
	return (int64_t)t->frames.n++;
}

static int64_t node_number(struct stacktable *t, uint32_t parent, uint32_t frame)
{
	uint64_t hash = hash_u64((uint64_t)parent << 32 | frame); /* no two have one */
	int64_t found = map_find(&t->by_node, hash);

	if (found >= 0)
		return found;
	if (t->nodes.n >= STACK_NONE || vec_reserve(&t->nodes) || map_add(&t->by_node, hash, t->nodes.n))
		return -ENOMEM;
	t->nodes.data[t->nodes.n] = (struct stack_node){ parent, frame };
	return (int64_t)t->nodes.n++;
}

int64_t stacktable_add(struct stacktable *t, const struct frame *frames, uint32_t n)
{
	uint32_t parent = STACK_NONE, depth = 0, same = 0;

	for (uint32_t i = n; i-- > 0;) {
		const struct frame *f = &frames[i];
		uint32_t at = n - 1 - i;
		int64_t frame, node;

		depth = f->kind == FRAME_INLINED && depth < DEPTH_MAX ? depth + 1 : f->kind == FRAME_INLINED ? depth : 0;
		if (same == at && at < t->last.n && is_frame(&t->frames.data[t->nodes.data[t->last.data[at]].frame], f, depth)) {
			parent = t->last.data[at];
			same++;
			continue;
		}
		t->last.n = at < t->last.n ? at : t->last.n;
		frame = frame_number(t, f, depth);
		node = frame < 0 ? frame : node_number(t, parent, (uint32_t)frame);
		if (node < 0 || vec_reserve(&t->last))
			return -ENOMEM;
		parent = (uint32_t)node;
		t->last.data[t->last.n++] = parent;
	}
	return parent;
}

int64_t stacktable_path(const struct stacktable *t, uint32_t node, struct stack_path *ret_path)
{
	size_t n = 0, at;

	for (uint32_t i = node; i != STACK_NONE; i = t->nodes.data[i].parent)
		n++;
	ret_path->frames.n = 0;
	if (n && !vec_take(&ret_path->frames, n))
		return -ENOMEM;
	at = n;
	for (uint32_t i = node; i != STACK_NONE; i = t->nodes.data[i].parent)
		ret_path->frames.data[--at] = t->nodes.data[i].frame;
	return (int64_t)n;
}

void stacktable_free(struct stacktable *t)
{
	vec_free(&t->frames);
	vec_free(&t->nodes);
	vec_free(&t->last);
	map_free(&t->by_frame);
	map_free(&t->by_node);
}
