/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rules that .debug_frame lacks for Go's runtime, by its functions' names; and the rules of gopclntab for all functions. Facts: Go's
 * runtime/asm_*.s and sys_linux_amd64.s; which functions are the outermost of a stack, topofstack() of runtime/traceback.go.
 */
#include "unwind/gocode.h"

#include <stdlib.h>
#include <string.h>

#include "elf/gopclntab.h"
#include "elf/symtab.h"
#include "unwind/crtcode.h"
#include "unwind/insn86.h"
#include "unwind/walk.h"

#define FUNC_MAX_BYTES 4096u
#define FUNCS_MAX 64u /* of these names: real programs have one of each */
#define ARM64_INSN 4u
#define WORD 8

/* What is particular of a function. */
enum quirk {
	QUIRK_NONE,
	QUIRK_NAMED_CALLS, /* that, by name, are where another stack begins; other calls are on its own */
	QUIRK_REGISTER_CALLS,
	QUIRK_SWITCHES, /* calls in a register are on another stack, with the frame pointer of its own caller */
	QUIRK_RETURN, /* what stands for it in the stacks of goroutines that C has called: the caller is where sp is */
	QUIRK_HANDLER, /* of signals: marked as an outermost one, and is not */
	QUIRK_SIGRETURN,
	QUIRK_ALIGNS, /* calls C, on another stack or at another depth, and keeps a frame pointer while it does */
};

static enum quirk quirk_of(const char *name)
{
	static const struct {
		const char *name;
		enum quirk quirk;
	} funcs[] = {
		{ "runtime.mcall", QUIRK_REGISTER_CALLS },
		{ "runtime.systemstack", QUIRK_SWITCHES },
		{ "runtime.asmcgocall", QUIRK_SWITCHES },
		{ "runtime.systemstack_switch", QUIRK_RETURN },
		{ "runtime.morestack", QUIRK_NAMED_CALLS },
		{ "runtime.sigtramp", QUIRK_HANDLER },
		{ "runtime.nanotime1", QUIRK_ALIGNS },
		{ "runtime.walltime", QUIRK_ALIGNS },
		{ "time.now", QUIRK_ALIGNS },
		{ "runtime.vgetrandom1", QUIRK_ALIGNS },
		{ "runtime.callCgoMmap", QUIRK_ALIGNS },
		{ "runtime.callCgoMunmap", QUIRK_ALIGNS },
		{ "runtime.callCgoSigaction", QUIRK_ALIGNS },
	};

	for (size_t i = 0; i < sizeof(funcs) / sizeof(*funcs); i++)
		if (!strcmp(name, funcs[i].name))
			return funcs[i].quirk;
	return gopclntab_is_sigreturn(name) ? QUIRK_SIGRETURN : QUIRK_NONE;
}

/* The instruction at a byte: returns its length, 0 at the end. */
static uint32_t read_insn(uint16_t machine, const struct crt_code *c, uint64_t at, enum quirk *ret_call)
{
	struct insn86 in;
	uint32_t n, insn;

	*ret_call = QUIRK_NONE;
	if (machine == EM_X86_64) {
		n = insn86_read(c->bytes + at, c->n - at, &in);
		if (n && (in.kind == INSN86_CALL || in.kind == INSN86_CALL_AT))
			*ret_call = in.kind == INSN86_CALL ? QUIRK_NAMED_CALLS : QUIRK_REGISTER_CALLS;
		return n;
	}
	if (c->n - at < ARM64_INSN)
		return 0;
	memcpy(&insn, c->bytes + at, ARM64_INSN);
	if ((insn & 0xfc000000) == 0x94000000) /* bl */
		*ret_call = QUIRK_NAMED_CALLS;
	else if ((insn & 0xfffffc1f) == 0xd63f0000) /* blr */
		*ret_call = QUIRK_REGISTER_CALLS;
	return ARM64_INSN;
}

/* A caller that may be on another stack, as that of a signal's handler is: else a caller is further out. */
static const struct unwind_rule by_frame_pointer = {
	.cfa = UNWIND_CFA_BP,
	.cfa_off = 2 * WORD,
	.ra = UNWIND_AT_CFA | UNWIND_SIGNAL,
	.ra_off = -WORD,
	.saved = UNWIND_AT_CFA,
	.bp_off = -2 * WORD,
};

