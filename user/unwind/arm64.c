/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the bytes of stubs and trampolines show. Instructions are of four bytes, little endian. */
#include "unwind/arm64.h"

#include <stdlib.h>
#include <string.h>

#include "unwind/crtcode.h"
#include "unwind/walk.h"

#define INSN 4u
#define SEGS_MAX 4 /* of code, that are looked at: linkers make one */
#define HEAD_BYTES 32u /* of a .plt: the way to the dynamic linker */
#define WORD 8

/*
 * struct rt_sigframe of arch/arm64/kernel/signal.c begins at sp: siginfo, and in the ucontext after it x0 to x30, sp, pc from byte
 * 312 on (arch/arm64/include/uapi/asm/sigcontext.h). CFI cannot say that: of arm64's pc DWARF has no number beside the link register's.
 */
enum sigframe {
	SIGFRAME_X0 = 312,
	SIGFRAME_X29 = SIGFRAME_X0 + 29 * WORD,
	SIGFRAME_X30 = SIGFRAME_X29 + WORD,
	SIGFRAME_SP = SIGFRAME_X30 + WORD,
	SIGFRAME_PC = SIGFRAME_SP + WORD,
};

const struct unwind_rule arm64_sigreturn_rule = {
	.cfa = UNWIND_CFA_SP_DEREF,
	.cfa_off = SIGFRAME_SP,
	.ra = UNWIND_AT_SP | UNWIND_SIGNAL,
	.ra_off = SIGFRAME_PC,
	.saved = UNWIND_AT_SP | UNWIND_AT_SP << UNWIND_BX_SHIFT,
	.bp_off = SIGFRAME_X29,
	.bx_off = SIGFRAME_X30,
};

static const struct unwind_rule leaf = { .cfa = UNWIND_CFA_SP, .ra = UNWIND_IN_LINK };

/*
 * Stubs jump; only the head, with [bti c;] stp x16, x30, [sp, #-16]!, puts something on the stack, and the last, of lazy TLS
 * descriptors.
 */
static int each_plt(const struct crt_code *c)
{
	static const struct unwind_rule pushed = { .cfa = UNWIND_CFA_SP, .cfa_off = 2 * WORD, .ra = UNWIND_AT_CFA, .ra_off = -WORD };
	uint64_t at = HAS(c, 0, "\x5f\x24\x03\xd5") ? INSN : 0, end = c->n;
	int ret;

	if (c->n > HEAD_BYTES && (HAS(c, c->n - HEAD_BYTES, "\xe2\x0f\xbf\xa9") || HAS(c, c->n - HEAD_BYTES + INSN, "\xe2\x0f\xbf\xa9")))
		end -= HEAD_BYTES;
	if (end < HEAD_BYTES || !HAS(c, at, "\xf0\x7b\xbf\xa9"))
		return crt_say(c, 0, end, &leaf);
	ret = crt_say(c, 0, at + INSN, &leaf);
	if (!ret)
		ret = crt_say(c, at + INSN, HEAD_BYTES, &pushed);
	return ret ? ret : crt_say(c, HEAD_BYTES, end, &leaf);
}

bool arm64_is_sigreturn(const void *code, size_t n)
{
	/* mov x8, #139 (__NR_rt_sigreturn); svc #0 */
	static const char bytes[] = "\x68\x11\x80\xd2\x01\x00\x00\xd4";

	return n >= sizeof(bytes) - 1 && !memcmp(code, bytes, sizeof(bytes) - 1);
}

/* The byte before is what a return address is looked up by. */
static int each_sigreturn(const struct crt_code *c, bool *ret_any)
{
	int ret = 0;

	for (uint64_t at = INSN; !ret && at < c->n; at += INSN) {
		if (!arm64_is_sigreturn(c->bytes + at, c->n - at))
			continue;
		*ret_any = true;
		ret = crt_say(c, at - 1, at + 2 * INSN, &arm64_sigreturn_rule);
	}
	return ret;
}

/* Has code a frame of its own? Whoever calls others has: stp x29, x30, [sp, #-N]! or, below other room, [sp, #N]. */
static bool has_frame(const struct crt_code *c, uint64_t at, uint64_t n)
{
	uint32_t insn;

	for (uint64_t end = at + n; at < end; at += INSN) {
		memcpy(&insn, c->bytes + at, INSN);
		if ((insn & 0xfe407fff) == 0xa8007bfd)
			return true;
	}
	return false;
}

/*
 * Code of an object without any information, the kernel's vDSO: functions that call none are at their caller's stack pointer
 * throughout (clock_gettime, of 6.1), all else keeps frame pointers.
 */
static int each_vdso(const struct elf_file *elf, const struct crt_code *c)
{
	const struct elf_sec *sec = elf_sec_by_type(elf, SHT_DYNSYM);
	size_t size = elf_sym_size(elf);
	struct elf_sym sym;
	char *bytes;
	int ret = 0;

	if (sec && sec->size <= CRT_CODE_MAX_BYTES && !elf_read_sec(elf, sec, &bytes)) {
		for (size_t i = 0; !ret && i < sec->size / size; i++) {
			elf_sym_at(elf, bytes, i, &sym);
			if (sym.type == STT_FUNC && sym.shndx != SHN_UNDEF && !(sym.value % INSN) && !(sym.size % INSN) &&
			    sym.value >= c->vaddr && sym.value - c->vaddr <= c->n && sym.size <= c->n - (sym.value - c->vaddr) &&
			    !has_frame(c, sym.value - c->vaddr, sym.size))
				ret = crt_say(c, sym.value - c->vaddr, sym.value - c->vaddr + sym.size, &leaf);
		}
		free(bytes);
	}
	return ret ? ret : crt_say(c, 0, c->n, &unwind_rule_fp);
}

static bool has_cfi(const struct elf_file *elf)
{
	for (uint32_t i = 0; i < elf->nr_segs; i++)
		if (elf->segs[i].type == PT_GNU_EH_FRAME)
			return true;
	return elf_sec_by_name(elf, ".eh_frame");
}

int arm64_each(const struct elf_file *elf, crt_each_fn *each, void *arg)
{
	static const struct crt_kind kinds[] = { { ".plt", each_plt }, { ".iplt", each_plt } };
	struct crt_code c = { .each = each, .arg = arg };
	int ret = crt_each_section(elf, kinds, sizeof(kinds) / sizeof(*kinds), c);
	bool is_vdso;
	char *bytes;

	for (uint32_t i = 0, nr = 0; !ret && i < elf->nr_segs && nr < SEGS_MAX; i++) {
		const struct elf_seg *seg = &elf->segs[i];

		nr += seg->type == PT_LOAD && seg->flags & PF_X;
		if (seg->type != PT_LOAD || !(seg->flags & PF_X) || seg->filesz > CRT_CODE_MAX_BYTES ||
		    elf_read(elf, seg->off, seg->filesz, &bytes))
			continue;
		c.bytes = (const uint8_t *)bytes;
		c.n = seg->filesz;
		c.vaddr = seg->vaddr;
		is_vdso = false;
		ret = each_sigreturn(&c, &is_vdso);
		if (!ret && is_vdso && !has_cfi(elf))
			ret = each_vdso(elf, &c);
		free(bytes);
	}
	return ret;
}
