/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Functions of Go's runtime by their names. Which of them are the outermost of a stack: topofstack() of runtime/traceback.go; those
 * that the linker marks so itself (TOPFRAME) are left out.
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

enum insn_calls { CALLS_NOT, CALLS_BY_NAME, CALLS_BY_ADDRESS };

/* Calls on another stack: of the functions' other calls some are on their own. */
static const struct {
	const char *name;
	enum insn_calls how;
} switches[] = {
	{ "runtime.mcall", CALLS_BY_ADDRESS },
	{ "runtime.systemstack", CALLS_BY_ADDRESS },
	{ "runtime.asmcgocall", CALLS_BY_ADDRESS },
	{ "runtime.morestack", CALLS_BY_NAME },
};

/* The instruction at a byte: returns its length, 0 at the end. */
static uint32_t read_insn(const struct elf_file *elf, const struct crt_code *c, uint64_t at, enum insn_calls *ret_how)
{
	struct insn86 in;
	uint32_t n, insn;

	*ret_how = CALLS_NOT;
	if (elf->machine == EM_X86_64) {
		n = insn86_read(c->bytes + at, c->n - at, &in);
		if (n && (in.kind == INSN86_CALL || in.kind == INSN86_CALL_AT))
			*ret_how = in.kind == INSN86_CALL ? CALLS_BY_NAME : CALLS_BY_ADDRESS;
		return n;
	}
	if (c->n - at < ARM64_INSN)
		return 0;
	memcpy(&insn, c->bytes + at, ARM64_INSN);
	if ((insn & 0xfc000000) == 0x94000000) /* bl */
		*ret_how = CALLS_BY_NAME;
	else if ((insn & 0xfffffc1f) == 0xd63f0000) /* blr */
		*ret_how = CALLS_BY_ADDRESS;
	return ARM64_INSN;
}

/* c begins a byte before the function. Only as a caller it is the outermost: a return address is looked up by the last byte of the call. */
static int each_call(const struct elf_file *elf, const struct crt_code *c, enum insn_calls how)
{
	static const struct unwind_rule outermost = { .cfa = UNWIND_CFA_SP, .cfa_off = sizeof(uint64_t), .ra = UNWIND_SAME };
	enum insn_calls found;
	int ret = 0;

	for (uint64_t at = 1, n; !ret && at < c->n; at += n) {
		n = read_insn(elf, c, at, &found);
		if (!n)
			break;
		if (found == how)
			ret = crt_say(c, at + n - 1, at + n, &outermost);
	}
	return ret;
}

/* Of what is not named here, nothing. */
static enum insn_calls calls_of(const char *name)
{
	for (size_t i = 0; i < sizeof(switches) / sizeof(*switches); i++)
		if (!strcmp(name, switches[i].name))
			return switches[i].how;
	return CALLS_NOT;
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

static bool is_go(const struct elf_file *elf)
{
	return elf_sec_by_name(elf, ".note.go.buildid");
}

int gocode_each(const struct elf_file *elf, crt_each_fn *each, void *arg)
{
	struct crt_code c = { .each = each, .arg = arg };
	struct symtab tab = { 0 };
	int ret = is_go(elf) ? gopclntab_add(elf, &tab) : 0;
	uint32_t nr = 0;
	char *bytes;

	for (uint32_t i = 0; !ret && i < tab.nr_raw && nr < FUNCS_MAX; i++) {
		const char *name = tab.names + tab.raw[i].name;
		enum insn_calls how = calls_of(name);
		bool is_sigreturn = elf->machine == EM_X86_64 && !strncmp(name, GO_SIGRETURN, strlen(GO_SIGRETURN));

		if ((!how && !is_sigreturn) || read_func(elf, &tab.raw[i], &c, &bytes))
			continue;
		nr++;
		if (how)
			ret = each_call(elf, &c, how);
		else
			ret = crt_say_sigreturn(&c);
		free(bytes);
	}
	symtab_free(&tab);
	return ret;
}

int gocode_each_behind(const struct elf_file *elf, crt_each_fn *each, void *arg)
{
	const struct elf_sec *text = is_go(elf) ? elf_sec_by_name(elf, ".text") : NULL;

	return text ? each(arg, text->addr, text->addr + text->size, &unwind_rule_fp) : 0;
}
