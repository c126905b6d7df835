/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Programs of CIEs and FDEs: instructions that change the state or go to the next address, at which a row is due. */
#include "unwind/cfi.h"

#include <errno.h>

#define REMEMBERED_MAX 32u /* compilers nest one deep */
#define REG_NONE UINT16_MAX
#define ENOUGH 1 /* all rows that were wanted are out */

enum cfa_op {
	/* with an operand in the low six bits */
	CFA_ADVANCE = 0x40,
	CFA_OFFSET = 0x80,
	CFA_RESTORE = 0xc0,
	CFA_PACKED = 0xc0,
	CFA_OPERAND = 0x3f,
	/* all others */
	CFA_NOP = 0x00,
	CFA_SET_LOC = 0x01,
	CFA_ADVANCE1 = 0x02,
	CFA_ADVANCE2 = 0x03,
	CFA_ADVANCE4 = 0x04,
	CFA_OFFSET_EXTENDED = 0x05,
	CFA_RESTORE_EXTENDED = 0x06,
	CFA_UNDEFINED = 0x07,
	CFA_SAME_VALUE = 0x08,
	CFA_REGISTER = 0x09,
	CFA_REMEMBER = 0x0a,
	CFA_RESTORE_STATE = 0x0b,
	CFA_DEF_CFA = 0x0c,
	CFA_DEF_REGISTER = 0x0d,
	CFA_DEF_OFFSET = 0x0e,
	CFA_DEF_EXPRESSION = 0x0f,
	CFA_EXPRESSION = 0x10,
	CFA_OFFSET_SF = 0x11,
	CFA_DEF_CFA_SF = 0x12,
	CFA_DEF_OFFSET_SF = 0x13,
	CFA_VAL_OFFSET = 0x14,
	CFA_VAL_OFFSET_SF = 0x15,
	CFA_VAL_EXPRESSION = 0x16,
	CFA_ADVANCE8 = 0x1d,	 /* MIPS */
	CFA_WINDOW_SAVE = 0x2d,	 /* arm64: the return address is signed from here on, or no more; it is stripped anyway */
	CFA_ARGS_SIZE = 0x2e,	 /* GNU: bytes that an exception handler drops */
	CFA_OFFSET_NEGATIVE = 0x2f, /* GNU, old PowerPC */
};

struct run {
	const struct cfi *cfi;
	const struct cfi_cie *cie;
	struct bytes b;
	struct cfi_state state;
	struct cfi_state remembered[REMEMBERED_MAX];
	unsigned int nr_remembered;
	bool is_cie;
	/* of an FDE */
	uint64_t loc, from, to, end;
	bool is_new; /* the state has changed since the last row */
	cfi_row_fn *row;
	void *arg;
};

/* Products of hostile factors wrap. */
static int64_t scaled(const struct run *r, uint64_t factor)
{
	return (int64_t)((uint64_t)r->cie->data_align * factor);
}

static uint16_t reg_of(uint64_t reg)
{
	return reg < REG_NONE ? (uint16_t)reg : REG_NONE;
}

static struct cfi_saved *saved_of(struct run *r, struct cfi_state *state, uint64_t reg)
{
	if (reg == r->cie->ra_reg)
		return &state->saved[CFI_RA];
	if (reg == r->cfi->machine->bp)
		return &state->saved[CFI_BP];
	return reg == r->cfi->machine->bx ? &state->saved[CFI_BX] : NULL;
}

static void set_saved(struct run *r, uint64_t reg, struct cfi_saved saved)
{
	struct cfi_saved *p = saved_of(r, &r->state, reg);

	if (p) {
		*p = saved;
		r->is_new = true;
	}
}

static void set_at_cfa(struct run *r, uint64_t reg, int64_t off)
{
	set_saved(r, reg, off == (int32_t)off ? (struct cfi_saved){ .how = CFI_AT_CFA, .off = (int32_t)off }
					      : (struct cfi_saved){ .how = CFI_OTHER });
}

static void set_how(struct run *r, uint64_t reg, enum cfi_how how)
{
	set_saved(r, reg, (struct cfi_saved){ .how = how });
}

