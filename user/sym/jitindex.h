/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The search for what code of a JIT was at an address at a time. Codes are in the order of their dump, and only added: most are sorted by
 * address, under a tree of where they end; a few new ones wait in a tail that is searched one by one.
 */
#ifndef SKEP_SYM_JITINDEX_H
#define SKEP_SYM_JITINDEX_H

#include <stddef.h>
#include <stdint.h>

struct jitdump_code;

/* A zeroed one is empty. */
struct jitindex {
	uint32_t *order; /* the first `laid` codes by address, then by time */
	uint64_t *ends; /* the largest end in each subtree over them, from ends[1] on */
	size_t laid, leaves;
	size_t n; /* codes in all */
	uint64_t nr_replaced; /* those that lie over others */
};

/* There are n codes now, of which the index knows the first. Without memory they are searched one by one. */
void jitindex_add(struct jitindex *index, const struct jitdump_code *codes, size_t n);

/* The code at addr at that time: the last that was there; else the first that came later; NULL: none, or too many. */
const struct jitdump_code *jitindex_find(const struct jitindex *index, const struct jitdump_code *codes, uint64_t time_ns, uint64_t addr);

void jitindex_free(struct jitindex *index);

#endif
