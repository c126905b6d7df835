/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "unwind/disasm.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "unwind/capstone.h"
#include "unwind/insn86.h"

#ifdef HAVE_CAPSTONE
#define A64_BYTES 4u

struct machine {
	cs_arch arch;
	cs_mode mode;
};

static int machine_of(uint16_t elf_machine, struct machine *ret)
{
	switch (elf_machine) {
	case EM_X86_64:
		*ret = (struct machine){ CS_ARCH_X86, CS_MODE_64 };
		return 0;
	case EM_386:
		*ret = (struct machine){ CS_ARCH_X86, CS_MODE_32 };
		return 0;
	case EM_AARCH64:
		*ret = (struct machine){ CS_ARCH_ARM64, CS_MODE_ARM };
		return 0;
	default:
		return -ENOTSUP;
	}
}

bool disasm_works(void)
{
	return capstone_open();
}

static enum disasm_kind kind_of(const struct capstone *lib, csh handle, const cs_insn *insn)
{
	if (lib->group(handle, insn, CS_GRP_CALL))
		return DISASM_CALL;
	if (lib->group(handle, insn, CS_GRP_RET) || lib->group(handle, insn, CS_GRP_IRET))
		return DISASM_RET;
	return lib->group(handle, insn, CS_GRP_JUMP) ? DISASM_JUMP : DISASM_OTHER;
}

static void x86_target(const cs_insn *insn, struct disasm_insn *i)
{
	const cs_x86 *x86 = &insn->detail->x86;

	for (int k = 0; k < x86->op_count; k++) {
		const cs_x86_op *op = &x86->operands[k];

		if (op->type == X86_OP_IMM && (i->kind == DISASM_JUMP || i->kind == DISASM_CALL)) {
			i->is_direct = true;
			i->target = (uint64_t)op->imm;
		} else if (op->type == X86_OP_MEM && op->mem.base == X86_REG_RIP && op->mem.index == X86_REG_INVALID) {
			i->has_data = true;
			i->target = insn->address + insn->size + (uint64_t)op->mem.disp;
		}
	}
}

static void arm64_target(const cs_insn *insn, struct disasm_insn *i)
{
	const cs_arm64 *arm = &insn->detail->arm64;
	const cs_arm64_op *last = arm->op_count ? &arm->operands[arm->op_count - 1] : NULL;

	/* libcapstone 4 has bl in no group of calls. */
	if (insn->id == ARM64_INS_BL || insn->id == ARM64_INS_BLR)
		i->kind = DISASM_CALL;
	if (!last || last->type != ARM64_OP_IMM)
		return;
	i->is_direct = i->kind == DISASM_JUMP || i->kind == DISASM_CALL;
	i->has_data = insn->id == ARM64_INS_ADR || insn->id == ARM64_INS_ADRP;
	i->target = (uint64_t)last->imm;
}

/* Leaves of "x0, 0x1234" what is before the target. */
static void drop_target(char *operands)
{
	char *comma = strrchr(operands, ',');

	operands[comma ? comma + 1 - operands : 0] = '\0';
}

/* Is a digit at p, which follows `before`, a number of one digit that is no scale of an index? libcapstone has those below 10 in decimal. */
static bool is_small_number(char before, const char *p, bool in_brackets)
{
	if (*p < '0' || *p > '9' || (p[1] >= '0' && p[1] <= '9') || p[1] == 'x')
		return false;
	return before == '$' || before == '-' || before == '#' || (!in_brackets && (!before || before == ',' || before == '*' || before == ':'));
}

/* objdump's way: no blank after a comma, numbers in hexadecimal. */
static void tidy_operands(const char *operands, char *to, size_t size)
{
	char before = '\0';
	bool in_brackets = false;
	size_t n = 0;

	for (const char *p = operands; *p && n + sizeof("0x") < size; p++) {
		if (*p == ' ' && before == ',')
			continue;
		in_brackets = *p == '(' || (in_brackets && *p != ')');
		if (is_small_number(before, p, in_brackets)) {
			to[n++] = '0';
			to[n++] = 'x';
		}
		to[n++] = before = *p;
	}
	to[n] = '\0';
}