/*
 * Of calls only: a return address is looked up by the last byte of the call. What calls on another stack is the outermost of that, or
 * goes on with its caller's caller: where its own return address is, only Go's runtime knows.
 */
static int each_call(uint16_t machine, const struct crt_code *c, enum quirk quirk)
{
	static const struct unwind_rule outermost = { .cfa = UNWIND_CFA_SP, .cfa_off = WORD, .ra = UNWIND_SAME };
	bool crosses = quirk == QUIRK_SWITCHES && machine == EM_X86_64;
	enum quirk found, want = quirk == QUIRK_SWITCHES ? QUIRK_REGISTER_CALLS : quirk;
	int ret = 0;

	for (uint64_t at = 1, n; !ret && at < c->n; at += n) {
		n = read_insn(machine, c, at, &found);
		if (!n)
			break;
		if (found == want)
			ret = crt_say(c, at + n - 1, at + n, crosses ? &by_frame_pointer : &outermost);
	}
	return ret;
}

/*
 * After mov %rsp, %rbp (before Go 1.21: lea N(%rsp), %rbp) until the caller's is back; and what is jumped to after the end (time.now's
 * fallback).
 */
static int each_aligning(const struct crt_code *c)
{
	uint64_t from = 0, n;
	bool is_out = false;
	struct insn86 in;
	int ret = 0;

	for (uint64_t at = 1; !ret && at < c->n; at += n) {
		n = insn86_read(c->bytes + at, c->n - at, &in);
		if (!n)
			return 0;
		if (is_out && in.kind == INSN86_END) {
			from = at + n;
			is_out = false;
		} else if (!from && (in.kind == INSN86_SET_BP || HAS(c, at, "\x48\x8d\x6c\x24") || HAS(c, at, "\x48\x8d\xac\x24"))) {
			from = at + n;
		} else if (from && !is_out && ((in.kind == INSN86_POP && in.reg == INSN86_BP) || HAS(c, at, "\x48\x8b\x6c\x24"))) {
			ret = crt_say(c, from, at, &by_frame_pointer);
			is_out = true;
		}
	}
	return ret || is_out || !from ? ret : crt_say(c, from, c->n, &by_frame_pointer);
}

/* With the byte before it. Less than 0: it cannot be read. */
static int read_func(const struct elf_file *elf, const struct symtab_raw *func, struct crt_code *c, char **ret_bytes)
{
	uint64_t off;

	c->vaddr = func->addr - 1;
	c->n = (func->size < FUNC_MAX_BYTES ? func->size : FUNC_MAX_BYTES) + 1;
	if (!func->addr || !elf_vaddr_to_off(elf, c->vaddr, &off) || elf_read(elf, off, c->n, ret_bytes))
		return -1;
	c->bytes = (const uint8_t *)*ret_bytes;
	return 0;
}

static int each_quirk(uint16_t machine, const struct crt_code *c, enum quirk quirk)
{
	static const struct unwind_rule called = { .cfa = UNWIND_CFA_SP, .cfa_off = WORD, .ra = UNWIND_AT_CFA, .ra_off = -WORD };

	if (quirk == QUIRK_NAMED_CALLS || quirk == QUIRK_REGISTER_CALLS || quirk == QUIRK_SWITCHES)
		return each_call(machine, c, quirk);
	if (machine != EM_X86_64) /* arm64's handlers return to the vDSO; its clocks are not done */
		return 0;
	if (quirk == QUIRK_RETURN)
		return crt_say(c, 0, 2, &called);
	return quirk == QUIRK_ALIGNS ? each_aligning(c) : crt_say_sigreturn(c);
}

struct runs {
	crt_each_fn *each;
	void *arg;
	bool is_arm64;
	struct crt_code text;
	uint64_t handler; /* which is marked as an outermost function, and is none */
	uint64_t func;	  /* of the run before */
	bool is_saved;	  /* its caller's frame pointer */
};

/* How long the instruction mov %rbp, SLOT(%rsp) is that begins here; 0: another one does. */
static uint64_t bp_store_bytes(const struct crt_code *c, uint64_t at, uint32_t slot)
{
	if (!slot && HAS(c, at, "\x48\x89\x2c\x24"))
		return 4;
	if (HAS(c, at, "\x48\x89\x6c\x24") && at + 5 <= c->n && c->bytes[at + 4] == slot)
		return 5;
	if (HAS(c, at, "\x48\x89\xac\x24") && at + 8 <= c->n && !memcmp(c->bytes + at + 4, &slot, sizeof(slot)))
		return 8;
	return 0;
}

