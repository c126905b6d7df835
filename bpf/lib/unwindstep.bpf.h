/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One step of a walk: from a frame and its rule to its caller. The same source runs in the kernel (lib/unwind.bpf.h) and in user
 * space (user/unwind/walk.c); who includes it has defined before
 *	struct unwind_walk
 *	static int unwind_word(struct unwind_walk *w, __u64 addr, __u64 *ret)
 * which reads a word of the stack: 0, or less where it is not there; and
 *	static __u64 unwind_leaf(struct unwind_walk *w, __u32 reg)
 * the leaf's register of that number, at most UNWIND_LEAF_REGS - 1.
 */
#ifndef SKEP_UNWINDSTEP_BPF_H
#define SKEP_UNWINDSTEP_BPF_H

#include "bpf/unwind.h"

#define UNWIND_FP_REACH (1u << 20) /* a frame pointer is not further out than so many bytes */

/* Of which machine the stack is, the kernel knows when it is built. */
#ifdef __TARGET_ARCH_x86
#define UNWIND_ADDRESS_BITS(r) 0
#else
#define UNWIND_ADDRESS_BITS(r) ((r)->address_bits)
#endif

/* System V psABI of x86-64, AMD64 Architecture Processor Supplement, 6.1 (lazy binding): entries of a .plt are of 16 bytes. */
#define UNWIND_PLT_ENTRY 16

/* So near to each other, caller and callee are of one piece. */
#define UNWIND_NEAR_BYTES (1u << 16)

/* Of code that keeps frame pointers: the rule of all its frames. Whether it changes bx is not known. */
#define UNWIND_RULE_FP ((struct unwind_rule){                                               \
	.cfa = UNWIND_CFA_FP, .ra = UNWIND_AT_CFA,                                          \
	.saved = UNWIND_AT_CFA | UNWIND_LOST << UNWIND_BX_SHIFT,                            \
	.cfa_off = 16, .ra_off = -8, .bp_off = -16,                                         \
})

/* The instruction whose rule is the frame's: of a return address, the call before it. */
static __always_inline __u64 unwind_pc(const struct unwind_regs *r)
{
	return r->ip - !r->is_exact;
}

/* Without the signature that paciasp leaves above the bits of an address: arm64's instructions do the same (xpaclri). */
static __always_inline __u64 unwind_unsigned(const struct unwind_regs *r, __u64 ra)
{
	return UNWIND_ADDRESS_BITS(r) ? ra & ((1ull << (UNWIND_ADDRESS_BITS(r) & 63)) - 1) : ra;
}

/* Is bp one? A function that was called keeps it 8-aligned and further out than sp. */
static __always_inline int unwind_has_fp(const struct unwind_regs *r)
{
	return !(r->lost & UNWIND_LOST_BP) && r->bp - r->sp < UNWIND_FP_REACH && !(r->bp & 7);
}

/*
 * The frame record of arm64 is the caller's bp and the return address; bp points at its own (AAPCS64, the frame pointer). Compilers
 * put it anywhere in the frame: where in this one, its rule says, as long as the function keeps one at all.
 */
static __always_inline int unwind_cfa_by_record(const struct unwind_regs *r, const struct unwind_rule *rule, __u64 *ret_cfa)
{
	if (rule->cfa != UNWIND_CFA_SP || rule->ra != UNWIND_AT_CFA || (rule->saved & ((1 << UNWIND_BX_SHIFT) - 1)) != UNWIND_AT_CFA ||
	    rule->ra_off != rule->bp_off + (int)sizeof(__u64) || !unwind_has_fp(r))
		return STOP_BAD_RULE;
	*ret_cfa = r->bp - rule->bp_off;
	return UNWIND_MORE;
}

static __always_inline int unwind_cfa(struct unwind_walk *w, const struct unwind_regs *r, const struct unwind_rule *rule,
				      __u64 *ret_cfa)
{
	__u32 lost = r->lost;
	__u64 cfa;

	switch (rule->cfa) {
	case UNWIND_CFA_NONE:
		return STOP_NO_RULE;
	case UNWIND_CFA_SP:
	case UNWIND_CFA_SP_DEREF:
		if (UNWIND_ADDRESS_BITS(r) && lost & UNWIND_LOST_SP)
			return unwind_cfa_by_record(r, rule, ret_cfa);
		cfa = r->sp;
		lost = 0;
		break;
	case UNWIND_CFA_BP:
	case UNWIND_CFA_BP_DEREF:
		cfa = r->bp;
		lost &= UNWIND_LOST_BP;
		break;
	case UNWIND_CFA_BX:
		cfa = r->bx;
		lost &= UNWIND_LOST_BX;
		break;
	case UNWIND_CFA_REG:
	case UNWIND_CFA_SP_INDEX:
		cfa = unwind_leaf(w, rule->reg);
		if (rule->cfa == UNWIND_CFA_SP_INDEX)
			cfa = r->sp + sizeof(__u64) * cfa;
		lost &= UNWIND_LOST_LEAF;
		break;
	case UNWIND_CFA_PLT:
		cfa = r->sp;
		if ((__s64)(r->ip % UNWIND_PLT_ENTRY) >= rule->add)
			cfa += sizeof(__u64);
		lost = 0;
		break;
	case UNWIND_CFA_FP:
		/* A caller that has none is the outermost: the ABI has it cleared there. */
		if (lost & UNWIND_BY_FP && !r->bp)
			return STOP_WHOLE;
		if (!unwind_has_fp(r))
			return STOP_NO_RULE;
		cfa = r->bp;
		lost = 0;
		break;
	default:
		return STOP_BAD_RULE;
	}
	if (lost)
		return STOP_BAD_RULE;
	cfa += rule->cfa_off;
	if (rule->cfa == UNWIND_CFA_SP_DEREF || rule->cfa == UNWIND_CFA_BP_DEREF || rule->cfa == UNWIND_CFA_SP_INDEX) {
		if (unwind_word(w, cfa, &cfa))
			return STOP_NO_STACK;
		cfa += rule->add;
	}
	*ret_cfa = cfa;
	return UNWIND_MORE;
}

