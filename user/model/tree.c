/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * FOLD: stacks in, call tree out. Children are found through one open-addressed table over
 * (parent, name, obj, kind), so that a stack costs one probe a frame; and none for the outermost
 * frames that it has in common with the last one. The tree owns its arrays only; every string is
 * borrowed from the resolver.
 */
#include "model/tree.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "util/hash.h"

#define FIRST_SLOTS 64u
#define MAX_SLOTS (1u << 31)

/*
 * After the slots lies one counter a node: how much weight speaks for the node's source line
 * (majority vote: exact when one line has more than half, otherwise a heavy one).
 */
static uint64_t *line_votes(const struct tree *tree)
{
	return (uint64_t *)(tree->slots + tree->nr_slots);
}

static uint32_t *slots_alloc(uint32_t nr_slots)
{
	return calloc(nr_slots, sizeof(uint32_t) + sizeof(uint64_t));
}

static uint32_t slot_hash(uint32_t parent, const char *name, const char *obj, uint32_t kind)
{
	uint64_t h = ((uint64_t)(uintptr_t)name * 0x9e3779b97f4a7c15ULL) ^
		     ((uint64_t)(uintptr_t)obj * 0xc2b2ae3d27d4eb4fULL) ^
		     (((uint64_t)parent << 3 | kind) * 0x165667b19e3779f9ULL);

	return (h ^ h >> 29) * 0xbf58476d1ce4e5b9ULL >> 32;
}

int tree_init(struct tree *tree)
{
	struct tree_node *root;

	memset(tree, 0, sizeof(*tree));
	tree->slots = slots_alloc(FIRST_SLOTS);
	if (!tree->slots || vec_reserve(&tree->nodes)) {
		tree_free(tree);
		return -ENOMEM;
	}
	tree->nr_slots = FIRST_SLOTS;
	root = &tree->nodes.data[tree->nodes.n++];
	*root = (struct tree_node){
		.name = "all",
		.kind = FRAME_MARK,
		.parent = TREE_NONE,
		.first_child = TREE_NONE,
		.next_sibling = TREE_NONE,
	};
	return 0;
}

void tree_free(struct tree *tree)
{
	vec_free(&tree->nodes);
	vec_free(&tree->path);
	free(tree->slots);
	tree->slots = NULL;
	tree->nr_slots = 0;
}

static int slots_double(struct tree *tree)
{
	uint32_t want = tree->nr_slots * 2;
	uint32_t *slots;

	if (tree->nr_slots >= MAX_SLOTS)
		return -ENOMEM;
	slots = slots_alloc(want);
	if (!slots)
		return -ENOMEM;
	for (uint32_t i = 1; i < tree->nodes.n; i++) {
		const struct tree_node *node = &tree->nodes.data[i];
		uint32_t at = slot_hash(node->parent, node->name, node->obj, node->kind) & (want - 1);

		while (slots[at])
			at = (at + 1) & (want - 1);
		slots[at] = i;
	}
	memcpy(slots + want, line_votes(tree), tree->nodes.n * sizeof(uint64_t));
	free(tree->slots);
	tree->slots = slots;
	tree->nr_slots = want;
	return 0;
}

/* Room for n more nodes and a path of as many, so that a stack is added whole or not at all. */
static int make_room(struct tree *tree, uint32_t n)
{
	size_t want = tree->nodes.n + n;

	while (tree->nodes.cap < want)
		if (vec_grow((void **)&tree->nodes.data, &tree->nodes.cap, sizeof(*tree->nodes.data)))
			return -ENOMEM;
	while (tree->nr_slots / 2 < want)
		if (slots_double(tree))
			return -ENOMEM;
	while (tree->path.cap < n)
		if (vec_grow((void **)&tree->path.data, &tree->path.cap, sizeof(*tree->path.data)))
			return -ENOMEM;
	return 0;
}

static bool is_of(const struct tree_node *node, const struct frame *f)
{
	return node->name == f->name && node->obj == f->obj && node->kind == f->kind;
}

static uint32_t child_get(struct tree *tree, uint32_t parent, const struct frame *f)
{
	uint32_t mask = tree->nr_slots - 1, i = parent + 1, at;
	struct tree_node *node = &tree->nodes.data[i];

	if (i < tree->nodes.n && node->parent == parent && is_of(node, f)) /* of the stack that brought the parent: no cache miss */
		return i;
	at = slot_hash(parent, f->name, f->obj, f->kind) & mask;
	for (; (i = tree->slots[at]); at = (at + 1) & mask) {
		node = &tree->nodes.data[i];
		if (node->parent == parent && is_of(node, f))
			return i;
	}
	i = tree->nodes.n++;
	tree->slots[at] = i;
	node = &tree->nodes.data[i];
	*node = (struct tree_node){
		.name = f->name,
		.obj = f->obj,
		.kind = f->kind,
		.parent = parent,
		.first_child = TREE_NONE,
		.next_sibling = tree->nodes.data[parent].first_child,
	};
	tree->nodes.data[parent].first_child = i;
	return i;
}

static void line_vote(struct tree *tree, uint32_t i, const struct frame *f, uint64_t weight)
{
	struct tree_node *node = &tree->nodes.data[i];
	uint64_t *votes = &line_votes(tree)[i];

	if (node->file == f->file && node->line == f->line) {
		*votes += weight;
	} else if (!node->file || weight > *votes) {
		node->file = f->file;
		node->line = f->line;
		*votes = weight - *votes;
	} else {
		*votes -= weight;
	}
}

