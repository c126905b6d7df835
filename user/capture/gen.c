/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Values, operators and conditions of expressions, and the frame of the body around them; strings are in gen_text.c. */
#include "capture/gen.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "capture/gen_emit.h"
#include "capture/regs.h"

static void extend(struct gen_ctx *c, int bits, bool is_signed)
{
	if (bits >= 64)
		return;
	if (bits == 32 && !is_signed) {
		emit(c, BPF_ALU | BPF_MOV | BPF_X, 0, 0, 0, 0);
		return;
	}
	alu_imm(c, BPF_LSH, 0, 64 - bits);
	alu_imm(c, is_signed ? BPF_ARSH : BPF_RSH, 0, 64 - bits);
}

/*
 * Calls the reading helper of the address in r3, with r1 and r2 set. On both architectures the kernel is the upper half:
 * its addresses are negative numbers.
 */
static void call_reader(struct gen_ctx *c, int kernel, int user)
{
	struct patches to_user = { 0 }, done = { 0 };

	if (c->cfg->is_user) {
		call(c, user);
		return;
	}
	jump(c, BPF_JSGE, 3, 0, &to_user);
	call(c, kernel);
	jump(c, BPF_JA, 0, 0, &done);
	land(c, &to_user);
	call(c, user);
	land(c, &done);
}

/* The address is in r0. */
static void read_memory(struct gen_ctx *c, int64_t off, int size, bool is_signed)
{
	mov(c, 3, 0);
	if (off == (int32_t)off) {
		if (off)
			alu_imm(c, BPF_ADD, 3, (int32_t)off);
	} else {
		number(c, 1, off);
		alu(c, BPF_ADD, 3, 1);
	}
	emit(c, BPF_ST | BPF_MEM | BPF_DW, 10, 0, READ_AT, 0);
	mov(c, 1, 10);
	alu_imm(c, BPF_ADD, 1, READ_AT);
	mov_imm(c, 2, size);
	call_reader(c, HELPER(probe_read_kernel), HELPER(probe_read_user));
	jump(c, BPF_JNE, 0, 0, c->fault);
	load8(c, 0, 10, READ_AT);
	if (is_signed)
		extend(c, 8 * size, true);
}

static void ctx_word(struct gen_ctx *c, int off)
{
	load8(c, 0, 6, off);
}

/* From the record: at any offset, which direct loads are not. */
static void read_record(struct gen_ctx *c, uint32_t off, int size, bool is_signed)
{
	if (off % size == 0 && (size == 8 || size == 4)) {
		emit(c, BPF_LDX | BPF_MEM | (size == 8 ? BPF_DW : BPF_W), 0, 6, off, 0);
		extend(c, 8 * size, is_signed);
		return;
	}
	emit(c, BPF_ST | BPF_MEM | BPF_DW, 10, 0, READ_AT, 0);
	mov(c, 1, 10);
	alu_imm(c, BPF_ADD, 1, READ_AT);
	mov_imm(c, 2, size);
	mov(c, 3, 6);
	alu_imm(c, BPF_ADD, 3, off);
	call(c, HELPER(probe_read_kernel));
	load8(c, 0, 10, READ_AT);
	extend(c, 8 * size, is_signed);
}

static void argument(struct gen_ctx *c, uint32_t n)
{
	const struct gen_cfg *cfg = c->cfg;
	uint32_t most = cfg->is_go ? REGS_NR_GO_ARGS : REGS_NR_ARGS;

	if (cfg->context == GEN_ARGS)
		most = cfg->nr_params;
	if (n >= most)
		c->error = c->error ? c->error : err_exit(c->err, -EINVAL, EXIT_USAGE, "no register holds argument %u", n);
	else if (cfg->context == GEN_ARGS)
		load8(c, 0, 10, ARGS_AT + 8 * n);
	else if (cfg->context == GEN_CALL)
		load8(c, 0, 8, offsetof(struct probe_call, regs) + 8 * n);
	else
		ctx_word(c, cfg->is_go ? regs_go_args[n] : regs_args[n]);
}

