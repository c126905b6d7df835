/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "model/focus.h"

#include <errno.h>
#include <stdlib.h>

static struct frame frame_of(const struct tree_node *n)
{
	return (struct frame){ .name = n->name, .obj = n->obj, .file = n->file, .line = n->line, .kind = (uint16_t)n->kind };
}

/* The foot of a node's stack, as the root's child that it is below. */
static uint32_t foot_of(const struct tree *t, const uint32_t *foot, uint32_t node)
{
	uint32_t parent = t->nodes.data[node].parent;

	return parent == 0 ? node : foot[parent];
}

/* For each node the outermost one of its stack that is the function, or TREE_NONE. A parent comes before its children. */
static void find_outermost(const struct tree *t, bool has_foot, const struct focus_match *m, uint32_t *outermost, uint32_t *foot)
{
	outermost[0] = TREE_NONE;
	for (uint32_t i = 1; i < t->nodes.n; i++) {
		const struct tree_node *n = &t->nodes.data[i];
		bool is_foot = has_foot && n->parent == 0;

		foot[i] = foot_of(t, foot, i);
		outermost[i] = outermost[n->parent];
		if (outermost[i] != TREE_NONE || (m->is_root && !m->is_root(m->arg, t->nodes.data[foot[i]].name)))
			continue;
		if (m->is_node ? !is_foot && m->is_node(m->arg, n) : is_foot)
			outermost[i] = i;
	}
}

/* Frames from a node's caller on outwards, as the stack that callers make. */
static uint32_t callers_of(const struct tree *t, bool has_foot, uint32_t node, struct frame *ret_frames)
{
	uint32_t n = 0;

	for (uint32_t at = t->nodes.data[node].parent; at && at != TREE_NONE && n < STACK_FRAMES_MAX; at = t->nodes.data[at].parent)
		if (!has_foot || t->nodes.data[at].parent)
			ret_frames[n++] = frame_of(&t->nodes.data[at]);
	return n;
}

/* Frames from below `top` down to a node. */
static uint32_t callees_of(const struct tree *t, uint32_t top, uint32_t node, struct frame *ret_frames)
{
	uint32_t n = 0, depth = 0;

	for (uint32_t at = node; at != top; at = t->nodes.data[at].parent)
		depth++;
	for (uint32_t at = node; at != top; at = t->nodes.data[at].parent) {
		depth--;
		if (depth < STACK_FRAMES_MAX) {
			ret_frames[depth] = frame_of(&t->nodes.data[at]);
			n++;
		}
	}
	return n;
}

static int add_all(const struct tree *t, bool has_foot, const struct focus_match *m, const uint32_t *outermost, struct frame *frames, struct focus *f)
{
	int ret = 0;

	for (uint32_t i = 1; i < t->nodes.n && !ret; i++) {
		const struct tree_node *n = &t->nodes.data[i];
		uint32_t top = outermost[i];

		if (top == TREE_NONE)
			continue;
		if (m->is_node ? m->is_node(m->arg, n) : top == i) {
			f->self += n->self;
			f->self_count += n->self_count;
		}
		if (top == i) {
			f->total += n->total;
			f->total_count += n->total_count;
			ret = tree_add(&f->callers, frames, callers_of(t, has_foot, i, frames), n->total, n->total_count);
		}
		if (!ret && n->self_count)
			ret = tree_add(&f->callees, frames, callees_of(t, top, i, frames), n->self, n->self_count);
	}
	return ret;
}

int focus_make(const struct tree *tree, bool has_foot, const struct focus_match *match, struct focus *ret_focus)
{
	uint32_t *outermost, *foot;
	struct frame *frames;
	int ret;

	*ret_focus = (struct focus){ 0 };
	outermost = malloc(tree->nodes.n * sizeof(*outermost));
	foot = malloc(tree->nodes.n * sizeof(*foot));
	frames = malloc(STACK_FRAMES_MAX * sizeof(*frames));
	ret = tree_init(&ret_focus->callers) || tree_init(&ret_focus->callees) || !outermost || !foot || !frames ? -ENOMEM : 0;
	if (!ret) {
		find_outermost(tree, has_foot, match, outermost, foot);
		ret = add_all(tree, has_foot, match, outermost, frames, ret_focus);
	}
	free(outermost);
	free(foot);
	free(frames);
	if (ret)
		return ret;
	tree_end(&ret_focus->callers, 0);
	tree_end(&ret_focus->callees, 0);
	return 0;
}

void focus_free(struct focus *f)
{
	tree_free(&f->callers);
	tree_free(&f->callees);
}
