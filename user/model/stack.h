/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A sample's addresses to one list of frames, with a marker where the walk was cut. */
#ifndef SKEP_MODEL_STACK_H
#define SKEP_MODEL_STACK_H

#include "model/profile.h"
#include "sample.h"
#include "sym/sym.h"

#define STACK_FRAMES_MAX 2048 /* kept of both stacks, with inlined frames: a file's may be deeper */

struct stack {
	struct frame frames[STACK_FRAMES_MAX + 2]; /* leaf first, with room for a mark, then the marker */
	uint32_t n;
	uint32_t cut; /* enum stack_stop of the user walk (or of the kernel walk if that was cut) */
};

/*
 * Resolves and counts what is missing into p->losses (weighted by s->count). The outermost frame is
 * a "[truncated: ...]" marker (FRAME_MARK) when the stack does not reach its root.
 */
void stack_resolve(struct syms *syms, const struct sample *s, struct stack *ret_stack, struct profile *p);

/* Puts a frame of that name (FRAME_MARK) before the leaf of a resolved stack, once. */
void stack_mark(struct syms *syms, const char *mark, struct stack *st);

#endif
