/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Stacks by numbers, as viewers' files have them: each distinct frame once, each distinct path of frames once as a node below that of its
 * caller. Names are borrowed: equal texts have one address (frame.h). A zeroed one is empty.
 */
#ifndef SKEP_RENDER_VIEWERS_STACKTABLE_H
#define SKEP_RENDER_VIEWERS_STACKTABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "frame.h"
#include "util/map.h"
#include "util/vec.h"

#define STACK_NONE UINT32_MAX /* the node of an empty stack, and what is above a root */

struct stack_frame {
	const char *name, *obj, *file; /* file may be NULL */
	uint32_t line;
	uint8_t kind;  /* enum frame_kind */
	uint8_t depth; /* of inlined functions: how many are around it at this place */
	bool is_kernel;
	uint64_t pos; /* where the function that was seen first begins: in its file, or in the kernel */
};

struct stack_node {
	uint32_t parent, frame; /* parent: less than its own number, or STACK_NONE */
};

struct stacktable {
	VEC(struct stack_frame) frames;
	VEC(struct stack_node) nodes;
	struct map by_frame, by_node;
	VEC(uint32_t) last; /* nodes of the stack before, the root first: the next one has most of them, too */
};

/* The node of a stack, n frames with the leaf first; or -ENOMEM. */
int64_t stacktable_add(struct stacktable *t, const struct frame *frames, uint32_t n);

/* The frames of a node, the root first, into ret_frames, which grows as needed. How many; or -ENOMEM. */
struct stack_path {
	VEC(uint32_t) frames;
};
int64_t stacktable_path(const struct stacktable *t, uint32_t node, struct stack_path *ret_path);

void stacktable_free(struct stacktable *t);

#endif
