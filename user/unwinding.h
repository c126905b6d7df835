/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How the kernel's walker gets its tables, and help: shapes that cross the CAPTURE border, as those of sample.h do. The store is what
 * programs in the kernel read (capture/unwind.c); the guide knows who has mapped what (sym/guide.c).
 */
#ifndef SKEP_UNWINDING_H
#define SKEP_UNWINDING_H

#include <stdint.h>

#include "bpf/unwind.h"

/* All return 0, -ENOSPC: no room, or -errno. */
struct unwind_store {
	/* All rules from number 0 on: n only grows. */
	int (*rules)(struct unwind_store *store, const struct unwind_rule *rules, uint32_t n);
	/* A table; *ret_page is the number of its first page in the kernel. */
	int (*table)(struct unwind_store *store, const struct unwind_page *pages, uint32_t nr_pages, const uint32_t *rows,
		     uint32_t *ret_page);
	/* All executable mappings of an address space, sorted; in place of those told before. n is not 0. */
	int (*space)(struct unwind_store *store, const struct unwind_space_key *key, const struct unwind_map *maps, uint32_t n);
	void (*forget)(struct unwind_store *store, const struct unwind_space_key *key);
};

struct unwind_guide {
	/*
	 * Walks on from rest->regs: writes at most max addresses, the caller of rest->regs.ip first, and why it ended (enum
	 * unwind_end). stack: rest->bytes of it. Returns how many.
	 */
	uint32_t (*walk)(struct unwind_guide *guide, const struct unwind_rest *rest, const void *stack, uint64_t *ret_ips,
			 uint32_t max, uint32_t *ret_end);
	/* Behind all walks of a round: tells the store what it lacked, and what has changed since. */
	void (*sync)(struct unwind_guide *guide, struct unwind_store *store);
};

#endif
