/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Several passes over .text: the first finds jump targets and the depth of the stack there, the next code that nothing jumps to,
 * the last the rules.
 */
#include "unwind/bare.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/crtcode.h"
#include "unwind/insn86.h"

#define TEXT_MAX_BYTES (4u << 20)
#define DEPTH_MAX INT16_MAX
#define WORD 8
#define FUNC_ALIGN 16u

/* What is known at an instruction. Depths are from the caller's stack pointer down, in bytes; 0: none. */
struct depth {
	int16_t sp;
	int16_t frame;	/* bp is so deep, if it is used as a frame pointer */
	int16_t bp, bx; /* where the caller's are saved */
	bool is_start;	/* of a function */
	bool is_last;	/* and that does not come back */
};
#define LOST (-1) /* .sp */

static const struct depth entry = { .sp = WORD, .is_start = true };

struct text {
	const uint8_t *bytes;
	uint64_t n, vaddr;
	struct depth *known; /* of each byte */
	crt_each_fn *each;
	void *arg;
};

static void know(struct text *t, uint64_t at, struct depth d)
{
	if (at < t->n && (!t->known[at].sp || (d.is_start && !t->known[at].is_start)))
		t->known[at] = d;
}

static void know_functions(struct text *t, const struct elf_file *elf)
{
	const struct elf_sec *sec = elf_sec_by_type(elf, SHT_SYMTAB);
	struct elf_sym sym;
	char *bytes;

	if (!sec)
		sec = elf_sec_by_type(elf, SHT_DYNSYM);
	if (!sec || elf_read_sec(elf, sec, &bytes))
		return;
	for (size_t i = 0; i < sec->size / elf_sym_size(elf); i++) {
		elf_sym_at(elf, bytes, i, &sym);
		if (sym.type == STT_FUNC && sym.value >= t->vaddr)
			know(t, sym.value - t->vaddr, entry);
	}
	free(bytes);
}

/* But for the functions. */
static void forget(struct text *t)
{
	for (uint64_t i = 0; i < t->n; i++)
		if (!t->known[i].is_start)
			t->known[i] = (struct depth){ 0 };
}

static void pushed(struct depth *d, uint8_t reg)
{
	d->sp += WORD;
	if (reg == INSN86_BP && !d->bp)
		d->bp = d->sp;
	if (reg == INSN86_BX && !d->bx)
		d->bx = d->sp;
}

static void popped(struct depth *d, uint8_t reg)
{
	if (reg == INSN86_BP && d->bp == d->sp)
		d->bp = d->frame = 0;
	if (reg == INSN86_BX && d->bx == d->sp)
		d->bx = 0;
	d->sp -= WORD;
}

static void step(struct depth *d, const struct insn86 *in)
{
	int64_t sp = d->sp;

	switch (in->kind) {
	case INSN86_SP_BP:
		sp = (int64_t)d->frame - in->value;
		d->sp = d->frame && sp >= WORD && sp < DEPTH_MAX ? (int16_t)sp : LOST;
		return;
	case INSN86_LEAVE:
		d->sp = d->frame ? d->frame : LOST;
		if (d->frame)
			popped(d, INSN86_BP);
		return;
	case INSN86_LOSE_SP:
		d->sp = LOST;
		return;
	}
	if (sp == LOST)
		return;
	switch (in->kind) {
	case INSN86_PUSH:
		pushed(d, in->reg);
		break;
	case INSN86_POP:
		popped(d, in->reg);
		break;
	case INSN86_ADD_SP:
		sp -= in->value;
		d->sp = sp >= WORD && sp < DEPTH_MAX ? (int16_t)sp : LOST;
		break;
	case INSN86_SET_BP:
		if (d->bp)
			d->frame = d->sp;
		break;
	}
	if (d->sp < WORD || d->sp > DEPTH_MAX - WORD)
		d->sp = LOST;
}

static struct unwind_rule rule_of(const struct depth *d)
{
	struct unwind_rule rule = { .cfa = UNWIND_CFA_SP, .ra = UNWIND_AT_CFA, .cfa_off = d->sp, .ra_off = -WORD };

	if (d->sp == LOST) {
		if (!d->frame)
			return (struct unwind_rule){ .cfa = UNWIND_CFA_UNKNOWN };
		rule.cfa = UNWIND_CFA_BP;
		rule.cfa_off = d->frame;
	}
	if (d->bp) {
		rule.saved |= UNWIND_AT_CFA;
		rule.bp_off = (int16_t)-d->bp;
	}
	if (d->bx) {
		rule.saved |= UNWIND_AT_CFA << UNWIND_BX_SHIFT;
		rule.bx_off = (int16_t)-d->bx;
	}
	return rule;
}

/* How the instruction after one is reached, if not by a jump. */
static struct depth depth_after(struct depth d, const struct insn86 *in, bool was_call, uint64_t at)
{
	if (in->kind == INSN86_END || in->kind == INSN86_JUMP || in->kind == INSN86_JUMP_AT)
		return (struct depth){ 0 };
	/* The call did not come back, or there would be nothing to align. */
	if (in->kind == INSN86_NOP && was_call && !(at % FUNC_ALIGN))
		return (struct depth){ 0 };
	return d;
}