/* What a register's place is computed from. Less than 0: nothing that is known. */
static __always_inline int unwind_base(const struct unwind_regs *r, __u64 cfa, __u32 how, __u64 *ret_base)
{
	switch (how) {
	case UNWIND_AT_CFA:
		*ret_base = cfa;
		return 0;
	case UNWIND_AT_SP:
		*ret_base = r->sp;
		return 0;
	case UNWIND_AT_BP:
		*ret_base = r->bp;
		return r->lost & UNWIND_LOST_BP ? -1 : 0;
	}
	return -1;
}

/* A register of the caller: stays as it is, is read, or joins the lost. */
static __always_inline int unwind_saved(struct unwind_walk *w, const struct unwind_regs *r, __u64 cfa, __u32 how, __s32 off,
					__u32 bit, __u32 *lost, __u64 *reg)
{
	__u64 base = 0;

	if (how == UNWIND_SAME)
		return 0;
	if (unwind_base(r, cfa, how, &base)) {
		*lost |= bit;
		return 0;
	}
	*lost &= ~bit;
	return unwind_word(w, base + off, reg);
}

/*
 * Moves r to the caller and returns UNWIND_MORE, or says why there is none and leaves r where it was. A stack grows downwards: only
 * a signal may have come from another one. Words are read from the lowest up where compilers push registers in their usual order.
 */
static __always_inline int unwind_step(struct unwind_walk *w, struct unwind_regs *r, const struct unwind_rule *rule)
{
	__u32 is_signal = rule->ra & UNWIND_SIGNAL, how = rule->ra & ~UNWIND_SIGNAL, lost = r->lost;
	__u64 cfa = 0, ra = 0, base = 0, bp = r->bp, bx = r->bx;
	int end = unwind_cfa(w, r, rule, &cfa), in_reg;

	if (end)
		return end;
	if (how == UNWIND_SAME)
		return STOP_WHOLE;
	/* Who has taken the return address off the stack already is as far out as its caller, and who has not put it there yet. */
	in_reg = how == UNWIND_IN_REG || (UNWIND_ADDRESS_BITS(r) && how == UNWIND_IN_LINK);
	if (!is_signal && (cfa + in_reg <= r->sp || cfa & 7))
		return STOP_ASTRAY;
	if (unwind_saved(w, r, cfa, rule->saved >> UNWIND_BX_SHIFT, rule->bx_off, UNWIND_LOST_BX, &lost, &bx) ||
	    unwind_saved(w, r, cfa, rule->saved & ((1 << UNWIND_BX_SHIFT) - 1), rule->bp_off, UNWIND_LOST_BP, &lost, &bp))
		return STOP_NO_STACK;
	if (in_reg) {
		if (r->lost & (how == UNWIND_IN_REG ? UNWIND_LOST_LEAF : UNWIND_LOST_BX))
			return STOP_BAD_RULE;
		ra = how == UNWIND_IN_REG ? unwind_leaf(w, rule->reg) : r->bx;
	} else if (unwind_base(r, cfa, how, &base)) {
		return STOP_BAD_RULE;
	} else if (unwind_word(w, base + rule->ra_off, &ra)) {
		return STOP_NO_STACK;
	}
	ra = unwind_unsigned(r, ra);
	if (!ra && !is_signal)
		return STOP_WHOLE;
	lost &= ~(UNWIND_BY_FP | UNWIND_LOST_SP);
	if (rule->cfa == UNWIND_CFA_FP)
		lost |= UNWIND_BY_FP | (UNWIND_ADDRESS_BITS(r) ? UNWIND_LOST_SP : 0);
	if (UNWIND_ADDRESS_BITS(r) && !is_signal)
		lost |= UNWIND_LOST_BX;
	/* Assembly that keeps its CFA in such a register calls only parts of itself, which leave it alone (libcrypto's AES-GCM). */
	if (is_signal || UNWIND_ADDRESS_BITS(r) || ra - r->ip + UNWIND_NEAR_BYTES >= 2 * UNWIND_NEAR_BYTES)
		lost |= UNWIND_LOST_LEAF;
	r->ip = ra;
	r->sp = cfa;
	r->bp = bp;
	r->bx = bx;
	r->lost = lost;
	r->is_exact = !!is_signal;
	return UNWIND_MORE;
}

#endif