/* The nodes of these frames are the tree's path, which has room for them. */
static void follow(struct tree *tree, const struct frame *frames, uint32_t n)
{
	uint32_t *path = tree->path.data, at = 0, i = 0;

	while (i < n && i < tree->path.n && is_of(&tree->nodes.data[path[i]], &frames[i]))
		at = path[i++];
	for (; i < n; i++)
		at = path[i] = child_get(tree, at, &frames[i]);
	tree->path.n = n;
}

int tree_add(struct tree *tree, const struct frame *frames, uint32_t n, uint64_t weight, uint64_t count)
{
	struct tree_node *node;

	if ((tree->nodes.n + n > tree->nodes.cap || tree->nodes.n + n > tree->nr_slots / 2 || n > tree->path.cap) &&
	    make_room(tree, n))
		return -ENOMEM;
	follow(tree, frames, n);
	for (uint32_t i = 0; i < n; i++)
		if (frames[i].file)
			line_vote(tree, tree->path.data[i], &frames[i], weight);
	node = &tree->nodes.data[n ? tree->path.data[n - 1] : 0];
	node->self += weight;
	node->self_count += count;
	return 0;
}

static int text_cmp(const char *a, const char *b)
{
	if (a == b)
		return 0;
	return strcmp(a ? a : "", b ? b : "");
}

static int node_cmp(const struct tree_node *a, const struct tree_node *b, int by_name)
{
	int c;

	if (!by_name && a->total != b->total)
		return a->total > b->total ? -1 : 1;
	c = text_cmp(a->name, b->name);
	if (!c)
		c = text_cmp(a->obj, b->obj);
	if (!c)
		c = a->kind < b->kind ? -1 : a->kind > b->kind;
	return c;
}

/* Takes `size` nodes off the front of a list and returns what is left. */
static uint32_t list_cut(struct tree_node *nodes, uint32_t head, uint32_t size)
{
	uint32_t rest;

	while (--size && head != TREE_NONE)
		head = nodes[head].next_sibling;
	if (head == TREE_NONE)
		return TREE_NONE;
	rest = nodes[head].next_sibling;
	nodes[head].next_sibling = TREE_NONE;
	return rest;
}

/* Merge sort in place on the links: no memory, so it cannot fail. */
static uint32_t list_sort(struct tree_node *nodes, uint32_t head, int by_name)
{
	uint32_t runs = 2;

	for (uint32_t size = 1; runs > 1; size *= 2) {
		uint32_t rest = head, *tail = &head;

		head = TREE_NONE;
		for (runs = 0; rest != TREE_NONE; runs++) {
			uint32_t a = rest, b = list_cut(nodes, a, size);

			rest = b == TREE_NONE ? TREE_NONE : list_cut(nodes, b, size);
			while (a != TREE_NONE || b != TREE_NONE) {
				uint32_t *from = b == TREE_NONE || (a != TREE_NONE &&
						 node_cmp(&nodes[a], &nodes[b], by_name) <= 0) ? &a : &b;

				*tail = *from;
				tail = &nodes[*from].next_sibling;
				*from = *tail;
			}
			*tail = TREE_NONE;
		}
	}
	return head;
}

/* A child comes after its parent. */
static void add_totals(struct tree_node *nodes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		nodes[i].total = nodes[i].self;
		nodes[i].total_count = nodes[i].self_count;
	}
	for (size_t i = n; i-- > 1;) {
		nodes[nodes[i].parent].total += nodes[i].total;
		nodes[nodes[i].parent].total_count += nodes[i].total_count;
	}
}

void tree_end(struct tree *tree, int by_name)
{
	struct tree_node *nodes = tree->nodes.data;

	add_totals(nodes, tree->nodes.n);
	for (size_t i = 0; i < tree->nodes.n; i++)
		if (nodes[i].first_child != TREE_NONE)
			nodes[i].first_child = list_sort(nodes, nodes[i].first_child, by_name);
}

uint32_t tree_depth(const struct tree *tree)
{
	const struct tree_node *nodes = tree->nodes.data;
	uint32_t depth = 0, deepest = 0, i = 0;

	for (;;) {
		if (nodes[i].first_child != TREE_NONE) {
			i = nodes[i].first_child;
			if (++depth > deepest)
				deepest = depth;
			continue;
		}
		while (i && nodes[i].next_sibling == TREE_NONE) {
			i = nodes[i].parent;
			depth--;
		}
		if (!i)
			return deepest;
		i = nodes[i].next_sibling;
	}
}

int64_t tree_stack(const struct tree *tree, uint32_t leaf, struct tree_frames *f)
{
	const struct tree_node *nodes = tree->nodes.data;
	uint32_t depth = 0;

	for (uint32_t i = leaf; i; i = nodes[i].parent)
		depth++;
	f->frames.n = 0;
	if (depth && !vec_take(&f->frames, depth))
		return -ENOMEM;
	for (uint32_t i = leaf, at = depth; i; i = nodes[i].parent)
		f->frames.data[--at] = (struct frame){
			.name = nodes[i].name, .obj = nodes[i].obj, .kind = (uint16_t)nodes[i].kind, .file = nodes[i].file, .line = nodes[i].line,
		};
	return depth;
}

int tree_add_tree(struct tree *tree, const struct tree *from, double times)
{
	struct tree_frames f = { 0 };
	int ret = 0;

	for (uint32_t i = 0; i < from->nodes.n && !ret; i++) {
		const struct tree_node *n = &from->nodes.data[i];
		int64_t depth;

		if (!n->self && !n->self_count)
			continue;
		depth = tree_stack(from, i, &f);
		ret = depth < 0 ? -ENOMEM : tree_add(tree, f.frames.data, (uint32_t)depth, (uint64_t)llround((double)n->self * times), n->self_count);
	}
	vec_free(&f.frames);
	return ret;
}
