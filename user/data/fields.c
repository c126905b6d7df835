/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The fields of a sample after its call chain, in the order of PERF_RECORD_SAMPLE (uapi/linux/perf_event.h). In comes what the record has
 * there, hostile; out go pointers into it.
 */
#include <stddef.h>

#include "data/reader.h"

#define WORD sizeof(uint64_t)
#define BRANCH_BYTES sizeof(struct perf_branch_entry)
#define BRANCH_COUNTERS (1u << 19) /* PERF_SAMPLE_BRANCH_COUNTERS, Linux 6.8 */

struct rest {
	const uint8_t *p;
	uint64_t bytes;
	bool cut; /* sticky */
};

static const uint8_t *take(struct rest *r, uint64_t n)
{
	const uint8_t *p = r->p;

	if (r->cut || n > r->bytes) {
		r->cut = true;
		return NULL;
	}
	r->p += n;
	r->bytes -= n;
	return p;
}

static uint64_t take_u64(struct rest *r)
{
	const uint8_t *p = take(r, WORD);

	return p ? get_u64(p) : 0;
}

/* n elements of `bytes` bytes each. */
static const uint8_t *take_array(struct rest *r, uint64_t n, uint64_t bytes)
{
	return take(r, n > r->bytes / bytes ? UINT64_MAX : n * bytes);
}

static void take_raw(struct rest *r, struct sample_fields *f)
{
	const uint8_t *p = take(r, sizeof(uint32_t));
	uint32_t bytes = p ? get_u32(p) : 0;

	f->raw = take(r, bytes);
	f->raw_bytes = f->raw ? bytes : 0;
}

static void take_branches(struct rest *r, const struct layout *l, struct sample_fields *f)
{
	uint64_t nr = take_u64(r);

	if (l->branch_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		take(r, WORD);
	f->branches = take_array(r, nr, BRANCH_BYTES);
	f->nr_branches = f->branches ? nr : 0;
	if (l->branch_type & BRANCH_COUNTERS)
		take_array(r, nr, WORD);
}

uint32_t branches_chain(const struct sample_fields *f, uint64_t leaf, uint64_t *ret_ips)
{
	uint32_t n = 0;

	if (!(f->has & PERF_SAMPLE_BRANCH_STACK) || !f->nr_branches)
		return 0;
	ret_ips[n++] = leaf;
	/* Each entry is a call that has not returned. */
	for (uint64_t i = 0; i < f->nr_branches; i++) {
		uint64_t from = get_u64(f->branches + i * BRANCH_BYTES + offsetof(struct perf_branch_entry, from));

		if (from)
			ret_ips[n++] = from;
	}
	return n;
}

static void take_regs(struct rest *r, uint64_t mask, struct sample_regs *regs)
{
	regs->abi = take_u64(r);
	regs->mask = mask;
	regs->words = regs->abi ? take_array(r, (uint64_t)__builtin_popcountll(mask), WORD) : NULL;
}

static void take_stack(struct rest *r, struct sample_fields *f)
{
	uint64_t room = take_u64(r), filled;

	f->stack = NULL;
	f->stack_bytes = f->stack_room_bytes = 0;
	if (!room)
		return;
	f->stack = take(r, room);
	filled = take_u64(r);
	f->stack_bytes = f->stack ? (filled < room ? filled : room) : 0;
	f->stack_room_bytes = f->stack ? room : 0;
}

static void take_field(struct rest *r, uint64_t field, const struct layout *l, struct sample_fields *f)
{
	switch (field) {
	case PERF_SAMPLE_RAW:
		take_raw(r, f);
		return;
	case PERF_SAMPLE_BRANCH_STACK:
		take_branches(r, l, f);
		return;
	case PERF_SAMPLE_REGS_USER:
		take_regs(r, l->user_mask, &f->user_regs);
		return;
	case PERF_SAMPLE_STACK_USER:
		take_stack(r, f);
		return;
	case PERF_SAMPLE_WEIGHT:
	case PERF_SAMPLE_WEIGHT_STRUCT:
		f->weight = take_u64(r);
		return;
	case PERF_SAMPLE_DATA_SRC:
		f->data_src = take_u64(r);
		return;
	case PERF_SAMPLE_TRANSACTION:
		f->transaction = take_u64(r);
		return;
	case PERF_SAMPLE_REGS_INTR:
		take_regs(r, l->intr_mask, &f->intr_regs);
		return;
	case PERF_SAMPLE_PHYS_ADDR:
		f->phys_addr = take_u64(r);
		return;
	case PERF_SAMPLE_CGROUP:
		f->cgroup = take_u64(r);
		return;
	case PERF_SAMPLE_DATA_PAGE_SIZE:
		f->data_page_bytes = take_u64(r);
		return;
	case PERF_SAMPLE_CODE_PAGE_SIZE:
		f->code_page_bytes = take_u64(r);
		return;
	}
}

void fields_take(const uint8_t *p, const uint8_t *end, const struct layout *l, struct sample_fields *f)
{
	static const uint64_t order[] = {
		PERF_SAMPLE_RAW, PERF_SAMPLE_BRANCH_STACK, PERF_SAMPLE_REGS_USER, PERF_SAMPLE_STACK_USER, PERF_SAMPLE_WEIGHT,
		PERF_SAMPLE_WEIGHT_STRUCT, PERF_SAMPLE_DATA_SRC, PERF_SAMPLE_TRANSACTION, PERF_SAMPLE_REGS_INTR, PERF_SAMPLE_PHYS_ADDR,
		PERF_SAMPLE_CGROUP, PERF_SAMPLE_DATA_PAGE_SIZE, PERF_SAMPLE_CODE_PAGE_SIZE,
	};
	struct rest rest = { p, (uint64_t)(end - p), false };

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		if (!(l->sample_type & order[i]))
			continue;
		take_field(&rest, order[i], l, f);
		if (rest.cut)
			return;
		f->has |= order[i];
	}
}
