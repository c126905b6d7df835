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

enum what {
	NOTHING,
	CALLS_BY_NAME, /* on another stack, with such calls: others are on its own */
	CALLS_BY_ADDRESS,
	HANDLES, /* signals: marked as an outermost one, and is not */
	READS_CLOCK, /* in the vDSO, on another stack, and keeps a frame pointer while it does */
	RETURNS_SIGNAL,
};

static enum what what_is(const char *name)
{
	static const struct {
		const char *name;
		enum what what;
	} funcs[] = {
		{ "runtime.mcall", CALLS_BY_ADDRESS },	    { "runtime.systemstack", CALLS_BY_ADDRESS },
		{ "runtime.asmcgocall", CALLS_BY_ADDRESS }, { "runtime.morestack", CALLS_BY_NAME },
		{ "runtime.nanotime1", READS_CLOCK },	    { "runtime.walltime", READS_CLOCK },
		{ "time.now", READS_CLOCK },		    { "runtime.sigtramp", HANDLES },
	};

	for (size_t i = 0; i < sizeof(funcs) / sizeof(*funcs); i++)
		if (!strcmp(name, funcs[i].name))
			return funcs[i].what;
	return strncmp(name, GO_SIGRETURN, strlen(GO_SIGRETURN)) ? NOTHING : RETURNS_SIGNAL;
}

/* The instruction at a byte: returns its length, 0 at the end. */
static uint32_t read_insn(uint16_t machine, const struct crt_code *c, uint64_t at, enum what *ret_what)
{
	struct insn86 in;
	uint32_t n, insn;

	*ret_what = NOTHING;
	if (machine == EM_X86_64) {
		n = insn86_read(c->bytes + at, c->n - at, &in);
		if (n && (in.kind == INSN86_CALL || in.kind == INSN86_CALL_AT))
			*ret_what = in.kind == INSN86_CALL ? CALLS_BY_NAME : CALLS_BY_ADDRESS;
		return n;
	}
	if (c->n - at < ARM64_INSN)
		return 0;
	memcpy(&insn, c->bytes + at, ARM64_INSN);
	if ((insn & 0xfc000000) == 0x94000000) /* bl */
		*ret_what = CALLS_BY_NAME;
	else if ((insn & 0xfffffc1f) == 0xd63f0000) /* blr */
		*ret_what = CALLS_BY_ADDRESS;
	return ARM64_INSN;
}

/* Only as a caller it is the outermost: a return address is looked up by the last byte of the call. */
static int each_call(uint16_t machine, const struct crt_code *c, enum what what)
{
	static const struct unwind_rule outermost = { .cfa = UNWIND_CFA_SP, .cfa_off = WORD, .ra = UNWIND_SAME };
	enum what found;
	int ret = 0;

	for (uint64_t at = 1, n; !ret && at < c->n; at += n) {
		n = read_insn(machine, c, at, &found);
		if (!n)
			break;
		if (found == what)
			ret = crt_say(c, at + n - 1, at + n, &outermost);
	}
	return ret;
}

/*
 * From mov %rsp, %rbp (before Go 1.21: lea N(%rsp), %rbp) to where the caller's is back. The caller is on another stack, as that of a
 * signal's handler is.
 */
static int each_reader(const struct crt_code *c)
{
	static const struct unwind_rule rule = {
		.cfa = UNWIND_CFA_BP,
		.cfa_off = 2 * WORD,
		.ra = UNWIND_AT_CFA | UNWIND_SIGNAL,
		.ra_off = -WORD,
		.saved = UNWIND_AT_CFA,
		.bp_off = -2 * WORD,
	};
	uint64_t from = 0, to = 0, n;
	struct insn86 in;

	for (uint64_t at = 1; at < c->n && !to; at += n) {
		n = insn86_read(c->bytes + at, c->n - at, &in);
		if (!n)
			break;
		if (!from && (in.kind == INSN86_SET_BP || HAS(c, at, "\x48\x8d\x6c\x24") || HAS(c, at, "\x48\x8d\xac\x24")))
			from = at + n;
		else if (from && ((in.kind == INSN86_POP && in.reg == INSN86_BP) || HAS(c, at, "\x48\x8b\x6c\x24")))
			to = at;
	}
	return from && to ? crt_say(c, from, to, &rule) : 0;
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

static int each_func(uint16_t machine, const struct crt_code *c, enum what what)
{
	if (what == CALLS_BY_NAME || what == CALLS_BY_ADDRESS)
		return each_call(machine, c, what);
	if (machine != EM_X86_64) /* arm64's handlers return to the vDSO */
		return 0;
	return what == READS_CLOCK ? each_reader(c) : crt_say_sigreturn(c);
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

static bool is_go(const struct elf_file *elf)
{
	return elf_sec_by_name(elf, ".note.go.buildid");
}

int gocode_each(const struct elf_file *elf, crt_each_fn *each, void *arg)
{
	struct runs runs = { .each = each, .arg = arg, .is_arm64 = elf->machine == EM_AARCH64 };
	struct crt_code c = { .each = each, .arg = arg };
	struct symtab tab = { 0 };
	int ret = is_go(elf) ? gopclntab_add(elf, &tab) : 0;
	uint32_t nr = 0;
	char *bytes;

	for (uint32_t i = 0; !ret && i < tab.nr_raw && nr < FUNCS_MAX; i++) {
		enum what what = what_is(tab.names + tab.raw[i].name);

		if (!what || read_func(elf, &tab.raw[i], &c, &bytes))
			continue;
		nr++;
		runs.handler = tab.raw[i].addr;
		ret = what == HANDLES ? gopclntab_each_run(elf, say_run, &runs) : each_func(elf->machine, &c, what);
		free(bytes);
	}
	symtab_free(&tab);
	return ret;
}

int gocode_each_behind(const struct elf_file *elf, crt_each_fn *each, void *arg)
{
	const struct elf_sec *text = is_go(elf) ? elf_sec_by_name(elf, ".text") : NULL;
	struct runs runs = { .each = each, .arg = arg, .is_arm64 = elf->machine == EM_AARCH64 };
	int ret = 0;

	if (!text)
		return 0;
	if (!elf_sec_by_name(elf, ".debug_frame"))
		ret = gopclntab_each_run(elf, say_run, &runs);
	return ret ? ret : each(arg, text->addr, text->addr + text->size, &unwind_rule_fp);
}
