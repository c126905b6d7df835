/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How the rule of a frame is found: mapping, page, row. */
#ifndef SKEP_UNWINDFIND_BPF_H
#define SKEP_UNWINDFIND_BPF_H

#include "lib/unwindmaps.bpf.h"
#include "lib/unwindstep.bpf.h"

/* Where a walk is among the mappings. */
struct unwind_place {
	struct unwind_map map; /* of the last frame; none: it ends at 0 */
	struct unwind_space space;
	__u32 is_known; /* there is such a space */
};

/*
 * Halves [at, at + n) of a sorted block until one is left: the last that does not begin after what is wanted. to(i) is the begin of
 * the i-th less what is wanted less 1: below 0 in those. Its sign becomes a mask in assembly, or the compiler makes a branch of it, and
 * the verifier walks both sides of each. Whoever searches is a function of its own that is verified once: what is known at the ways
 * out differs, and all that follows would be walked from each (580,000 instructions, both together).
 */
#define UNWIND_SIGN_64(side) "63" : "+r"(side)
#define UNWIND_SIGN_32(side) "31" : "+w"(side)
#define UNWIND_HALVINGS 12 /* of a block's 4096 */
#define UNWIND_HALVE(at, n, to, sign)                              \
	for (__u32 i = 0; i < UNWIND_HALVINGS && n > 1; i++) {     \
		half = n >> 1;                                     \
		side = to(at + half);                              \
		asm volatile("%0 s>>= " sign(side));               \
		at += half & side;                                 \
		n -= half;                                         \
	}

/* Which of n mappings from first on an address is in, or would be. */
__noinline __u32 unwind_search_maps(__u32 first, __u32 nr, __u64 pc)
{
	__u32 block = first / UNWIND_BLOCK_MAPS;
	__u64 at = first % UNWIND_BLOCK_MAPS, n = nr, half, side;
	struct unwind_map_block *b;

	if (!cfg_unwind)
		return 0;
	b = bpf_map_lookup_elem(&unwind_maps, &block);
	if (!b)
		return 0;
#define UNWIND_MAP_TO(i) (b->maps[(i) & (UNWIND_BLOCK_MAPS - 1)].start - pc - 1)
	UNWIND_HALVE(at, n, UNWIND_MAP_TO, UNWIND_SIGN_64)
	return at;
}

/* The rule's number in the row of n from first on that a byte of a page is in. */
__noinline __u32 unwind_search_rows(__u32 first, __u32 nr, __u32 low)
{
	__u32 sheet = first / UNWIND_SHEET_ROWS, block = first / UNWIND_BLOCK_ROWS % UNWIND_SHEET_BLOCKS;
	__u32 at = first % UNWIND_BLOCK_ROWS, n = nr, half, side;
	struct unwind_row_block *b;
	void *blocks;

	if (!cfg_unwind)
		return 0;
	blocks = bpf_map_lookup_elem(&unwind_rows, &sheet);
	b = blocks ? bpf_map_lookup_elem(blocks, &block) : NULL;
	if (!b)
		return 0;
#define UNWIND_ROW_TO(i) (*(__u16 *)&b->rows[(i) & (UNWIND_BLOCK_ROWS - 1)] - low - 1)
	UNWIND_HALVE(at, n, UNWIND_ROW_TO, UNWIND_SIGN_32)
	return b->rows[at & (UNWIND_BLOCK_ROWS - 1)] >> UNWIND_ROW_SHIFT;
}

/* The mapping of an address, into p->map. */
static __always_inline int unwind_find_map(struct unwind_place *p, __u64 pc)
{
	__u32 block = p->space.first / UNWIND_BLOCK_MAPS;
	struct unwind_map_block *b;
	struct unwind_map *map;

	if (!p->is_known)
		return UNWIND_ASK;
	b = bpf_map_lookup_elem(&unwind_maps, &block);
	if (!b || !p->space.nr)
		return STOP_NO_CODE;
	map = &b->maps[unwind_search_maps(p->space.first, p->space.nr, pc) & (UNWIND_BLOCK_MAPS - 1)];
	if (pc - map->start >= map->end - map->start)
		return UNWIND_ASK;
	p->map = *map;
	return 0;
}

/* The rule of a byte of an object. */
static __always_inline int unwind_find_rule(__u32 page, __u32 low, struct unwind_rule *ret_rule)
{
	__u32 sheet = page / UNWIND_SHEET_PAGES, at = page % UNWIND_SHEET_PAGES, number;
	void *pages = bpf_map_lookup_elem(&unwind_pages, &sheet);
	const struct unwind_page *p = pages ? bpf_map_lookup_elem(pages, &at) : NULL;
	const struct unwind_rule *rule;
	struct unwind_page found;

	if (!p)
		return STOP_NO_RULE;
	/* User space writes both at once, when it takes a page's rows away. */
	*(__u64 *)&found = *(const volatile __u64 *)p;
	if (found.nr == UNWIND_PAGE_ASK)
		return UNWIND_ASK;
	if (!found.nr)
		return STOP_NO_RULE;
	number = unwind_search_rows(found.row, found.nr, low);
	rule = bpf_map_lookup_elem(&unwind_rules, &number);
	if (!rule)
		return STOP_NO_RULE;
	*ret_rule = *rule;
	return 0;
}

/* The rule of an address: 0, or why there is none. Frames that follow each other are often of one mapping. */
static __always_inline int unwind_find(struct unwind_place *p, __u64 pc, struct unwind_rule *ret_rule)
{
	__u64 off, page;
	__u32 kind;
	int end;

	if (pc - p->map.start >= p->map.end - p->map.start) {
		end = unwind_find_map(p, pc);
		if (end)
			return end;
	}
	kind = p->map.nr_pages >> UNWIND_KIND_SHIFT;
	if (kind == UNWIND_MAP_FP) {
		*ret_rule = UNWIND_RULE_FP;
		return 0;
	}
	if (kind != UNWIND_MAP_TABLE)
		return kind == UNWIND_MAP_ASK ? UNWIND_ASK : STOP_NO_CODE;
	off = pc - p->map.bias;
	page = off >> UNWIND_PAGE_SHIFT;
	if (page >= (p->map.nr_pages & UNWIND_NR_PAGES)) {
		*ret_rule = UNWIND_RULE_FP;
		return 0;
	}
	return unwind_find_rule(p->map.page + page, off & (UNWIND_PAGE_BYTES - 1), ret_rule);
}

#endif