static void builtin(struct gen_ctx *c, uint64_t what)
{
	static const uint8_t at[BUILTINS] = { [BUILTIN_PID] = offsetof(struct probe_info, pid),
					      [BUILTIN_TID] = offsetof(struct probe_info, tid),
					      [BUILTIN_TIME] = offsetof(struct probe_info, time_ns),
					      [BUILTIN_LATENCY] = offsetof(struct probe_info, latency_ns),
					      [BUILTIN_DEPTH] = offsetof(struct probe_info, depth) };

	switch (what) {
	case BUILTIN_CPU:
		call(c, HELPER(get_smp_processor_id));
		break;
	case BUILTIN_CGROUP:
		call(c, HELPER(get_current_cgroup_id));
		break;
	case BUILTIN_UID:
	case BUILTIN_GID:
		call(c, HELPER(get_current_uid_gid));
		if (what == BUILTIN_GID)
			alu_imm(c, BPF_RSH, 0, 32);
		extend(c, 32, false);
		break;
	default:
		load8(c, 0, 9, at[what]);
	}
}

static void eval(struct gen_ctx *c, uint32_t node);
static void condition(struct gen_ctx *c, uint32_t node, bool when, struct patches *to);

static const struct bound *node_at(const struct gen_ctx *c, uint32_t node)
{
	return &c->cfg->probe->nodes.data[node];
}

/* a to r1, b to r0. */
static void eval_both(struct gen_ctx *c, const struct bound *n)
{
	eval(c, n->a);
	if (c->depth == SLOTS) {
		c->error = c->error ? c->error : err_exit(c->err, -E2BIG, EXIT_USAGE, "the filter is nested too deeply");
		return;
	}
	store8(c, 10, SLOT_AT(c->depth++), 0);
	eval(c, n->b);
	load8(c, 1, 10, SLOT_AT(--c->depth));
}

static void negate(struct gen_ctx *c, int dst)
{
	emit(c, BPF_ALU64 | BPF_NEG, dst, 0, 0, 0);
}

/* r1 by r0 to r0. Instructions for it came with 6.6 only: here without the signs, which r2 counts. C's: what is left has a's. */
static void divide_signed(struct gen_ctx *c, int op, bool is_rest)
{
	struct patches a = { 0 }, b = { 0 }, done = { 0 };

	mov_imm(c, 2, 0);
	jump(c, BPF_JSGE, 1, 0, &a);
	negate(c, 1);
	alu_imm(c, BPF_XOR, 2, 1);
	land(c, &a);
	jump(c, BPF_JSGE, 0, 0, &b);
	negate(c, 0);
	if (!is_rest)
		alu_imm(c, BPF_XOR, 2, 1);
	land(c, &b);
	alu(c, op, 1, 0);
	mov(c, 0, 1);
	jump(c, BPF_JEQ, 2, 0, &done);
	negate(c, 0);
	land(c, &done);
}

static void arithmetic(struct gen_ctx *c, const struct bound *n)
{
	static const uint8_t ops[] = { [OP_BIT_OR] = BPF_OR, [OP_BIT_XOR] = BPF_XOR, [OP_BIT_AND] = BPF_AND, [OP_SHL] = BPF_LSH,
				       [OP_ADD] = BPF_ADD,   [OP_SUB] = BPF_SUB,     [OP_MUL] = BPF_MUL,     [OP_DIV] = BPF_DIV,
				       [OP_MOD] = BPF_MOD };
	const struct bound *b = node_at(c, n->b);
	bool divides = n->op == OP_DIV || n->op == OP_MOD;
	bool shifts = n->op == OP_SHL || n->op == OP_SHR;
	int op = n->op == OP_SHR ? (n->is_signed ? BPF_ARSH : BPF_RSH) : ops[n->op];

	if (b->kind == BOUND_NUMBER && b->num == (uint64_t)(int64_t)(int32_t)b->num && !(divides && n->is_signed) && !(shifts && b->num > 63)) {
		eval(c, n->a);
		alu_imm(c, op, 0, (int32_t)b->num);
		return;
	}
	eval_both(c, n);
	if (shifts)
		alu_imm(c, BPF_AND, 0, 63);
	if (divides) /* by zero there is no number */
		jump(c, BPF_JEQ, 0, 0, c->fault);
	if (divides && n->is_signed) {
		divide_signed(c, op, n->op == OP_MOD);
		return;
	}
	alu(c, op, 1, 0);
	mov(c, 0, 1);
}

/* 1 or 0 for what is a condition. */
static void truth(struct gen_ctx *c, uint32_t node)
{
	struct patches no = { 0 }, done = { 0 };

	condition(c, node, false, &no);
	mov_imm(c, 0, 1);
	jump(c, BPF_JA, 0, 0, &done);
	land(c, &no);
	mov_imm(c, 0, 0);
	land(c, &done);
}

