/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * From call frame instructions to a rule; and expressions, of which compilers write few: a place is a register and an offset,
 * read once at most.
 */
#include "unwind/cfi.h"

#define REG_CFA UINT16_MAX /* in an expression: what is on the stack first */
#define STACK_MAX 4u
#define PLT_SHIFT 3u
#define PUSHED_BYTES 16

enum op {
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08,
	OP_CONST1S = 0x09,
	OP_CONST2U = 0x0a,
	OP_CONST2S = 0x0b,
	OP_CONST4U = 0x0c,
	OP_CONST4S = 0x0d,
	OP_CONST8U = 0x0e,
	OP_CONST8S = 0x0f,
	OP_CONSTU = 0x10,
	OP_CONSTS = 0x11,
	OP_AND = 0x1a,
	OP_MINUS = 0x1c,
	OP_MUL = 0x1e,
	OP_PLUS = 0x22,
	OP_PLUS_UCONST = 0x23,
	OP_SHL = 0x24,
	OP_GE = 0x2a,
	OP_LIT0 = 0x30,
	OP_LIT31 = 0x4f,
	OP_BREG0 = 0x70,
	OP_BREG31 = 0x8f,
	OP_BREGX = 0x92,
	OP_NOP = 0x96,
};

struct value {
	enum { VALUE_CONST, VALUE_REG, VALUE_DEREF } form; /* add; reg + add; *(reg + off) + add */
	uint64_t reg, off, add;
};

struct stack {
	struct value v[STACK_MAX];
	unsigned int n;
};

static bool push(struct stack *s, struct value v)
{
	if (s->n == STACK_MAX)
		return false;
	s->v[s->n++] = v;
	return true;
}

static bool push_const(struct stack *s, uint64_t v)
{
	return push(s, (struct value){ .form = VALUE_CONST, .add = v });
}

static bool push_reg(struct stack *s, uint64_t reg, int64_t off)
{
	return push(s, (struct value){ .form = VALUE_REG, .reg = reg, .add = (uint64_t)off });
}

static bool deref(struct stack *s)
{
	struct value *top;

	if (!s->n || s->v[s->n - 1].form != VALUE_REG)
		return false;
	top = &s->v[s->n - 1];
	*top = (struct value){ .form = VALUE_DEREF, .reg = top->reg, .off = top->add };
	return true;
}

/* Of two values one must be a number. */
static bool plus(struct stack *s, bool is_minus)
{
	struct value a, b;

	if (s->n < 2)
		return false;
	b = s->v[--s->n];
	a = s->v[--s->n];
	if (b.form == VALUE_CONST) {
		a.add += is_minus ? 0 - b.add : b.add;
		return push(s, a);
	}
	b.add += a.add;
	return a.form == VALUE_CONST && !is_minus && push(s, b);
}

static bool eval_op(struct stack *s, struct bytes *b)
{
	uint8_t op = bytes_u8(b);
	uint64_t reg;

	if (op >= OP_LIT0 && op <= OP_LIT31)
		return push_const(s, op - OP_LIT0);
	if (op >= OP_BREG0 && op <= OP_BREG31)
		return push_reg(s, op - OP_BREG0, bytes_sleb(b));
	switch (op) {
	case OP_DEREF:
		return deref(s);
	case OP_CONST1U:
		return push_const(s, bytes_u8(b));
	case OP_CONST1S:
		return push_const(s, (uint64_t)(int64_t)(int8_t)bytes_u8(b));
	case OP_CONST2U:
		return push_const(s, bytes_u16(b));
	case OP_CONST2S:
		return push_const(s, (uint64_t)(int64_t)(int16_t)bytes_u16(b));
	case OP_CONST4U:
		return push_const(s, bytes_u32(b));
	case OP_CONST4S:
		return push_const(s, (uint64_t)(int64_t)(int32_t)bytes_u32(b));
	case OP_CONST8U:
	case OP_CONST8S:
		return push_const(s, bytes_u64(b));
	case OP_CONSTU:
		return push_const(s, bytes_uleb(b));
	case OP_CONSTS:
		return push_const(s, (uint64_t)bytes_sleb(b));
	case OP_PLUS:
	case OP_MINUS:
		return plus(s, op == OP_MINUS);
	case OP_PLUS_UCONST:
		return push_const(s, bytes_uleb(b)) && plus(s, false);
	case OP_BREGX:
		reg = bytes_uleb(b);
		return reg < REG_CFA && push_reg(s, reg, bytes_sleb(b));
	case OP_NOP:
		return true;
	default:
		return false;
	}
}