static void set_in_reg(struct run *r, uint64_t reg, uint64_t in)
{
	set_saved(r, reg, in < UINT8_MAX ? (struct cfi_saved){ .how = CFI_IN_REG, .reg = (uint8_t)in }
					 : (struct cfi_saved){ .how = CFI_OTHER });
}

static int restore(struct run *r, uint64_t reg)
{
	struct cfi_saved *p = saved_of(r, &r->state, reg);

	if (r->is_cie)
		return -EBADMSG;
	if (p) {
		*p = r->cie->state.saved[p - r->state.saved];
		r->is_new = true;
	}
	return 0;
}

static void set_cfa(struct run *r, uint16_t reg, int64_t off)
{
	r->state.cfa = (struct cfi_cfa){ .form = CFI_CFA_REG, .reg = reg, .off = off };
	r->state.plain_reg = reg;
	r->state.plain_off = off;
	r->is_new = true;
}

/* The row of the state so far, from loc to next. */
static int put_row(struct run *r, uint64_t next)
{
	uint64_t at = r->loc > r->from ? r->loc : r->from;
	struct unwind_rule rule;

	if (at >= r->to)
		return ENOUGH;
	if (!r->is_new || next <= r->from || next == r->loc)
		return 0;
	cfi_rule(r->cfi, r->cie, &r->state, &rule);
	r->is_new = false;
	return r->row(r->arg, at, &rule);
}

static int advance_to(struct run *r, uint64_t next)
{
	int ret;

	if (r->is_cie || next < r->loc)
		return -EBADMSG;
	ret = put_row(r, next < r->end ? next : r->end);
	r->loc = next;
	return ret;
}

static int advance(struct run *r, uint64_t factor)
{
	uint64_t delta = factor * r->cie->code_align;

	return delta > UINT64_MAX - r->loc ? -EBADMSG : advance_to(r, r->loc + delta);
}

static int set_loc(struct run *r)
{
	struct bytes_base base = r->cfi->base;
	uint64_t next;

	base.is64 = r->cie->is64;
	return bytes_ptr(&r->b, r->cie->ptr_enc, &base, &next) ? advance_to(r, next) : -EBADMSG;
}

static int remember(struct run *r)
{
	if (r->nr_remembered == REMEMBERED_MAX)
		return -EBADMSG;
	r->remembered[r->nr_remembered++] = r->state;
	return 0;
}

static int restore_state(struct run *r)
{
	if (!r->nr_remembered)
		return -EBADMSG;
	r->state = r->remembered[--r->nr_remembered];
	r->is_new = true;
	return 0;
}

static int step_cfa(struct run *r, uint8_t op)
{
	uint64_t reg;

	switch (op) {
	case CFA_DEF_CFA:
		reg = bytes_uleb(&r->b);
		set_cfa(r, reg_of(reg), (int64_t)bytes_uleb(&r->b));
		return 0;
	case CFA_DEF_CFA_SF:
		reg = bytes_uleb(&r->b);
		set_cfa(r, reg_of(reg), scaled(r, (uint64_t)bytes_sleb(&r->b)));
		return 0;
	case CFA_DEF_REGISTER:
		set_cfa(r, reg_of(bytes_uleb(&r->b)), r->state.plain_off);
		return 0;
	case CFA_DEF_OFFSET:
		set_cfa(r, r->state.plain_reg, (int64_t)bytes_uleb(&r->b));
		return 0;
	case CFA_DEF_OFFSET_SF:
		set_cfa(r, r->state.plain_reg, scaled(r, (uint64_t)bytes_sleb(&r->b)));
		return 0;
	case CFA_DEF_EXPRESSION:
		r->state.cfa = cfi_say_cfa(r->cfi, bytes_cut(&r->b, bytes_uleb(&r->b)));
		r->is_new = true;
		return 0;
	default:
		return -EBADMSG;
	}
}

