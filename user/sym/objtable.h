/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An object's table in the kernel: its pages once, their rows on request. */
#ifndef SKEP_SYM_OBJTABLE_H
#define SKEP_SYM_OBJTABLE_H

#include <stdint.h>

#include "sym/object.h"
#include "unwinding.h"

/* Where an object is mapped, and by whom: its file is opened through there. */
struct objtable_place {
	struct objects *objects;
	uint32_t pid;
	uint64_t start, end;
};

/*
 * Has the store make room for the pages of an object's table; obj->table_state has the result: TABLE_NEW is to be tried again by
 * another process.
 */
void objtable_open(const struct objtable_place *at, struct object *obj, struct unwind_store *store);

/*
 * Puts the rows of a page of it, by number from 0, into the store, with those of pages around. 0; -errno: not available now. Rows that
 * are never available are put as unknown rules.
 */
int objtable_fill(const struct objtable_place *at, struct object *obj, uint32_t page, struct unwind_store *store);

#endif
