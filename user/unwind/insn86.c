/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Prefixes, opcode, ModRM, displacement, immediate: what follows an opcode, and the few opcodes that move the stack pointer. */
#include "unwind/insn86.h"

#include <stdbool.h>
#include <string.h>

#define LENGTH_MAX 15u

/* What follows an opcode */
enum follow {
	NOTHING = 0,
	MODRM = 1,
	IMM8 = 2,
	IMM16 = 4,
	IMM32 = 8,   /* 16 bits with a prefix for them */
	IMM64 = 16,  /* as IMM32, 64 bits with REX.W */
	ADDR64 = 32,
	INVALID = 64,
};

enum map { MAP_ONE, MAP_0F, MAP_0F38, MAP_0F3A };

#define REX_B 1
#define REX_X 2
#define REX_R 4
#define REX_W 8

struct reading {
	const uint8_t *bytes;
	size_t n, at;
	uint8_t rex, opcode, mod, reg, rm; /* reg, rm: with their bit of REX */
	bool is_16, has_sib, has_index, is_vector;
	enum map map;
	int32_t disp, imm;
};

static uint8_t next(struct reading *r)
{
	return r->at < r->n ? r->bytes[r->at++] : (r->at++, 0);
}

static int32_t number(struct reading *r, uint32_t bytes)
{
	uint32_t v = 0;

	for (uint32_t i = 0; i < bytes; i++)
		v |= i < sizeof(v) ? (uint32_t)next(r) << (8 * i) : (next(r), 0u);
	return bytes == 1 ? (int8_t)v : bytes == 2 ? (int16_t)v : (int32_t)v;
}

static uint32_t after_one(uint8_t op)
{
	if (op < 0x40) {
		static const uint8_t of[8] = { MODRM, MODRM, MODRM, MODRM, IMM8, IMM32, INVALID, INVALID };

		return of[op & 7];
	}
	switch (op) {
	case 0x50 ... 0x5f: case 0x6c ... 0x6f: case 0x90 ... 0x99: case 0x9b ... 0x9f: case 0xa4 ... 0xa7: case 0xaa ... 0xaf:
	case 0xc3: case 0xc9: case 0xcb: case 0xcc: case 0xcf: case 0xd7: case 0xec ... 0xef: case 0xf1: case 0xf4: case 0xf5:
	case 0xf8 ... 0xfd:
		return NOTHING;
	case 0x63: case 0x84 ... 0x8f: case 0xd0 ... 0xd3: case 0xd8 ... 0xdf: case 0xf6: case 0xf7: case 0xfe: case 0xff:
		return MODRM;
	case 0x6b: case 0x80: case 0x83: case 0xc0: case 0xc1: case 0xc6:
		return MODRM | IMM8;
	case 0x69: case 0x81: case 0xc7:
		return MODRM | IMM32;
	case 0x6a: case 0x70 ... 0x7f: case 0xa8: case 0xb0 ... 0xb7: case 0xcd: case 0xe0 ... 0xe7: case 0xeb:
		return IMM8;
	case 0x68: case 0xa9: case 0xe8: case 0xe9:
		return IMM32;
	case 0xb8 ... 0xbf:
		return IMM64;
	case 0xa0 ... 0xa3:
		return ADDR64;
	case 0xc2: case 0xca:
		return IMM16;
	case 0xc8:
		return IMM16 | IMM8;
	default:
		return INVALID;
	}
}

static uint32_t after_0f(uint8_t op)
{
	switch (op) {
	case 0x05 ... 0x09: case 0x0b: case 0x0e: case 0x30 ... 0x37: case 0x77: case 0xa0 ... 0xa2: case 0xa8 ... 0xaa:
	case 0xc8 ... 0xcf:
		return NOTHING;
	case 0x80 ... 0x8f:
		return IMM32;
	case 0x70 ... 0x73: case 0xa4: case 0xac: case 0xba: case 0xc2: case 0xc4 ... 0xc6:
		return MODRM | IMM8;
	default:
		return MODRM;
	}
}