static void eval_unary(struct gen_ctx *c, const struct bound *n)
{
	eval(c, n->a);
	if (n->op == OP_INVERT)
		alu_imm(c, BPF_XOR, 0, -1);
	else
		emit(c, BPF_ALU64 | BPF_NEG, 0, 0, 0, 0);
}

static void eval_bits(struct gen_ctx *c, const struct bound *n)
{
	eval(c, n->a);
	if (n->num + n->bits < 64)
		alu_imm(c, BPF_LSH, 0, 64 - n->num - n->bits);
	if (n->bits < 64)
		alu_imm(c, n->is_signed ? BPF_ARSH : BPF_RSH, 0, 64 - n->bits);
}

/* The address of a text in the record: 32 bits at num are its place there. */
static void record_text(struct gen_ctx *c, const struct bound *n)
{
	read_record(c, n->num, 4, false);
	alu_imm(c, BPF_AND, 0, 0xffff);
	if (n->op)
		alu_imm(c, BPF_ADD, 0, n->num + 4);
	mov(c, 1, 6);
	alu(c, BPF_ADD, 1, 0);
	mov(c, 0, 1);
}

static void eval_operator(struct gen_ctx *c, uint32_t node, const struct bound *n)
{
	bool is_condition = n->kind == BOUND_UNARY ? n->op == OP_NOT : n->op <= OP_NOT_GLOB;

	if (n->kind == BOUND_MATCH || n->kind == BOUND_MATCH_COMM || is_condition)
		truth(c, node);
	else if (n->kind == BOUND_UNARY)
		eval_unary(c, n);
	else
		arithmetic(c, n);
}

static void eval(struct gen_ctx *c, uint32_t node)
{
	const struct bound *n = node_at(c, node);

	switch (n->kind) {
	case BOUND_NUMBER:
		number(c, 0, n->num);
		break;
	case BOUND_ARG:
		argument(c, n->num);
		break;
	case BOUND_SP:
		if (c->cfg->context == GEN_CALL)
			load8(c, 0, 8, offsetof(struct probe_call, sp));
		else
			ctx_word(c, REGS_SP);
		break;
	case BOUND_REG:
		ctx_word(c, regs_dwarf[n->num < REGS_NR_DWARF ? n->num : 0]);
		break;
	case BOUND_RET:
		if (c->cfg->context == GEN_ARGS)
			load8(c, 0, 10, ARGS_AT + 8 * c->cfg->nr_params);
		else
			ctx_word(c, REGS_RET);
		break;
	case BOUND_RECORD:
		read_record(c, n->num, n->size, n->is_signed);
		break;
	case BOUND_BUILTIN:
		builtin(c, n->num);
		break;
	case BOUND_LOAD:
		eval(c, n->a);
		read_memory(c, n->num, n->size, n->is_signed);
		break;
	case BOUND_CUT:
		eval(c, n->a);
		extend(c, 8 * n->size, n->is_signed);
		break;
	case BOUND_BITS:
		eval_bits(c, n);
		break;
	case BOUND_SWAP:
		eval(c, n->a);
		emit(c, BPF_ALU | BPF_END | BPF_TO_BE, 0, 0, 0, 8 * n->size);
		break;
	case BOUND_RECORD_AT:
	case BOUND_RECORD_LOC:
		c->error = c->error ? c->error : err_exit(c->err, -EINVAL, EXIT_USAGE, "a string of a record has no address");
		break;
	default:
		eval_operator(c, node, n);
	}
}

static bool is_record_text(const struct gen_ctx *c, uint32_t node)
{
	return node_at(c, node)->kind == BOUND_RECORD_AT || node_at(c, node)->kind == BOUND_RECORD_LOC;
}

/* To r3. */
static void text_address(struct gen_ctx *c, uint32_t node)
{
	const struct bound *n = node_at(c, node);

	if (n->kind == BOUND_RECORD_AT) {
		mov(c, 3, 6);
		alu_imm(c, BPF_ADD, 3, n->num);
		return;
	}
	if (n->kind == BOUND_RECORD_LOC)
		record_text(c, n);
	else
		eval(c, node);
	mov(c, 3, 0);
}

