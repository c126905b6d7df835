/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "unwind/walk.h"

#include <stdbool.h>

struct unwind_walk {
	const struct unwind_facts *facts;
	const uint64_t *leaf;
};

static int unwind_word(struct unwind_walk *w, __u64 addr, __u64 *ret)
{
	uint64_t word;
	int status = w->facts->word(w->facts->arg, addr, &word);

	if (!status)
		*ret = word;
	return status < 0 ? status : 0;
}

static __u64 unwind_leaf(struct unwind_walk *w, __u32 reg)
{
	return reg < UNWIND_LEAF_REGS ? w->leaf[reg] : 0;
}

#include "bpf/lib/unwindstep.bpf.h"

const struct unwind_rule unwind_rule_fp = UNWIND_RULE_FP;

uint32_t unwind_frames(const struct unwind_facts *facts, struct unwind_regs *regs, const uint64_t *leaf, uint64_t *ret_ips, uint32_t max,
		       uint32_t *ret_end)
{
	static const uint64_t none[UNWIND_LEAF_REGS];
	struct unwind_walk walk = { facts, leaf ? leaf : none };
	struct unwind_rule rule;
	uint32_t n = 0;
	int end;

	if (!leaf)
		regs->lost |= UNWIND_LOST_LEAF;

	for (;;) {
		end = facts->rule(facts->arg, unwind_pc(regs), &rule);
		if (!end)
			end = unwind_step(&walk, regs, &rule);
		if (end)
			break;
		if (n == max) {
			end = STOP_DEPTH;
			break;
		}
		ret_ips[n++] = regs->ip;
	}
	*ret_end = end;
	return n;
}
