/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * r6: context, r7: where values go, r8: struct probe_call, r9: struct probe_info; an expression's value is in r0. Places on the
 * stack: what was read last, then one for each operator that waits for its right side, then a text or the context's arguments.
 */
#include "capture/gen.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/probe.h"
#include "capture/regs.h"

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

struct ctx {
	const struct gen_cfg *cfg;
	struct gen *g;
	struct patches *fault;
	struct err *err;
	int depth;
	int error; /* the first */
};

static void emit(struct ctx *c, uint8_t code, uint8_t dst, uint8_t src, int16_t off, int32_t imm)
{
	if (c->error)
		return;
	if (c->g->insns.n >= CODE_MAX || vec_reserve(&c->g->insns)) {
		c->error = c->g->insns.n >= CODE_MAX ? err_exit(c->err, -E2BIG, EXIT_USAGE, "the filter is too long for one program") : -ENOMEM;
		return;
	}
	c->g->insns.data[c->g->insns.n++] = (struct bpf_insn){ .code = code, .dst_reg = dst, .src_reg = src, .off = off, .imm = imm };
}

static void mov(struct ctx *c, int dst, int src)
{
	emit(c, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0);
}

static void mov_imm(struct ctx *c, int dst, int32_t imm)
{
	emit(c, BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, imm);
}

static void alu_imm(struct ctx *c, int op, int dst, int32_t imm)
{
	emit(c, BPF_ALU64 | op | BPF_K, dst, 0, 0, imm);
}

static void alu(struct ctx *c, int op, int dst, int src)
{
	emit(c, BPF_ALU64 | op | BPF_X, dst, src, 0, 0);
}

static void number(struct ctx *c, int dst, uint64_t value)
{
	if (value == (uint64_t)(int64_t)(int32_t)value) {
		mov_imm(c, dst, (int32_t)value);
		return;
	}
	emit(c, BPF_LD | BPF_IMM | BPF_DW, dst, 0, 0, (int32_t)value);
	emit(c, 0, 0, 0, 0, (int32_t)(value >> 32));
}

static void load8(struct ctx *c, int dst, int src, int off)
{
	emit(c, BPF_LDX | BPF_MEM | BPF_DW, dst, src, off, 0);
}

static void store8(struct ctx *c, int dst, int off, int src)
{
	emit(c, BPF_STX | BPF_MEM | BPF_DW, dst, src, off, 0);
}

static void call(struct ctx *c, int helper)
{
	emit(c, BPF_JMP | BPF_CALL, 0, 0, 0, helper);
}

/* A jump whose end is set by land(). */
static void jump(struct ctx *c, int op, int dst, int32_t imm, struct patches *to)
{
	if (!c->error && vec_reserve(&to->at))
		c->error = -ENOMEM;
	if (c->error)
		return;
	to->at.data[to->at.n++] = c->g->insns.n;
	emit(c, BPF_JMP | op | BPF_K, dst, 0, 0, imm);
}

static void jump_reg(struct ctx *c, int op, int dst, int src, struct patches *to)
{
	jump(c, op, dst, 0, to);
	if (!c->error) {
		c->g->insns.data[c->g->insns.n - 1].code = BPF_JMP | op | BPF_X;
		c->g->insns.data[c->g->insns.n - 1].src_reg = src;
	}
}

static void land(struct ctx *c, struct patches *here)
{
	for (size_t i = 0; i < here->at.n && !c->error; i++)
		c->g->insns.data[here->at.data[i]].off = c->g->insns.n - here->at.data[i] - 1;
	vec_free(&here->at);
}

static void extend(struct ctx *c, int bits, bool is_signed)
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
 * Calls the reading helper of the address in r3, with r1 and r2 set. Both architectures have the kernel in the upper half: the
 * sign tells.
 */
static void call_reader(struct ctx *c, int kernel, int user)
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
static void read_memory(struct ctx *c, int64_t off, int size, bool is_signed)
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

static void ctx_word(struct ctx *c, int off)
{
	load8(c, 0, 6, off);
}

/* From the record: at any offset, which direct loads are not. */
static void read_record(struct ctx *c, uint32_t off, int size, bool is_signed)
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

static void argument(struct ctx *c, uint32_t n)
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

static void builtin(struct ctx *c, uint64_t what)
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

static void eval(struct ctx *c, uint32_t node);
static void condition(struct ctx *c, uint32_t node, bool when, struct patches *to);

static const struct bound *node_at(const struct ctx *c, uint32_t node)
{
	return &c->cfg->probe->nodes.data[node];
}

/* a to r1, b to r0. */
static void eval_both(struct ctx *c, const struct bound *n)
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

static void negate(struct ctx *c, int dst)
{
	emit(c, BPF_ALU64 | BPF_NEG, dst, 0, 0, 0);
}

