/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A sample's addresses to one list of frames, with a marker where the walk was cut. */
#ifndef SKEP_SYM_STACK_H
#define SKEP_SYM_STACK_H

#include "frame.h"
#include "sample.h"
#include "sym/sym.h"

/* The outermost frame is a "[truncated: ...]" marker (FRAME_MARK) when the stack does not reach its root. */
void stack_resolve(struct syms *syms, const struct sample *s, struct stack *ret_stack);

/* Only where it happened: its callers are not looked up, and what is missing of them is no loss. */
void stack_resolve_leaf(struct syms *syms, const struct sample *s, struct stack *ret_stack);

/* All addresses of its chains as they were recorded, or only that of the sample: nothing is left out or added. */
void stack_resolve_plain(struct syms *syms, const struct sample *s, bool leaf_only, struct stack *ret_stack);

/* Puts a frame of that name (FRAME_MARK) before the leaf of a resolved stack, once. */
void stack_mark(struct syms *syms, const char *mark, struct stack *st);

#endif