/* What an expression leaves on top of the stack. */
static bool eval(struct stack *s, struct bytes expr, struct value *ret_value)
{
	while (bytes_left(&expr))
		if (!eval_op(s, &expr))
			return false;
	if (expr.is_short || !s->n)
		return false;
	*ret_value = s->v[s->n - 1];
	return true;
}

/*
 * ld's rule of all of .plt but its head: breg7 off, breg16 0, lit15, and, litN, ge, lit3, shl, plus. N is where the push of a stub
 * has ended.
 */
static bool is_plt(struct bytes expr, const struct cfi_machine *machine, struct cfi_cfa *ret_cfa)
{
	static const uint8_t after[] = { OP_GE, OP_LIT0 + PLT_SHIFT, OP_SHL, OP_PLUS };
	int64_t off;
	uint8_t lit;

	if (bytes_u8(&expr) != OP_BREG0 + machine->sp)
		return false;
	off = bytes_sleb(&expr);
	if (bytes_u8(&expr) != OP_BREG0 + machine->ra || bytes_sleb(&expr) || bytes_u8(&expr) != OP_LIT0 + 15 ||
	    bytes_u8(&expr) != OP_AND)
		return false;
	lit = bytes_u8(&expr);
	if (lit < OP_LIT0 || lit > OP_LIT0 + 15 || bytes_left(&expr) != sizeof(after) || memcmp(expr.at, after, sizeof(after)))
		return false;
	*ret_cfa = (struct cfi_cfa){ .form = CFI_CFA_PLT, .reg = machine->sp, .off = off, .add = lit - OP_LIT0 };
	return true;
}

/* libcrypto's Montgomery multiplication, after an array on its stack: breg7 off, bregN 0, lit8, mul, plus, deref, plus_uconst add. */
static bool is_index(struct bytes expr, const struct cfi_machine *machine, struct cfi_cfa *ret_cfa)
{
	static const uint8_t after[] = { OP_LIT0 + 8, OP_MUL, OP_PLUS, OP_DEREF, OP_PLUS_UCONST };
	uint64_t add;
	int64_t off;
	uint8_t reg;

	if (bytes_u8(&expr) != OP_BREG0 + machine->sp)
		return false;
	off = bytes_sleb(&expr);
	reg = (uint8_t)(bytes_u8(&expr) - OP_BREG0);
	if (reg >= machine->nr_leaf_regs || bytes_sleb(&expr) || bytes_left(&expr) <= sizeof(after) ||
	    memcmp(expr.at, after, sizeof(after)))
		return false;
	expr.at += sizeof(after);
	add = bytes_uleb(&expr);
	if (bytes_left(&expr) || expr.is_short || add > INT16_MAX)
		return false;
	*ret_cfa = (struct cfi_cfa){ .form = CFI_CFA_INDEX, .reg = machine->sp, .index = reg, .off = off, .add = (int16_t)add };
	return true;
}

struct cfi_cfa cfi_say_cfa(const struct cfi *cfi, struct bytes expr)
{
	struct cfi_cfa cfa = { .form = CFI_CFA_OTHER };
	struct stack s = { .n = 0 };
	struct value v;