/* VEX and EVEX say the map in a field. */
static void read_vector(struct reading *r, uint8_t first)
{
	uint8_t field = MAP_0F;

	if (first == 0xc5) {
		next(r);
	} else {
		field = next(r) & (first == 0x62 ? 7 : 31);
		next(r);
		if (first == 0x62)
			next(r);
	}
	r->map = field == MAP_0F3A ? MAP_0F3A : field == MAP_0F ? MAP_0F : MAP_0F38;
	r->is_vector = true;
	r->opcode = next(r);
}

static bool is_prefix(uint8_t b)
{
	switch (b) {
	case 0x66: case 0x67: case 0xf0: case 0xf2: case 0xf3: case 0x2e: case 0x36: case 0x3e: case 0x26: case 0x64: case 0x65:
		return true;
	default:
		return false;
	}
}

static void read_opcode(struct reading *r)
{
	uint8_t b = next(r);

	for (; is_prefix(b) && r->at < LENGTH_MAX; b = next(r))
		r->is_16 = r->is_16 || b == 0x66;
	if ((b & 0xf0) == 0x40) {
		r->rex = b;
		b = next(r);
	}
	if (b == 0xc4 || b == 0xc5 || b == 0x62) {
		read_vector(r, b);
		return;
	}
	r->opcode = b;
	if (b != 0x0f)
		return;
	r->map = MAP_0F;
	r->opcode = next(r);
	if (r->opcode == 0x38 || r->opcode == 0x3a) {
		r->map = r->opcode == 0x38 ? MAP_0F38 : MAP_0F3A;
		r->opcode = next(r);
	}
}

static void read_modrm(struct reading *r)
{
	uint8_t b = next(r), base = b & 7;

	r->mod = b >> 6;
	r->reg = (uint8_t)((b >> 3 & 7) | (r->rex & REX_R ? 8 : 0));
	r->rm = (uint8_t)((b & 7) | (r->rex & REX_B ? 8 : 0));
	if (r->mod == 3)
		return;
	if (base == 4) {
		r->has_sib = true;
		base = next(r);
		r->has_index = (base & 0x38) != 0x20 || r->rex & REX_X;
		base &= 7;
		r->rm = (uint8_t)(base | (r->rex & REX_B ? 8 : 0));
	}
	if (r->mod == 1)
		r->disp = number(r, 1);
	else if (r->mod == 2 || base == 5)
		r->disp = number(r, 4);
}

static uint32_t read_after(struct reading *r)
{
	uint32_t after = r->map == MAP_ONE ? after_one(r->opcode) : r->map == MAP_0F ? after_0f(r->opcode) :
			 r->map == MAP_0F38 ? MODRM : MODRM | IMM8;

	if (after & MODRM)
		read_modrm(r);
	/* test, of the unary group */
	if (r->map == MAP_ONE && (r->opcode & 0xfe) == 0xf6 && !(r->reg & 6))
		after |= r->opcode == 0xf6 ? IMM8 : IMM32;
	if (after & IMM16)
		number(r, 2);
	if (after & IMM8)
		r->imm = number(r, 1);
	if (after & IMM32 || (after & IMM64 && !(r->rex & REX_W)))
		r->imm = number(r, r->is_16 && r->map == MAP_ONE && r->opcode < 0xe0 ? 2 : 4);
	else if (after & (IMM64 | ADDR64))
		number(r, 8);
	return after;
}

/* A result in the stack pointer that is not one of those below. */
static bool writes_sp(const struct reading *r)
{
	bool to_rm = r->mod == 3 && r->rm == INSN86_SP, to_reg = r->reg == INSN86_SP;

	switch (r->opcode) {
	case 0x01: case 0x09: case 0x11: case 0x19: case 0x21: case 0x29: case 0x31: case 0x89: case 0x87: case 0xc7:
		return to_rm;
	case 0x03: case 0x0b: case 0x13: case 0x1b: case 0x23: case 0x2b: case 0x33: case 0x8b: case 0x8d: case 0x63:
		return to_reg;
	case 0x81: case 0x83:
		return to_rm && (r->reg & 7) != 7; /* cmp */
	default:
		return false;
	}
}

static struct insn86 insn(enum insn86_kind kind, uint8_t reg, int32_t value)
{
	return (struct insn86){ (uint8_t)kind, reg, value };
}