static int say(const struct text *t, uint64_t from, uint64_t to, const struct depth *d)
{
	struct unwind_rule rule = rule_of(d);

	return from < to ? t->each(t->arg, t->vaddr + from, t->vaddr + to, &rule) : 0;
}

/* __clone, a new thread's: xor %ebp, %ebp; pop %rdi; call *%r9; mov %eax, %edi; xor %eax, %eax; mov $60, %al; syscall; hlt */
static const char clone[] = "\x31\xed\x5f\x41\xff\xd1\x89\xc7\x31\xc0\xb0\x3c\x0f\x05\xf4";
static const struct unwind_rule outermost = { .cfa = UNWIND_CFA_SP, .cfa_off = WORD, .ra = UNWIND_SAME };

/* What is known by its bytes. */
static int say_known(const struct text *t)
{
	struct crt_code c = { t->bytes, t->n, t->vaddr, t->each, t->arg };
	const uint8_t *at = memmem(t->bytes, t->n, clone, sizeof(clone) - 1);
	int ret = crt_say_sigreturn(&c);

	return ret || !at ? ret : crt_say(&c, (uint64_t)(at - t->bytes), (uint64_t)(at - t->bytes) + sizeof(clone) - 1, &outermost);
}

/* Where nothing jumps to, and none comes from above: a case of a switch, or a function that is called by its address only. */
static struct depth guess(const struct depth *cases, uint64_t at)
{
	static const struct depth lost = { .sp = LOST };

	return cases->sp > WORD ? *cases : at % FUNC_ALIGN ? lost : entry;
}

enum pass { PASS_FIND, PASS_GUESS, PASS_SAY };

static int walk(struct text *t, enum pass pass)
{
	struct depth d = { 0 }, said = { .sp = WORD }, cases = { 0 };
	uint64_t from = 0, callee = t->n;
	bool was_call = false;
	struct insn86 in;
	int ret = 0;

	for (uint64_t at = 0, next; !ret && at < t->n; at = next) {
		uint32_t n = insn86_read(t->bytes + at, t->n - at, &in);

		next = at + (n ? n : 1);
		if (!d.sp && !t->known[at].sp && pass != PASS_FIND && !(n && in.kind == INSN86_NOP))
			know(t, at, guess(&cases, at));
		if (t->known[at].sp) {
			if (callee < t->n && d.sp && d.sp != t->known[at].sp)
				t->known[callee].is_last = true;
			d = t->known[at];
		}
		if (d.is_start)
			cases = d;
		d.is_start = d.is_last = false;
		callee = t->n;
		if (pass == PASS_SAY && d.sp && memcmp(&d, &said, sizeof(d)) != 0) {
			ret = say(t, from, at, &said);
			from = at;
			said = d;
		}
		if (!n)
			d = (struct depth){ 0 };
		if (!n || !d.sp)
			continue;
		if (in.kind == INSN86_CALL) {
			callee = next + (uint64_t)(int64_t)in.value;
			know(t, callee, entry);
		} else if (in.kind == INSN86_JUMP || in.kind == INSN86_BRANCH)
			know(t, next + (uint64_t)(int64_t)in.value, d);
		else if (in.kind == INSN86_JUMP_AT)
			cases = d;
		step(&d, &in);
		d = depth_after(d, &in, was_call, next);
		if (callee < t->n && t->known[callee].is_last)
			d = (struct depth){ 0 };
		was_call = in.kind == INSN86_CALL || in.kind == INSN86_CALL_AT || (was_call && in.kind == INSN86_NOP);
	}
	return pass == PASS_SAY && !ret ? say(t, from, t->n, &said) : ret;
}

int bare_each(const struct elf_file *elf, crt_each_fn *each, void *arg)
{
	const struct elf_sec *sec = elf_sec_by_name(elf, ".text");
	struct text t = { .each = each, .arg = arg };
	char *bytes;
	int ret;

	if (!sec || sec->size > TEXT_MAX_BYTES || elf_read_sec(elf, sec, &bytes))
		return 0;
	t.bytes = (const uint8_t *)bytes;
	t.n = sec->size;
	t.vaddr = sec->addr;
	t.known = calloc(t.n, sizeof(*t.known));
	ret = t.known ? 0 : -ENOMEM;
	if (!ret) {
		know_functions(&t, elf);
		/* Twice, for what is jumped to from below; and again when it is known which functions do not come back */
		for (int i = 0; i < 2; i++) {
			forget(&t);
			walk(&t, PASS_FIND);
			walk(&t, PASS_FIND);
		}
		walk(&t, PASS_GUESS);
		/* The first rule counts */
		ret = say_known(&t);
		if (!ret)
			ret = walk(&t, PASS_SAY);
	}
	free(t.known);
	free(bytes);
	return ret;
}
