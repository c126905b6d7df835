/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lengths of x86-64 instructions, and what they do to the stack pointer; the bytes may be anything. Facts: Intel 64 and IA-32
 * Architectures Software Developer's Manual, volume 2, 2.1-2.7 and appendix A.
 */
#ifndef SKEP_UNWIND_INSN86_H
#define SKEP_UNWIND_INSN86_H

#include <stddef.h>
#include <stdint.h>

enum insn86_kind {
	INSN86_OTHER,
	INSN86_PUSH,	/* reg: which, or INSN86_NO_REG */
	INSN86_POP,
	INSN86_ADD_SP,	/* sp += value */
	INSN86_LOSE_SP, /* sp is whatever */
	INSN86_SET_BP,	/* bp = sp */
	INSN86_SP_BP,	/* sp = bp + value */
	INSN86_LEAVE,
	INSN86_CALL,	/* value: from the next instruction to its target */
	INSN86_CALL_AT, /* in a register, or in memory */
	INSN86_JUMP,
	INSN86_JUMP_AT,
	INSN86_BRANCH, /* or not */
	INSN86_END,    /* to the caller, or nowhere */
	INSN86_NOP,
};

#define INSN86_BX 3
#define INSN86_SP 4
#define INSN86_BP 5
#define INSN86_NO_REG 16

struct insn86 {
	uint8_t kind, reg; /* enum insn86_kind; the CPU's number, not DWARF's */
	int32_t value;
};

/* The instruction at the begin of n bytes. Returns its length; 0: there is none, or it is cut. */
uint32_t insn86_read(const uint8_t *bytes, size_t n, struct insn86 *ret_insn);

#endif