/*
 * From where on in a run the caller's frame pointer is saved, at the CFA - 16: mov %rbp, N(%rsp) after sub $N+8, %rsp; since Go 1.21
 * push %rbp before. Assembly may keep none.
 */
static uint64_t saved_from(struct runs *r, const struct gopclntab_run *run)
{
	uint64_t at = run->start - r->text.vaddr, n;

	if (!run->depth || r->is_saved)
		return run->start;
	if (run->depth == WORD && at && HAS(&r->text, at - 1, "\x55")) {
		r->is_saved = true;
		return run->start;
	}
	n = bp_store_bytes(&r->text, at, run->depth - WORD);
	r->is_saved = n > 0;
	return n ? run->start + n : run->end;
}

static int say_x86(struct runs *r, const struct gopclntab_run *run)
{
	struct unwind_rule rule = {
		.cfa = UNWIND_CFA_SP, .cfa_off = (int32_t)run->depth + WORD, .ra = UNWIND_AT_CFA, .ra_off = -WORD
	};
	uint64_t from = saved_from(r, run);
	int ret = 0;

	if (from > run->end)
		from = run->end;
	if (from > run->start)
		ret = r->each(r->arg, run->start, from, &rule);
	if (run->depth) {
		rule.saved = UNWIND_AT_CFA;
		rule.bp_off = -2 * WORD;
	}
	return ret || from == run->end ? ret : r->each(r->arg, from, run->end, &rule);
}

/* Where the frame pointer is saved: runtime/stack.go, "Stack frame layout". */
static int say_arm64(const struct runs *r, const struct gopclntab_run *run)
{
	struct unwind_rule rule = { .cfa = UNWIND_CFA_SP, .cfa_off = (int32_t)run->depth, .ra = UNWIND_IN_LINK };

	if (run->depth) {
		rule.ra = UNWIND_AT_SP;
		rule.saved = UNWIND_AT_SP;
		rule.bp_off = -WORD;
	}
	return r->each(r->arg, run->start, run->end, &rule);
}

static int say_run(void *arg, const struct gopclntab_run *run)
{
	struct unwind_rule outermost = { .cfa = UNWIND_CFA_SP, .cfa_off = (int32_t)run->depth, .ra = UNWIND_SAME };
	struct runs *r = arg;

	if (run->depth > INT32_MAX - WORD)
		return 0;
	r->is_saved &= run->func == r->func;
	r->func = run->func;
	if (run->is_top && run->func != r->handler)
		return r->each(r->arg, run->start, run->end, &outermost);
	return r->is_arm64 ? say_arm64(r, run) : say_x86(r, run);
}

static int each_run(const struct elf_file *elf, struct runs *r)
{
	const struct elf_sec *text = elf_sec_by_name(elf, ".text");
	char *bytes = NULL;
	int ret;

	if (text && !elf_read_sec(elf, text, &bytes))
		r->text = (struct crt_code){ .bytes = (const uint8_t *)bytes, .n = text->size, .vaddr = text->addr };
	ret = gopclntab_each_run(elf, say_run, r);
	free(bytes);
	return ret;
}

int gocode_each(const struct elf_file *elf, crt_each_fn *each, void *arg)
{
	struct runs runs = { .each = each, .arg = arg, .is_arm64 = elf->machine == EM_AARCH64 };
	struct crt_code c = { .each = each, .arg = arg };
	struct symtab tab = { 0 };
	int ret = gopclntab_add(elf, &tab);
	uint32_t nr = 0;
	char *bytes;

	for (uint32_t i = 0; !ret && i < tab.nr_raw && nr < FUNCS_MAX; i++) {
		enum quirk quirk = quirk_of(tab.names + tab.raw[i].name);

		if (quirk == QUIRK_HANDLER)
			runs.handler = tab.raw[i].addr;
		if (!quirk || quirk == QUIRK_HANDLER || read_func(elf, &tab.raw[i], &c, &bytes))
			continue;
		nr++;
		ret = each_quirk(elf->machine, &c, quirk);
		free(bytes);
	}
	symtab_free(&tab);
	return ret ? ret : each_run(elf, &runs);
}