/* AT&T's letter of the size is dropped where a register has it, as objdump does: "movq %rsp,%rbp" is "mov". */
static void drop_suffix(const struct capstone *lib, csh handle, cs_insn *insn)
{
	const char *base = lib->insn_name(handle, insn->id);
	size_t n = base ? strlen(base) : 0;
	const cs_x86 *x86 = &insn->detail->x86;
	bool is_clear = !x86->op_count || insn->id == X86_INS_CALL || insn->id == X86_INS_JMP;

	for (int k = 0; k < x86->op_count; k++)
		is_clear |= x86->operands[k].type == X86_OP_REG;
	if (n && is_clear && !strncmp(insn->mnemonic, base, n) && insn->mnemonic[n] && strchr("bwlq", insn->mnemonic[n]) && !insn->mnemonic[n + 1])
		insn->mnemonic[n] = '\0';
}

/* An instruction as libcapstone has it, and what it is made into. */
struct text {
	bool is_att;
	char operands[2 * sizeof(((cs_insn *)0)->op_str)];
};

static void describe(const struct capstone *lib, csh handle, const struct machine *m, cs_insn *insn, struct text *t, struct disasm_insn *i)
{
	*i = (struct disasm_insn){ .addr = insn->address, .raw = insn->bytes, .bytes = insn->size, .name = insn->mnemonic,
				   .operands = t->operands, .kind = kind_of(lib, handle, insn) };
	if (m->arch == CS_ARCH_X86)
		x86_target(insn, i);
	else
		arm64_target(insn, i);
	if (t->is_att)
		drop_suffix(lib, handle, insn);
	tidy_operands(insn->op_str, t->operands, sizeof(t->operands));
	if (i->is_direct)
		drop_target(t->operands);
}

/*
 * What libcapstone does not know. Of x86-64 the length is known all the same (libcapstone 4 lacks some of AVX-512); else it is a byte, or
 * a word of AArch64.
 */
static void describe_bad(const struct machine *m, const uint8_t *at, size_t left, uint64_t addr, struct text *t, struct disasm_insn *i)
{
	struct insn86 unused;
	uint32_t known = m->mode == CS_MODE_64 && m->arch == CS_ARCH_X86 ? insn86_read(at, left, &unused) : 0;
	uint32_t n = known ? known : m->arch == CS_ARCH_X86 || left < A64_BYTES ? 1 : A64_BYTES;
	size_t len = 0;

	for (uint32_t k = 0; k < n; k++)
		len += (size_t)snprintf(t->operands + len, sizeof(t->operands) - len, "%s0x%02x", k ? "," : "", at[k]);
	*i = (struct disasm_insn){ .addr = addr, .raw = at, .bytes = n, .name = known ? "(unknown)" : "(bad)", .operands = t->operands };
}

int disasm_each(const struct disasm_code *code, int (*each)(void *arg, const struct disasm_insn *i), void *arg)
{
	const struct capstone *lib = capstone_open();
	const uint8_t *at = code->bytes;
	size_t left = code->n;
	uint64_t addr = code->addr;
	struct machine m;
	struct text t;
	cs_insn *insn;
	csh handle;
	int ret = lib ? machine_of(code->machine, &m) : -ENOTSUP;

	if (ret)
		return ret;
	if (lib->open(m.arch, m.mode, &handle))
		return -ENOMEM;
	lib->option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	t.is_att = m.arch == CS_ARCH_X86 && !code->intel;
	if (t.is_att)
		lib->option(handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	insn = lib->malloc(handle);
	ret = insn ? 0 : -ENOMEM;
	while (!ret && left) {
		struct disasm_insn i;

		if (lib->next(handle, &at, &left, &addr, insn)) {
			describe(lib, handle, &m, insn, &t, &i);
		} else {
			describe_bad(&m, at, left, addr, &t, &i);
			at += i.bytes;
			left -= i.bytes;
			addr += i.bytes;
		}
		ret = each(arg, &i);
	}
	if (insn)
		lib->free(insn, 1);
	lib->close(&handle);
	return ret;
}
#else
bool disasm_works(void)
{
	return false;
}

int disasm_each(const struct disasm_code *code, int (*each)(void *arg, const struct disasm_insn *i), void *arg)
{
	(void)code;
	(void)each;
	(void)arg;
	return -ENOTSUP;
}
#endif