/* r1 by r0 to r0. Instructions for it came with 6.6 only: here without the signs, which r2 counts. C's: what is left has a's. */
static void divide_signed(struct ctx *c, int op, bool is_rest)
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

static void arithmetic(struct ctx *c, const struct bound *n)
{
	static const uint8_t ops[] = { [OP_BIT_OR] = BPF_OR, [OP_BIT_XOR] = BPF_XOR, [OP_BIT_AND] = BPF_AND, [OP_SHL] = BPF_LSH,
				       [OP_ADD] = BPF_ADD,   [OP_SUB] = BPF_SUB,     [OP_MUL] = BPF_MUL,     [OP_DIV] = BPF_DIV,
				       [OP_MOD] = BPF_MOD };
	const struct bound *b = node_at(c, n->b);
	bool divides = n->op == OP_DIV || n->op == OP_MOD;
	int op = n->op == OP_SHR ? (n->is_signed ? BPF_ARSH : BPF_RSH) : ops[n->op];

	if (b->kind == BOUND_NUMBER && b->num == (uint64_t)(int64_t)(int32_t)b->num && !(divides && n->is_signed) && !((n->op == OP_SHL || n->op == OP_SHR) && b->num > 63)) {
		eval(c, n->a);
		alu_imm(c, op, 0, (int32_t)b->num);
		return;
	}
	eval_both(c, n);
	if (n->op == OP_SHL || n->op == OP_SHR)
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
static void truth(struct ctx *c, uint32_t node)
{
	struct patches no = { 0 }, done = { 0 };

	condition(c, node, false, &no);
	mov_imm(c, 0, 1);
	jump(c, BPF_JA, 0, 0, &done);
	land(c, &no);
	mov_imm(c, 0, 0);
	land(c, &done);
}

static void eval_unary(struct ctx *c, const struct bound *n)
{
	eval(c, n->a);
	if (n->op == OP_INVERT)
		alu_imm(c, BPF_XOR, 0, -1);
	else
		emit(c, BPF_ALU64 | BPF_NEG, 0, 0, 0, 0);
}

static void eval_bits(struct ctx *c, const struct bound *n)
{
	eval(c, n->a);
	if (n->num + n->bits < 64)
		alu_imm(c, BPF_LSH, 0, 64 - n->num - n->bits);
	if (n->bits < 64)
		alu_imm(c, n->is_signed ? BPF_ARSH : BPF_RSH, 0, 64 - n->bits);
}

/* The address of a text in the record: 32 bits at num are its place there. */
static void record_text(struct ctx *c, const struct bound *n)
{
	read_record(c, n->num, 4, false);
	alu_imm(c, BPF_AND, 0, 0xffff);
	if (n->op)
		alu_imm(c, BPF_ADD, 0, n->num + 4);
	mov(c, 1, 6);
	alu(c, BPF_ADD, 1, 0);
	mov(c, 0, 1);
}

static void eval_operator(struct ctx *c, uint32_t node, const struct bound *n)
{
	bool is_condition = n->kind == BOUND_UNARY ? n->op == OP_NOT : n->op <= OP_NOT_GLOB;

	if (n->kind == BOUND_MATCH || n->kind == BOUND_MATCH_COMM || is_condition)
		truth(c, node);
	else if (n->kind == BOUND_UNARY)
		eval_unary(c, n);
	else
		arithmetic(c, n);
}

static void eval(struct ctx *c, uint32_t node)
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
		c->error = c->error ? c->error : err_exit(c->err, -EINVAL, EXIT_USAGE, "a text of a record has no address");
		break;
	default:
		eval_operator(c, node, n);
	}
}

/* Reads the text of a node to `to` plus off, `bytes` of it with its NUL at most; its length or -errno to r0. */
static void read_text(struct ctx *c, uint32_t node, int to, int off, int bytes)
{
	const struct bound *n = node_at(c, node);

	if (n->kind == BOUND_RECORD_AT || n->kind == BOUND_RECORD_LOC) {
		if (n->kind == BOUND_RECORD_LOC) {
			record_text(c, n);
			mov(c, 3, 0);
		} else {
			mov(c, 3, 6);
			alu_imm(c, BPF_ADD, 3, n->num);
		}
	} else {
		eval(c, node);
		mov(c, 3, 0);
	}
	mov(c, 1, to);
	alu_imm(c, BPF_ADD, 1, off);
	mov_imm(c, 2, bytes);
	if (n->kind == BOUND_RECORD_AT || n->kind == BOUND_RECORD_LOC)
		call(c, HELPER(probe_read_kernel_str));
	else
		call_reader(c, HELPER(probe_read_kernel_str), HELPER(probe_read_user_str));
}

static void clear_text(struct ctx *c, int bytes)
{
	for (int i = 0; i < bytes; i += 8)
		emit(c, BPF_ST | BPF_MEM | BPF_DW, 10, 0, TEXT_AT + i, 0);
}