	if (cfi->machine == &cfi_x86_64 && (is_plt(expr, cfi->machine, &cfa) || is_index(expr, cfi->machine, &cfa)))
		return cfa;
	if (!eval(&s, expr, &v))
		return cfa;
	cfa.reg = (uint16_t)v.reg;
	if (v.form == VALUE_REG) {
		cfa.form = CFI_CFA_REG;
		cfa.off = (int64_t)v.add;
	} else if (v.form == VALUE_DEREF && (int64_t)v.add == (int16_t)v.add) {
		cfa.form = CFI_CFA_DEREF;
		cfa.off = (int64_t)v.off;
		cfa.add = (int16_t)v.add;
	}
	return cfa;
}

struct cfi_saved cfi_say_saved(struct bytes expr)
{
	struct stack s = { .v = { { .form = VALUE_REG, .reg = REG_CFA } }, .n = 1 };
	struct cfi_saved saved = { .how = CFI_OTHER };
	struct value v;
	int64_t off;

	if (!eval(&s, expr, &v) || v.form != VALUE_REG)
		return saved;
	off = (int64_t)v.add;
	if (off != (int32_t)off || (v.reg != REG_CFA && v.reg > UINT8_MAX))
		return saved;
	saved.how = v.reg == REG_CFA ? CFI_AT_CFA : CFI_AT_REG;
	saved.reg = v.reg == REG_CFA ? 0 : (uint8_t)v.reg;
	saved.off = (int32_t)off;
	return saved;
}

/* False: no rule expresses it. */
static bool say_cfa(const struct cfi_machine *m, const struct cfi_cfa *cfa, struct unwind_rule *rule)
{
	bool is_sp = cfa->reg == m->sp, is_bp = cfa->reg == m->bp;

	if (cfa->off != (int32_t)cfa->off)
		return false;
	rule->cfa_off = (int32_t)cfa->off;
	rule->add = cfa->add;
	switch (cfa->form) {
	case CFI_CFA_REG:
		rule->cfa = is_sp ? UNWIND_CFA_SP : is_bp ? UNWIND_CFA_BP : cfa->reg == m->bx ? UNWIND_CFA_BX : UNWIND_CFA_REG;
		if (rule->cfa == UNWIND_CFA_REG)
			rule->reg = (uint8_t)cfa->reg;
		return rule->cfa != UNWIND_CFA_REG || cfa->reg < m->nr_leaf_regs;
	case CFI_CFA_DEREF:
		rule->cfa = is_sp ? UNWIND_CFA_SP_DEREF : UNWIND_CFA_BP_DEREF;
		return is_sp || is_bp;
	case CFI_CFA_PLT:
		rule->cfa = UNWIND_CFA_PLT;
		return true;
	case CFI_CFA_INDEX:
		rule->cfa = UNWIND_CFA_SP_INDEX;
		rule->reg = cfa->index;
		return true;
	default:
		return false;
	}
}

static bool is_followed(const struct cfi_machine *m, uint16_t reg)
{
	return reg == m->sp || reg == m->bp;
}

/* Where a register is, as an offset from something a rule can name. */
static enum unwind_saved say_saved(const struct cfi *cfi, const struct cfi_state *state, enum cfi_followed which,
				   int16_t *ret_off)
{
	const struct cfi_saved *saved = &state->saved[which];
	enum unwind_saved how = UNWIND_AT_CFA;
	int64_t at = saved->off;

	switch (saved->how) {
	case CFI_UNSAID:
	case CFI_KEPT:
		return UNWIND_SAME;
	case CFI_AT_CFA:
		break;
	case CFI_AT_REG:
		if (state->cfa.form == CFI_CFA_REG && saved->reg == state->cfa.reg)
			at -= state->cfa.off;
		else if (saved->reg == cfi->machine->sp)
			how = UNWIND_AT_SP;
		else if (saved->reg == cfi->machine->bp)
			how = UNWIND_AT_BP;
		else
			return UNWIND_LOST;
		break;
	default:
		return UNWIND_LOST;
	}
	/* GCC's code for arm64 saves registers at the bottom of a frame, which may be large. */
	if (at != (int16_t)at && how == UNWIND_AT_CFA && state->cfa.form == CFI_CFA_REG && is_followed(cfi->machine, state->cfa.reg)) {
		how = state->cfa.reg == cfi->machine->sp ? UNWIND_AT_SP : UNWIND_AT_BP;
		at += state->cfa.off;
	}
	if (at != (int16_t)at)
		return UNWIND_LOST;
	*ret_off = (int16_t)at;
	return how;
}