void gen_read_text(struct gen_ctx *c, uint32_t node, int to, int off, int bytes)
{
	text_address(c, node);
	mov(c, 1, to);
	alu_imm(c, BPF_ADD, 1, off);
	mov_imm(c, 2, bytes);
	if (is_record_text(c, node))
		call(c, HELPER(probe_read_kernel_str));
	else
		call_reader(c, HELPER(probe_read_kernel_str), HELPER(probe_read_user_str));
}

static void compare(struct gen_ctx *c, const struct bound *n, bool when, struct patches *to)
{
	/* [op][signed]: of a op b; the opposite is at the same place of inverse. */
	static const uint8_t ops[][2] = { [OP_EQ] = { BPF_JEQ, BPF_JEQ },  [OP_NE] = { BPF_JNE, BPF_JNE },  [OP_LT] = { BPF_JLT, BPF_JSLT },
					  [OP_LE] = { BPF_JLE, BPF_JSLE }, [OP_GT] = { BPF_JGT, BPF_JSGT }, [OP_GE] = { BPF_JGE, BPF_JSGE } };
	static const uint8_t inverse[] = { [OP_EQ] = OP_NE, [OP_NE] = OP_EQ, [OP_LT] = OP_GE, [OP_LE] = OP_GT, [OP_GT] = OP_LE, [OP_GE] = OP_LT };
	const struct bound *b = node_at(c, n->b);
	int op = ops[when ? n->op : inverse[n->op]][n->is_signed];

	if (b->kind == BOUND_NUMBER && b->num == (uint64_t)(int64_t)(int32_t)b->num) {
		eval(c, n->a);
		jump(c, op, 0, (int32_t)b->num, to);
		return;
	}
	eval_both(c, n);
	jump_reg(c, op, 1, 0, to);
}

/* Jumps when the truth of the node is `when`, falls through when not. */
static void condition(struct gen_ctx *c, uint32_t node, bool when, struct patches *to)
{
	const struct bound *n = node_at(c, node);
	struct patches skip = { 0 };

	if (n->kind == BOUND_MATCH || n->kind == BOUND_MATCH_COMM) {
		gen_match(c, n, when, to);
	} else if (n->kind == BOUND_UNARY && n->op == OP_NOT) {
		condition(c, n->a, !when, to);
	} else if (n->kind == BOUND_BINARY && (n->op == OP_AND || n->op == OP_OR)) {
		bool decides = n->op == OP_OR; /* a's truth that decides for both */

		condition(c, n->a, decides, when == decides ? to : &skip);
		condition(c, n->b, when, to);
		land(c, &skip);
	} else if (n->kind == BOUND_BINARY && n->op >= OP_EQ && n->op <= OP_GE) {
		compare(c, n, when, to);
	} else {
		eval(c, node);
		jump(c, when ? BPF_JNE : BPF_JEQ, 0, 0, to);
	}
}

/* The arguments of a trampoline, as numbers: what is loaded from its context are pointers to the verifier, with their own rules. */
static void copy_args(struct gen_ctx *c)
{
	if (c->cfg->context != GEN_ARGS)
		return;
	mov(c, 1, 10);
	alu_imm(c, BPF_ADD, 1, ARGS_AT);
	mov_imm(c, 2, 8 * (c->cfg->nr_params + 1 < ARGS_MAX ? c->cfg->nr_params + 1 : ARGS_MAX));
	mov(c, 3, 6);
	call(c, HELPER(probe_read_kernel));
}

/*
 * The record with the data after it, whose end is not known: what is copied past it is never read. Buffers have
 * 2048 bytes at least (PERF_MAX_TRACE_SIZE). A system call's is on the stack, and has no data.
 */
static void read_whole(struct gen_ctx *c, const struct gen_dest *d)
{
	mov(c, 1, 7);
	alu_imm(c, BPF_ADD, 1, d->off);
	mov_imm(c, 2, d->bytes);
	mov(c, 3, 6);
	call(c, HELPER(probe_read_kernel));
}

/* At most room - 1, and no less than 0: in a way that all verifiers follow. */
static void bound_count(struct gen_ctx *c, int reg, int32_t room)
{
	struct patches some = { 0 }, fits = { 0 };

	jump(c, BPF_JSGT, reg, 0, &some);
	mov_imm(c, reg, 0);
	land(c, &some);
	jump(c, BPF_JLT, reg, room, &fits);
	mov_imm(c, reg, room - 1);
	land(c, &fits);
}

