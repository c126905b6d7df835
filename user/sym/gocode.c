/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What .debug_frame cannot say of Go's runtime, by its functions' names; and what gopclntab says of all functions. Facts: Go's
 * runtime/asm_*.s and sys_linux_amd64.s; which functions are the outermost of a stack, topofstack() of runtime/traceback.go.
 */
#include "sym/gocode.h"

#include <stdlib.h>
#include <string.h>

#include "sym/crtcode.h"
#include "sym/gopclntab.h"
#include "sym/insn86.h"
#include "sym/symtab.h"
#include "sym/unwind.h"

#define FUNC_MAX_BYTES 4096u
#define FUNCS_MAX 64u /* of these names: real programs have one of each */
#define ARM64_INSN 4u
#define WORD 8

/* What is particular of a function. */
enum quirk {
	QUIRK_NONE,
	QUIRK_NAMED_CALLS, /* that, by name, are on another stack; other calls are on its own */
	QUIRK_REGISTER_CALLS,
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
		{ "runtime.systemstack", QUIRK_REGISTER_CALLS },
		{ "runtime.asmcgocall", QUIRK_REGISTER_CALLS },
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

/* Only as a caller it is the outermost: a return address is looked up by the last byte of the call. */
static int each_call(uint16_t machine, const struct crt_code *c, enum quirk quirk)
{
	static const struct unwind_rule outermost = { .cfa = UNWIND_CFA_SP, .cfa_off = WORD, .ra = UNWIND_SAME };
	enum quirk found;
	int ret = 0;

	for (uint64_t at = 1, n; !ret && at < c->n; at += n) {
		n = read_insn(machine, c, at, &found);
		if (!n)
			break;
		if (found == quirk)
			ret = crt_say(c, at + n - 1, at + n, &outermost);
	}
	return ret;
}

/*
 * Behind mov %rsp, %rbp (before Go 1.21: lea N(%rsp), %rbp) until the caller's is back; and what is jumped to behind the end (time.now's
 * fallback). The caller may be on another stack, as that of a signal's handler is: else a caller is further out.
 */
static int each_aligning(const struct crt_code *c)
{
	static const struct unwind_rule rule = {
		.cfa = UNWIND_CFA_BP,
		.cfa_off = 2 * WORD,
		.ra = UNWIND_AT_CFA | UNWIND_SIGNAL,
		.ra_off = -WORD,
		.saved = UNWIND_AT_CFA,
		.bp_off = -2 * WORD,
	};
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
			ret = crt_say(c, from, at, &rule);
			is_out = true;
		}
	}
	return ret || is_out || !from ? ret : crt_say(c, from, c->n, &rule);
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
	if (quirk == QUIRK_NAMED_CALLS || quirk == QUIRK_REGISTER_CALLS)
		return each_call(machine, c, quirk);
	if (machine != EM_X86_64) /* arm64's handlers return to the vDSO; its clocks are not done */
		return 0;
	return quirk == QUIRK_ALIGNS ? each_aligning(c) : crt_say_sigreturn(c);
}

struct runs {
	crt_each_fn *each;
	void *arg;
	bool is_arm64;
	uint64_t handler; /* of it only; 0: of all */
};

/* Where the frame pointer is saved: runtime/stack.go, "Stack frame layout". */
static int say_run(void *arg, const struct gopclntab_run *run)
{
	const struct runs *r = arg;
	struct unwind_rule rule = { .cfa = UNWIND_CFA_SP, .cfa_off = (int32_t)run->depth, .ra = UNWIND_AT_CFA, .ra_off = -WORD };

	if (run->depth > INT32_MAX - WORD || (r->handler && run->func != r->handler))
		return 0;
	if (run->is_top && !r->handler) {
		rule.ra = UNWIND_SAME;
	} else if (!r->is_arm64) {
		rule.cfa_off += WORD;
		if (run->depth) {
			rule.saved = UNWIND_AT_CFA;
			rule.bp_off = -2 * WORD;
		}
	} else if (run->depth) {
		rule.ra = UNWIND_AT_SP;
		rule.ra_off = 0;
		rule.saved = UNWIND_AT_SP;
		rule.bp_off = -WORD;
	} else {
		rule.ra = UNWIND_IN_LINK;
		rule.ra_off = 0;
	}
	return r->each(r->arg, run->start, run->end, &rule);
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
	if (!ret && runs.handler)
		ret = gopclntab_each_run(elf, say_run, &runs);
	symtab_free(&tab);
	return ret;
}

int gocode_each_behind(const struct elf_file *elf, crt_each_fn *each, void *arg)
{
	struct runs runs = { .each = each, .arg = arg, .is_arm64 = elf->machine == EM_AARCH64 };

	return elf_sec_by_name(elf, ".debug_frame") ? 0 : gopclntab_each_run(elf, say_run, &runs);
}
