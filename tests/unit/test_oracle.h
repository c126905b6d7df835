/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A made-up world of registers and memory, and what libdw's rules say of it. */
#ifndef SKEP_TESTS_TEST_ORACLE_H
#define SKEP_TESTS_TEST_ORACLE_H

#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

#include "util/hash.h"

#define STACK_MAX 16
#define REGS 40
/* DWARF's numbers of its registers; ip: the address of the code, in expressions. */
static const struct machine {
	uint8_t sp, bp, bx, ra, ip;
	uint16_t elf;
} x86_64 = { 7, 6, 3, 16, 16, EM_X86_64 }, arm64 = { 31, 29, 30, 30, 32, EM_AARCH64 };
static const struct machine *machine;

/* What is known of a value: nothing, that there is none, or it. */
enum known { UNSAID, NOTHING, KNOWN };

struct value {
	enum known known;
	uint64_t v;
};

static uint64_t regs[REGS];

static uint64_t memory_at(uint64_t addr)
{
	return hash_u64(addr ^ 0x5eed);
}

/* libdw's operations over that world; UNSAID: one that is not known here. */
static struct value eval(const Dwarf_Op *ops, size_t nr_ops, uint64_t cfa)
{
	uint64_t s[STACK_MAX + 1] = { 0 }, *top = s;

	for (size_t i = 0; i < nr_ops; i++) {
		const Dwarf_Op *op = &ops[i];

		if (top - s >= STACK_MAX - 1 || top < s)
			return (struct value){ UNSAID, 0 };
		if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
			*++top = regs[op->atom - DW_OP_breg0] + op->number;
			continue;
		}
		if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31) {
			*++top = op->atom - DW_OP_lit0;
			continue;
		}
		switch (op->atom) {
		case DW_OP_bregx:
			*++top = regs[op->number % REGS] + op->number2;
			break;
		case DW_OP_regx:
			return (struct value){ KNOWN, regs[op->number % REGS] };
		case DW_OP_call_frame_cfa:
			*++top = cfa;
			break;
		case DW_OP_const1u:
		case DW_OP_const1s:
		case DW_OP_const2u:
		case DW_OP_const2s:
		case DW_OP_const4u:
		case DW_OP_const4s:
		case DW_OP_constu:
		case DW_OP_consts:
			*++top = op->number;
			break;
		case DW_OP_plus_uconst:
			*top += op->number;
			break;
		case DW_OP_deref:
			*top = memory_at(*top);
			break;
		case DW_OP_plus:
			top--;
			*top += top[1];
			break;
		case DW_OP_minus:
			top--;
			*top -= top[1];
			break;
		case DW_OP_and:
			top--;
			*top &= top[1];
			break;
		case DW_OP_mul:
			top--;
			*top *= top[1];
			break;
		case DW_OP_shl:
			top--;
			*top <<= top[1] & 63;
			break;
		case DW_OP_ge:
			top--;
			*top = (int64_t)*top >= (int64_t)top[1];
			break;
		case DW_OP_stack_value:
			break;
		default:
			return (struct value){ UNSAID, 0 };
		}
	}
	return (struct value){ KNOWN, *top };
}

static struct value libdw_cfa(Dwarf_Frame *frame)
{
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_frame_cfa(frame, &ops, &n) || !n)
		return (struct value){ NOTHING, 0 };
	return eval(ops, n, 0);
}

static struct value libdw_reg(Dwarf_Frame *frame, int reg, uint64_t cfa)
{
	Dwarf_Op mem[3], *ops;
	struct value v;
	size_t n;

	if (dwarf_frame_register(frame, reg, mem, &ops, &n))
		return (struct value){ UNSAID, 0 };
	if (!n)
		return ops ? (struct value){ NOTHING, 0 } : (struct value){ KNOWN, regs[reg] };
	v = eval(ops, n, cfa);
	if (v.known == KNOWN && ops[n - 1].atom != DW_OP_stack_value && ops[0].atom != DW_OP_regx)
		v.v = memory_at(v.v);
	return v;
}

#endif