/* A text that need not end in NUL: as many bytes as arg->count says, or as there is room for, then a NUL. A negative count is none. */
static void read_counted(struct gen_ctx *c, const struct bound_arg *arg, const struct gen_dest *d)
{
	uint32_t room = arg->text_max && arg->text_max < d->bytes ? arg->text_max : d->bytes;

	eval(c, arg->count);
	store8(c, 10, SLOT_AT(c->depth++), 0);
	text_address(c, arg->node);
	load8(c, 2, 10, SLOT_AT(--c->depth));
	bound_count(c, 2, room);
	store8(c, 10, SLOT_AT(0), 2);
	mov(c, 1, 7);
	alu_imm(c, BPF_ADD, 1, d->off);
	if (is_record_text(c, arg->node))
		call(c, HELPER(probe_read_kernel));
	else
		call_reader(c, HELPER(probe_read_kernel), HELPER(probe_read_user));
	jump(c, BPF_JNE, 0, 0, c->fault);
	load8(c, 1, 10, SLOT_AT(0));
	bound_count(c, 1, room); /* kernels before 5.16 forget what they knew of a number on the stack */
	mov(c, 2, 7);
	alu_imm(c, BPF_ADD, 2, d->off);
	alu(c, BPF_ADD, 2, 1);
	emit(c, BPF_ST | BPF_MEM | BPF_B, 2, 0, 0, 0);
}

static void put_value(struct gen_ctx *c, int i)
{
	const struct gen_dest *d = &c->cfg->dests[i];
	const struct bound_arg *arg = &c->cfg->probe->args[d->arg];
	struct patches fault = { 0 }, done = { 0 };

	c->fault = &fault;
	if (arg->is_comm) {
		mov(c, 1, 7);
		alu_imm(c, BPF_ADD, 1, d->off);
		mov_imm(c, 2, PROBE_COMM_LEN);
		call(c, HELPER(get_current_comm));
		return;
	}
	if (arg->show == VALUE_RECORD) {
		read_whole(c, d);
		jump(c, BPF_JNE, 0, 0, &fault);
	} else if (arg->show == VALUE_TEXT) {
		for (uint32_t at = 0; at < d->bytes && d->bytes <= BY_TEXT_MAX; at += 8) /* a key is hashed whole */
			emit(c, BPF_ST | BPF_MEM | BPF_DW, 7, 0, d->off + at, 0);
		if (arg->count) {
			read_counted(c, arg, d);
		} else {
			gen_read_text(c, arg->node, 7, d->off, arg->text_max && arg->text_max < d->bytes ? arg->text_max : d->bytes);
			jump(c, BPF_JSLT, 0, 0, &fault);
		}
	} else {
		eval(c, arg->node);
		store8(c, 7, d->off, 0);
	}
	if (fault.at.n) {
		jump(c, BPF_JA, 0, 0, &done);
		land(c, &fault);
		load8(c, 1, 9, offsetof(struct probe_info, faults));
		alu_imm(c, BPF_OR, 1, 1 << i);
		store8(c, 9, offsetof(struct probe_info, faults), 1);
		emit(c, BPF_ST | BPF_MEM | BPF_DW, 7, 0, d->off, 0);
		land(c, &done);
	}
}

static void leave(struct gen_ctx *c, int ret)
{
	mov_imm(c, 0, ret);
	emit(c, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

int gen_code(const struct gen_cfg *cfg, struct gen *g, struct err *err)
{
	struct patches values = { 0 }, drop = { 0 }, fault = { 0 };
	struct gen_ctx c = { .cfg = cfg, .g = g, .fault = &fault, .err = err };

	mov(&c, 6, 1);
	mov(&c, 7, 2);
	mov(&c, 8, 3);
	mov(&c, 9, 4);
	jump(&c, BPF_JNE, 5, PROBE_ASK_FILTER, &values);
	if (cfg->probe->filter) {
		copy_args(&c);
		condition(&c, cfg->probe->filter, false, &drop);
	}
	leave(&c, 1);
	if (drop.at.n) {
		land(&c, &drop);
		leave(&c, 0);
	}
	if (fault.at.n) {
		land(&c, &fault);
		leave(&c, PROBE_FAULT);
	}
	land(&c, &values);
	if (cfg->nr_dests)
		copy_args(&c);
	for (int i = 0; i < cfg->nr_dests; i++)
		put_value(&c, i);
	leave(&c, 0);
	return c.error;
}