static int step_saved(struct run *r, uint8_t op)
{
	uint64_t reg = bytes_uleb(&r->b);

	switch (op) {
	case CFA_OFFSET_EXTENDED:
		set_at_cfa(r, reg, scaled(r, bytes_uleb(&r->b)));
		return 0;
	case CFA_OFFSET_SF:
		set_at_cfa(r, reg, scaled(r, (uint64_t)bytes_sleb(&r->b)));
		return 0;
	case CFA_OFFSET_NEGATIVE:
		set_at_cfa(r, reg, scaled(r, 0 - bytes_uleb(&r->b)));
		return 0;
	case CFA_RESTORE_EXTENDED:
		return restore(r, reg);
	case CFA_UNDEFINED:
		set_how(r, reg, CFI_UNDEFINED);
		return 0;
	case CFA_SAME_VALUE:
		set_how(r, reg, CFI_KEPT);
		return 0;
	case CFA_REGISTER:
		set_in_reg(r, reg, bytes_uleb(&r->b));
		return 0;
	case CFA_EXPRESSION:
		set_saved(r, reg, cfi_say_saved(bytes_cut(&r->b, bytes_uleb(&r->b))));
		return 0;
	case CFA_VAL_OFFSET:
	case CFA_VAL_OFFSET_SF:
		bytes_uleb(&r->b);
		set_how(r, reg, CFI_OTHER);
		return 0;
	case CFA_VAL_EXPRESSION:
		bytes_skip(&r->b, bytes_uleb(&r->b));
		set_how(r, reg, CFI_OTHER);
		return 0;
	default:
		return -EBADMSG;
	}
}

static int step(struct run *r)
{
	uint8_t op = bytes_u8(&r->b);
	uint8_t operand = op & CFA_OPERAND;

	switch (op & CFA_PACKED) {
	case CFA_ADVANCE:
		return advance(r, operand);
	case CFA_OFFSET:
		set_at_cfa(r, operand, scaled(r, bytes_uleb(&r->b)));
		return 0;
	case CFA_RESTORE:
		return restore(r, operand);
	}
	switch (op) {
	case CFA_NOP:
	case CFA_WINDOW_SAVE:
		return 0;
	case CFA_SET_LOC:
		return set_loc(r);
	case CFA_ADVANCE1:
		return advance(r, bytes_u8(&r->b));
	case CFA_ADVANCE2:
		return advance(r, bytes_u16(&r->b));
	case CFA_ADVANCE4:
		return advance(r, bytes_u32(&r->b));
	case CFA_ADVANCE8:
		return advance(r, bytes_u64(&r->b));
	case CFA_REMEMBER:
		return remember(r);
	case CFA_RESTORE_STATE:
		return restore_state(r);
	case CFA_ARGS_SIZE:
		bytes_uleb(&r->b);
		return 0;
	case CFA_DEF_CFA:
	case CFA_DEF_REGISTER:
	case CFA_DEF_OFFSET:
	case CFA_DEF_EXPRESSION:
	case CFA_DEF_CFA_SF:
	case CFA_DEF_OFFSET_SF:
		return step_cfa(r, op);
	default:
		return step_saved(r, op);
	}
}

static int steps(struct run *r)
{
	int ret = 0;

	while (!ret && bytes_left(&r->b))
		ret = step(r);
	return !ret && r->b.is_short ? -EBADMSG : ret;
}

int cfi_run_cie(const struct cfi *cfi, struct cfi_cie *cie, struct bytes program)
{
	struct run r = { .cfi = cfi, .cie = cie, .b = program, .is_cie = true };
	int ret = steps(&r);

	if (!ret)
		cie->state = r.state;
	return ret;
}

int cfi_run(const struct cfi *cfi, const struct cfi_fde *fde, uint64_t from, uint64_t to, cfi_row_fn *row, void *arg)
{
	static const struct unwind_rule unknown = { .cfa = UNWIND_CFA_UNKNOWN };
	struct run r; /* remembered states are set when they are used */
	int ret;

	r.cfi = cfi;
	r.cie = &cfi->cies[fde->cie];
	r.b = bytes_of(fde->program, fde->nr_bytes);
	r.state = r.cie->state;
	r.nr_remembered = 0;
	r.is_cie = false;
	r.loc = fde->start;
	r.end = fde->end;
	r.from = from;
	r.to = to;
	r.is_new = true;
	r.row = row;
	r.arg = arg;
	ret = steps(&r);
	if (!ret)
		ret = put_row(&r, r.end);
	if (ret == -EBADMSG && r.loc < to) {
		ret = row(arg, r.loc > from ? r.loc : from, &unknown);
		return ret ? ret : -EBADMSG;
	}
	return ret == ENOUGH ? 0 : ret;
}