/* Are the first n bytes of the text those? Jumps to no where they are not. */
static void compare_bytes(struct ctx *c, const char *with, int n, struct patches *no)
{
	for (int i = 0; i < n; i += 8) {
		int bytes = n - i < 8 ? n - i : 8;
		uint64_t word = 0;

		memcpy(&word, with + i, bytes);
		load8(c, 0, 10, TEXT_AT + i);
		if (bytes < 8)
			alu_imm(c, BPF_LSH, 0, 64 - 8 * bytes);
		number(c, 1, bytes < 8 ? word << (64 - 8 * bytes) : word);
		jump_reg(c, BPF_JNE, 0, 1, no);
	}
}

int gen_glob_compile(const char *pattern, size_t len, struct gen_glob *ret_glob)
{
	unsigned state = 0;

	memset(ret_glob, 0, sizeof(*ret_glob));
	for (size_t i = 0; i < len; i++) {
		uint64_t bit = 1ull << state;
		size_t first = i + 2 + (i + 1 < len && (pattern[i + 1] == '!' || pattern[i + 1] == '^')); /* behind one of the set */
		const char *close = pattern[i] == '[' && first < len ? memchr(pattern + first, ']', len - first) : NULL;

		if (pattern[i] == '*') {
			ret_glob->loop |= bit;
			continue;
		}
		if (state == 62)
			return -E2BIG;
		if (pattern[i] == '?') {
			for (int ch = 1; ch < GEN_CHARS; ch++)
				ret_glob->step[ch] |= bit;
		} else if (close) {
			const char *at = pattern + i + 1;
			bool is_not = *at == '!' || *at == '^';

			for (int ch = 1; ch < GEN_CHARS; ch++) {
				bool in = false;

				for (const char *p = at + is_not; p < close; p++) {
					bool range = p + 2 < close && p[1] == '-';

					in |= ch >= (unsigned char)p[0] && ch <= (unsigned char)p[range ? 2 : 0];
					p += range ? 2 : 0;
				}
				if (in != is_not)
					ret_glob->step[ch] |= bit;
			}
			i = close - pattern;
		} else {
			if (pattern[i] == '\\' && i + 1 < len)
				i++;
			ret_glob->step[(unsigned char)pattern[i]] |= bit;
		}
		state++;
	}
	ret_glob->accept = 1ull << state;
	return 0;
}

/* The table of a pattern, which probes share; its index, or -errno. */
static int add_glob(struct ctx *c, const char *pattern, int len)
{
	struct gen *g = c->g;
	struct gen_glob glob;
	int i = 0;

	if (gen_glob_compile(pattern, len, &glob))
		return c->error = err_exit(c->err, -E2BIG, EXIT_USAGE, "a pattern has at most 62 characters");
	while (i < *g->nr_globs && memcmp(&g->globs[i], &glob, sizeof(glob)))
		i++;
	if (i == GEN_GLOBS_MAX)
		return c->error = err_exit(c->err, -E2BIG, EXIT_USAGE, "at most %d patterns in one run", GEN_GLOBS_MAX);
	g->globs[i] = glob;
	*g->nr_globs += i == *g->nr_globs;
	return i;
}

/* Every byte of the text steps all states at once (Shift-And); it has ended at its NUL. The states are in r2, the table in r4. */
static void run_glob(struct ctx *c, const char *pattern, int len, int text_bytes, struct patches *no)
{
	struct gen *g = c->g;
	struct patches end = { 0 };
	const struct gen_glob *glob;
	int index;

	if (c->error)
		return;
	index = add_glob(c, pattern, len);
	if (index < 0)
		return;
	glob = &g->globs[index];
	emit(c, BPF_LD | BPF_IMM | BPF_DW, 4, BPF_PSEUDO_MAP_VALUE, 0, c->cfg->globs_fd);
	emit(c, 0, 0, 0, 0, index * (int)sizeof(*glob));
	mov_imm(c, 2, 1);
	number(c, 5, glob->loop);
	for (int i = 0; i < text_bytes; i++) {
		emit(c, BPF_LDX | BPF_MEM | BPF_B, 1, 10, TEXT_AT + i, 0);
		jump(c, BPF_JEQ, 1, 0, &end);
		alu_imm(c, BPF_LSH, 1, 3);
		mov(c, 3, 4);
		alu(c, BPF_ADD, 3, 1);
		load8(c, 3, 3, 0);
		alu(c, BPF_AND, 3, 2);
		alu_imm(c, BPF_LSH, 3, 1);
		alu(c, BPF_AND, 2, 5);
		alu(c, BPF_OR, 2, 3);
	}
	land(c, &end);
	number(c, 1, glob->accept);
	alu(c, BPF_AND, 2, 1);
	jump(c, BPF_JEQ, 2, 0, no);
}

