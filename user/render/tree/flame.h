/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the flame graph formats share. */
#ifndef SKEP_RENDER_TREE_FLAME_H
#define SKEP_RENDER_TREE_FLAME_H

#include "render/ledger.h"
#include "render/tree/render.h"
#include "util/json.h"

/* "user", "kernel" ...: an enum frame_kind as JSON has it. */
const char *kind_name(uint32_t kind);

/* The node after i from outside in, first child first, or TREE_NONE; *depth follows. No recursion. */
static inline uint32_t preorder_next(const struct tree *tree, uint32_t i, uint32_t *depth)
{
	const struct tree_node *nodes = tree->nodes.data;

	if (nodes[i].first_child != TREE_NONE) {
		++*depth;
		return nodes[i].first_child;
	}
	while (i && nodes[i].next_sibling == TREE_NONE) {
		i = nodes[i].parent;
		--*depth;
	}
	return i ? nodes[i].next_sibling : TREE_NONE;
}

#endif
