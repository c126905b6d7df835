/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * FOLD: stacks to a call tree. A node is a frame seen under its callers; nodes are indexes into one
 * array, node 0 is the root ("all"). Names are borrowed from the resolver. Pure: no I/O, no format.
 */
#ifndef SKEP_MODEL_TREE_H
#define SKEP_MODEL_TREE_H

#include <stdint.h>

#include "frame.h"
#include "util/vec.h"

#define TREE_NONE UINT32_MAX

struct tree_node {
	const char *name; /* interned: identity is (name, obj, kind) under one parent */
	const char *obj;
	const char *file; /* of the heaviest seen, NULL if not known */
	uint32_t line;
	uint32_t kind;	/* enum frame_kind */
	uint32_t parent, first_child, next_sibling; /* TREE_NONE ends a list */
	uint64_t self, total;		    /* weight in this frame; in it and its callees, of tree_end() */
	uint64_t self_count, total_count; /* samples */
};

struct tree {
	VEC(struct tree_node) nodes;
	uint32_t *slots; /* open-addressed index: (parent, name, obj, kind) -> node */
	uint32_t nr_slots;
	VEC(uint32_t) path; /* the nodes of the last stack */
};

int tree_init(struct tree *tree); /* 0 or -ENOMEM */
void tree_free(struct tree *tree);

/* Adds one stack, outermost frame first, n frames. 0 or -ENOMEM. */
int tree_add(struct tree *tree, const struct frame *frames, uint32_t n, uint64_t weight, uint64_t count);

/* The node of the stack that was added last. */
static inline uint32_t tree_last(const struct tree *tree)
{
	return tree->path.n ? tree->path.data[tree->path.n - 1] : 0;
}

/*
 * The frames of the stack that ends in a node, outermost first, with the names of the tree: how many, which is the length of frames, or -ENOMEM.
 * frames is used again by the next call.
 */
struct tree_frames {
	VEC(struct frame) frames;
};
int64_t tree_stack(const struct tree *tree, uint32_t leaf, struct tree_frames *frames);

/* Adds all stacks of another tree, with `times` their weights, rounded, and their counts. 0 or -ENOMEM. */
int tree_add_tree(struct tree *tree, const struct tree *from, double times);

/* Adds up the totals and orders every child list: by name when by_name, else heaviest first. Again after more stacks. */
void tree_end(struct tree *tree, int by_name);

/* The longest path below the root, in frames. */
uint32_t tree_depth(const struct tree *tree);

#endif