static struct insn86 kind_of_group(const struct reading *r)
{
	bool is_sp = r->mod == 3 && r->rm == INSN86_SP;

	switch (r->opcode) {
	case 0x81: case 0x83:
		if (is_sp && r->rex & REX_W && (r->reg == 0 || r->reg == 5))
			return insn(INSN86_ADD_SP, 0, r->reg ? (int32_t)(0u - (uint32_t)r->imm) : r->imm);
		break;
	case 0x89: case 0x8b:
		if (r->mod != 3 || !(r->rex & REX_W))
			break;
		if ((r->opcode == 0x89 ? r->rm : r->reg) == INSN86_BP && (r->opcode == 0x89 ? r->reg : r->rm) == INSN86_SP)
			return insn(INSN86_SET_BP, 0, 0);
		if ((r->opcode == 0x89 ? r->rm : r->reg) == INSN86_SP && (r->opcode == 0x89 ? r->reg : r->rm) == INSN86_BP)
			return insn(INSN86_SP_BP, 0, 0);
		break;
	case 0x8d:
		if (r->reg != INSN86_SP || !r->mod)
			break;
		if (r->has_index)
			break;
		if (r->has_sib && r->rm == INSN86_SP)
			return insn(INSN86_ADD_SP, 0, r->disp);
		if (!r->has_sib && r->rm == INSN86_BP)
			return insn(INSN86_SP_BP, 0, r->disp);
		break;
	case 0x8f:
		return insn(INSN86_POP, INSN86_NO_REG, 0);
	case 0xff:
		switch (r->reg & 7) {
		case 2:
			return insn(INSN86_CALL_AT, 0, 0);
		case 4:
			return insn(INSN86_JUMP_AT, 0, 0);
		case 6:
			return insn(INSN86_PUSH, INSN86_NO_REG, 0);
		}
	}
	return insn(writes_sp(r) ? INSN86_LOSE_SP : INSN86_OTHER, 0, 0);
}

static struct insn86 kind_of(const struct reading *r)
{
	uint8_t reg = (uint8_t)((r->opcode & 7) | (r->rex & REX_B ? 8 : 0));

	if (r->is_vector || r->map > MAP_0F)
		return insn(INSN86_OTHER, 0, 0);
	if (r->map == MAP_0F)
		return insn((r->opcode & 0xf0) == 0x80 ? INSN86_BRANCH : r->opcode == 0x0b ? INSN86_END :
			    r->opcode == 0x1f ? INSN86_NOP : INSN86_OTHER, 0, r->imm);
	switch (r->opcode) {
	case 0x50 ... 0x57:
		return insn(INSN86_PUSH, reg, 0);
	case 0x58 ... 0x5f:
		return reg == INSN86_SP ? insn(INSN86_LOSE_SP, 0, 0) : insn(INSN86_POP, reg, 0);
	case 0x68: case 0x6a: case 0x9c:
		return insn(INSN86_PUSH, INSN86_NO_REG, 0);
	case 0x9d:
		return insn(INSN86_POP, INSN86_NO_REG, 0);
	case 0x70 ... 0x7f: case 0xe0 ... 0xe3:
		return insn(INSN86_BRANCH, 0, r->imm);
	case 0x90:
		return insn(INSN86_NOP, 0, 0);
	case 0xc2: case 0xc3: case 0xcc: case 0xf4:
		return insn(INSN86_END, 0, 0);
	case 0xc9:
		return insn(INSN86_LEAVE, 0, 0);
	case 0xe8:
		return insn(INSN86_CALL, 0, r->imm);
	case 0xe9: case 0xeb:
		return insn(INSN86_JUMP, 0, r->imm);
	default:
		return kind_of_group(r);
	}
}

uint32_t insn86_read(const uint8_t *bytes, size_t n, struct insn86 *ret_insn)
{
	struct reading r = { .bytes = bytes, .n = n < LENGTH_MAX ? n : LENGTH_MAX };

	read_opcode(&r);
	if (read_after(&r) & INVALID || r.at > r.n)
		return 0;
	*ret_insn = kind_of(&r);
	return (uint32_t)r.at;
}