/* The return address: undefined is the outermost frame, and a register may hold it at a leaf. */
static enum unwind_saved say_ra(const struct cfi *cfi, const struct cfi_cie *cie, const struct cfi_state *state,
				struct unwind_rule *rule)
{
	const struct cfi_saved *saved = &state->saved[CFI_RA];
	const struct cfi_machine *m = cfi->machine;
	bool names_reg = rule->cfa == UNWIND_CFA_REG || rule->cfa == UNWIND_CFA_SP_INDEX;
	uint64_t reg = saved->reg;

	switch (saved->how) {
	case CFI_UNDEFINED:
		return UNWIND_SAME;
	case CFI_UNSAID:
	case CFI_KEPT:
		return m->has_link && cie->ra_reg == m->bx ? UNWIND_IN_LINK : UNWIND_LOST;
	case CFI_IN_REG:
		if (m->has_link && reg == m->bx)
			return UNWIND_IN_LINK;
		break;
	default:
		return say_saved(cfi, state, CFI_RA, &rule->ra_off);
	}
	if (reg >= m->nr_leaf_regs || (names_reg && rule->reg != reg))
		return UNWIND_LOST;
	rule->reg = (uint8_t)reg;
	return UNWIND_IN_REG;
}

/*
 * glibc's way into lazily bound functions of arm64 (dl-trampoline.S) leaves out of its CFA what the stub has pushed: two words, the
 * upper of which is the return address. No other is above its CFA.
 */
static void add_pushed(struct unwind_rule *rule)
{
	bool is_plain = rule->cfa == UNWIND_CFA_SP || rule->cfa == UNWIND_CFA_BP;
	bool is_bp = (rule->saved & ((1 << UNWIND_BX_SHIFT) - 1)) == UNWIND_AT_CFA;

	if (!is_plain || rule->ra != UNWIND_AT_CFA || rule->ra_off != PUSHED_BYTES / 2 || rule->cfa_off > INT32_MAX - PUSHED_BYTES ||
	    (is_bp && rule->bp_off < INT16_MIN + PUSHED_BYTES))
		return;
	rule->cfa_off += PUSHED_BYTES;
	rule->ra_off -= PUSHED_BYTES;
	if (is_bp)
		rule->bp_off -= PUSHED_BYTES;
}

void cfi_rule(const struct cfi *cfi, const struct cfi_cie *cie, const struct cfi_state *state,
	      struct unwind_rule *ret_rule)
{
	struct unwind_rule *rule = ret_rule; /* filled in place: a copy of small stores waits for all of them */

	*rule = (struct unwind_rule){ 0 };
	if (!say_cfa(cfi->machine, &state->cfa, rule)) {
		*rule = (struct unwind_rule){ .cfa = UNWIND_CFA_UNKNOWN };
		return;
	}
	rule->ra = (uint8_t)(say_ra(cfi, cie, state, rule) | (cie->is_signal ? UNWIND_SIGNAL : 0));
	rule->saved = (uint8_t)(say_saved(cfi, state, CFI_BP, &rule->bp_off) |
				say_saved(cfi, state, CFI_BX, &rule->bx_off) << UNWIND_BX_SHIFT);
	if (cfi->machine->has_link)
		add_pushed(rule);
}
