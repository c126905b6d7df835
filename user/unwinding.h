/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How the kernel's walker gets its tables, and help: shapes that cross the CAPTURE border, as those of sample.h do. The store is what
 * programs in the kernel read (capture/unwindstore.c); the guide knows who has mapped what (sym/guide.c).
 */
#ifndef SKEP_UNWINDING_H
#define SKEP_UNWINDING_H

#include <stdint.h>

#include "bpf/unwind.h"

/* All return 0, -ENOSPC: no room, or -errno. */
struct unwind_store {
	/* All rules from number 0 on: n only grows. */
	int (*rules)(struct unwind_store *store, const struct unwind_rule *rules, uint32_t n);
	/* Room for nr pages of an object, whose rows are not there yet; *ret_page is the number of the first. */
	int (*pages)(struct unwind_store *store, uint32_t nr, uint32_t *ret_page);
	/* The rows of nr pages from page on. Where there is no room, those that have been there for longest go. */
	int (*rows)(struct unwind_store *store, uint32_t page, const struct unwind_page *pages, uint32_t nr, const uint32_t *rows);
	/* Those of a page, which are the store's until the next rows(); -ENOENT: not there, or gone. */
	int (*find)(struct unwind_store *store, uint32_t page, const uint32_t **ret_rows, uint32_t *ret_nr);
	/* All executable mappings of an address space, sorted; in place of those passed before. n is not 0. */
	int (*space)(struct unwind_store *store, const struct unwind_space_key *key, const struct unwind_map *maps, uint32_t n);
	void (*forget)(struct unwind_store *store, const struct unwind_space_key *key);
};

struct unwind_guide {
	/*
	 * Walks on from rest->regs: writes at most max addresses, the caller of rest->regs.ip first, and why it ended (enum
	 * stack_stop). stack: rest->bytes of it. Rows that it needs and the store lacks are the store's then. Returns how many.
	 */
	uint32_t (*walk)(struct unwind_guide *guide, struct unwind_store *store, const struct unwind_rest *rest, const void *stack,
			 uint64_t *ret_ips, uint32_t max, uint32_t *ret_end);
	/* How often the store's mappings were of code whose place other code had taken already, and how long all together. */
	uint64_t nr_replaced, replaced_ns;
	/* After all walks of a round: passes to the store the mappings that it lacked, and what has changed since. */
	void (*sync)(struct unwind_guide *guide, struct unwind_store *store);
};

#endif
