/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Between the files of gen: how an instruction is written. r6: context, r7: where values go, r8: struct probe_call, r9: struct
 * probe_info; an expression's value is in r0. Places on the stack: what was read last, then one for each operator that waits for its
 * right side, then the arguments of a trampoline, then a text.
 */
#ifndef SKEP_CAPTURE_GEN_EMIT_H
#define SKEP_CAPTURE_GEN_EMIT_H

#include <errno.h>

#include "bpf/probe.h"
#include "capture/gen.h"

#define READ_AT (-8)
#define SLOTS 12
#define SLOT_AT(i) (-16 - 8 * (i))
#define ARGS_MAX 7 /* of a trampoline, the result included */
#define ARGS_AT (SLOT_AT(SLOTS) - 8 * ARGS_MAX)
#define TEXT_BYTES (BIND_TEXT_MAX + 1)
#define TEXT_AT (ARGS_AT - TEXT_BYTES)
#define STACK_MAX 512 /* of the program and what it calls together; the models use up to 144 */
_Static_assert(-TEXT_AT <= STACK_MAX - 192, "no room for the model's own");
#define CODE_MAX 30000 /* jumps have 16 bits */

/* linux/bpf.h's, which does not have them as constants of the preprocessor. */
#define HELPER(name) BPF_FUNC_##name

struct patches {
	VEC(uint32_t) at; /* jumps to one place that is not there yet */
};

struct gen_ctx {
	const struct gen_cfg *cfg;
	struct gen *g;
	struct patches *fault;
	struct err *err;
	int depth;
	int error; /* the first */
};

static inline void emit(struct gen_ctx *c, uint8_t code, uint8_t dst, uint8_t src, int16_t off, int32_t imm)
{
	if (c->error)
		return;
	if (c->g->insns.n >= CODE_MAX || vec_reserve(&c->g->insns)) {
		c->error = c->g->insns.n >= CODE_MAX ? err_exit(c->err, -E2BIG, EXIT_USAGE, "the filter is too long for one program") : -ENOMEM;
		return;
	}
	c->g->insns.data[c->g->insns.n++] = (struct bpf_insn){ .code = code, .dst_reg = dst, .src_reg = src, .off = off, .imm = imm };
}

static inline void mov(struct gen_ctx *c, int dst, int src)
{
	emit(c, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0);
}

static inline void mov_imm(struct gen_ctx *c, int dst, int32_t imm)
{
	emit(c, BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, imm);
}

static inline void alu_imm(struct gen_ctx *c, int op, int dst, int32_t imm)
{
	emit(c, BPF_ALU64 | op | BPF_K, dst, 0, 0, imm);
}

static inline void alu(struct gen_ctx *c, int op, int dst, int src)
{
	emit(c, BPF_ALU64 | op | BPF_X, dst, src, 0, 0);
}

static inline void number(struct gen_ctx *c, int dst, uint64_t value)
{
	if (value == (uint64_t)(int64_t)(int32_t)value) {
		mov_imm(c, dst, (int32_t)value);
		return;
	}
	emit(c, BPF_LD | BPF_IMM | BPF_DW, dst, 0, 0, (int32_t)value);
	emit(c, 0, 0, 0, 0, (int32_t)(value >> 32));
}

static inline void load8(struct gen_ctx *c, int dst, int src, int off)
{
	emit(c, BPF_LDX | BPF_MEM | BPF_DW, dst, src, off, 0);
}

static inline void store8(struct gen_ctx *c, int dst, int off, int src)
{
	emit(c, BPF_STX | BPF_MEM | BPF_DW, dst, src, off, 0);
}

static inline void call(struct gen_ctx *c, int helper)
{
	emit(c, BPF_JMP | BPF_CALL, 0, 0, 0, helper);
}

/* A jump whose end is set by land(). */
static inline void jump(struct gen_ctx *c, int op, int dst, int32_t imm, struct patches *to)
{
	if (!c->error && vec_reserve(&to->at))
		c->error = -ENOMEM;
	if (c->error)
		return;
	to->at.data[to->at.n++] = c->g->insns.n;
	emit(c, BPF_JMP | op | BPF_K, dst, 0, 0, imm);
}

static inline void jump_reg(struct gen_ctx *c, int op, int dst, int src, struct patches *to)
{
	jump(c, op, dst, 0, to);
	if (!c->error) {
		c->g->insns.data[c->g->insns.n - 1].code = BPF_JMP | op | BPF_X;
		c->g->insns.data[c->g->insns.n - 1].src_reg = src;
	}
}

static inline void land(struct gen_ctx *c, struct patches *here)
{
	for (size_t i = 0; i < here->at.n && !c->error; i++)
		c->g->insns.data[here->at.data[i]].off = c->g->insns.n - here->at.data[i] - 1;
	vec_free(&here->at);
}

/* Reads the text of a node to `to` plus off, `bytes` of it with its NUL at most; its length or -errno to r0. */
void gen_read_text(struct gen_ctx *c, uint32_t node, int to, int off, int bytes);

/* Jumps when the match that n is, is `when`; falls through when not. */
void gen_match(struct gen_ctx *c, const struct bound *n, bool when, struct patches *to);

#endif