static bool is_plain(const char *pattern, int len)
{
	for (int i = 0; i < len; i++)
		if (strchr("*?[\\", pattern[i]))
			return false;
	return true;
}

/* Falls through when the text matches. */
static void match(struct ctx *c, const struct bound *n, struct patches *no)
{
	const char *with = n->literal;
	int len = n->size, room;
	bool is_glob = (n->op == OP_GLOB || n->op == OP_NOT_GLOB) && !is_plain(with, len), is_prefix;
	char exact[TEXT_BYTES] = "";

	is_prefix = is_glob && with[len - 1] == '*' && is_plain(with, len - 1);
	memcpy(exact, with, is_prefix ? len - 1 : len);
	if (is_prefix)
		len--;
	room = is_glob && !is_prefix ? TEXT_BYTES : is_prefix ? len + 1 : len + 2;
	if (n->kind == BOUND_MATCH_COMM) {
		room = PROBE_COMM_LEN;
		if (len >= PROBE_COMM_LEN && !(is_glob && !is_prefix)) { /* no name is so long */
			jump(c, BPF_JA, 0, 0, no);
			return;
		}
		clear_text(c, room);
		mov(c, 1, 10);
		alu_imm(c, BPF_ADD, 1, TEXT_AT);
		mov_imm(c, 2, room);
		call(c, HELPER(get_current_comm));
	} else {
		clear_text(c, (room + 7) & ~7);
		if (n->b && (int)n->b < room)
			room = n->b;
		read_text(c, n->a, 10, TEXT_AT, room);
		jump(c, BPF_JSLT, 0, 0, c->fault);
		if (is_glob && !is_prefix && room == TEXT_BYTES) /* it may go on behind what was read */
			jump(c, BPF_JSGE, 0, TEXT_BYTES, c->fault);
	}
	if (is_glob && !is_prefix)
		run_glob(c, with, len, room - 1, no);
	else
		compare_bytes(c, exact, is_prefix ? len : len + 1, no);
}

static void match_condition(struct ctx *c, const struct bound *n, bool when, struct patches *to)
{
	bool is_not = n->op == OP_NE || n->op == OP_NOT_GLOB;
	struct patches no = { 0 };

	if (when == is_not) { /* jump where it does not match */
		match(c, n, to);
		return;
	}
	match(c, n, &no);
	jump(c, BPF_JA, 0, 0, to);
	land(c, &no);
}

static void compare(struct ctx *c, const struct bound *n, bool when, struct patches *to)
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
static void condition(struct ctx *c, uint32_t node, bool when, struct patches *to)
{
	const struct bound *n = node_at(c, node);
	struct patches skip = { 0 };

	if (n->kind == BOUND_MATCH || n->kind == BOUND_MATCH_COMM) {
		match_condition(c, n, when, to);
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
static void copy_args(struct ctx *c)
{
	if (c->cfg->context != GEN_ARGS)
		return;
	mov(c, 1, 10);
	alu_imm(c, BPF_ADD, 1, ARGS_AT);
	mov_imm(c, 2, 8 * (c->cfg->nr_params + 1 < ARGS_MAX ? c->cfg->nr_params + 1 : ARGS_MAX));
	mov(c, 3, 6);
	call(c, HELPER(probe_read_kernel));
}

static void put_value(struct ctx *c, int i)
{
	const struct gen_dest *d = &c->cfg->dests[i];
	const struct bound_arg *arg = &c->cfg->probe->args[d->arg];
	struct patches fault = { 0 }, done = { 0 };

	c->fault = &fault;
	if (arg->show == SHOW_COMM) {
		mov(c, 1, 7);
		alu_imm(c, BPF_ADD, 1, d->off);
		mov_imm(c, 2, PROBE_COMM_LEN);
		call(c, HELPER(get_current_comm));
		return;
	}
	if (arg->show == SHOW_TEXT) {
		for (uint32_t at = 0; at < d->bytes && d->bytes <= BY_TEXT_MAX; at += 8) /* a key is hashed whole */
			emit(c, BPF_ST | BPF_MEM | BPF_DW, 7, 0, d->off + at, 0);
		read_text(c, arg->node, 7, d->off, arg->text_max && arg->text_max < d->bytes ? arg->text_max : d->bytes);
		jump(c, BPF_JSLT, 0, 0, &fault);
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

static void leave(struct ctx *c, int ret)
{
	mov_imm(c, 0, ret);
	emit(c, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

int gen_code(const struct gen_cfg *cfg, struct gen *g, struct err *err)
{
	struct patches values = { 0 }, drop = { 0 }, fault = { 0 };
	struct ctx c = { .cfg = cfg, .g = g, .fault = &fault, .err = err };

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
