/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Stubs and start files: short code without branches that matter, in which only the depth of the stack changes. */
#include "unwind/crt.h"

#include <stdlib.h>

#include "unwind/crtcode.h"

#define STUB_BYTES 16u
#define FUNC_MAX_BYTES 256u
#define POP_MAX_BYTES 16u /* from the end of a function back to its last pop */
#define START_MAX_BYTES 128u
#define WORD 8

/* Return address at the CFA's top, nothing else moved. */
static int say(const struct crt_code *c, uint64_t from, uint64_t to, enum unwind_cfa cfa, int32_t off, int16_t add)
{
	struct unwind_rule rule = { .cfa = (uint8_t)cfa, .ra = UNWIND_AT_CFA, .cfa_off = off, .add = add, .ra_off = -WORD };

	return crt_say(c, from, to, &rule);
}

/* Where the push of a lazy stub ends, by its second one; 0: another kind of stub, which only jumps. */
static int16_t push_end(const struct crt_code *c)
{
	if (HAS(c, STUB_BYTES, "\xff\x25") && HAS(c, STUB_BYTES + 6, "\x68"))
		return 11; /* jmp *slot; push n; jmp head */
	if (HAS(c, STUB_BYTES, "\xf3\x0f\x1e\xfa\x68"))
		return 9; /* endbr64; push n; jmp head */
	return HAS(c, STUB_BYTES, "\x68") ? 5 : 0;
}

/* The head pushes the link map, and is entered with one word pushed already. */
static int each_plt(const struct crt_code *c)
{
	int16_t pushed = push_end(c);
	int ret = 0;

	if (pushed && HAS(c, 0, "\xff\x35") && !(c->vaddr % STUB_BYTES)) {
		ret = say(c, 0, 6, UNWIND_CFA_SP, 2 * WORD, 0);
		if (!ret)
			ret = say(c, 6, STUB_BYTES, UNWIND_CFA_SP, 3 * WORD, 0);
		return ret ? ret : say(c, STUB_BYTES, c->n, UNWIND_CFA_PLT, WORD, pushed);
	}
	return HAS(c, 0, "\xff\x25") || HAS(c, 0, "\xf3\x0f\x1e\xfa\xff\x25") || HAS(c, 0, "\xf3\x0f\x1e\xfa\xf2\xff\x25")
		       ? say(c, 0, c->n, UNWIND_CFA_SP, WORD, 0)
		       : 0;
}

/* .init and .fini: [endbr64;] sub $8, %rsp ... add $8, %rsp; ret */
static int each_init(const struct crt_code *c)
{
	static const char sub[] = "\x48\x83\xec\x08", end[] = "\x48\x83\xc4\x08\xc3";
	uint64_t begin = HAS(c, 0, "\xf3\x0f\x1e\xfa") ? 4 : 0, ret_at;
	int ret;

	if (c->n < sizeof(end) - 1 || !HAS(c, begin, sub))
		return 0;
	begin += sizeof(sub) - 1;
	ret_at = c->n - 1;
	if (!HAS(c, c->n - (sizeof(end) - 1), end))
		return 0;
	ret = say(c, 0, begin, UNWIND_CFA_SP, WORD, 0);
	if (!ret)
		ret = say(c, begin, ret_at, UNWIND_CFA_SP, 2 * WORD, 0);
	return ret ? ret : say(c, ret_at, c->n, UNWIND_CFA_SP, WORD, 0);
}

/*
 * GCC's __do_global_dtors_aux, from which a library's destructors are called: [endbr64;] cmpb $0, done; jne END; push %rbp ...
 * pop %rbp; ret; padding; END: ret
 */
static int each_dtors(const struct crt_code *c)
{
	struct unwind_rule pushed = { .cfa = UNWIND_CFA_SP,
				      .cfa_off = 2 * WORD,
				      .ra = UNWIND_AT_CFA,
				      .ra_off = -WORD,
				      .saved = UNWIND_AT_CFA,
				      .bp_off = -2 * WORD };
	uint64_t at = HAS(c, 0, "\xf3\x0f\x1e\xfa") ? 4 : 0, begin, end, pop;
	int ret;

	if (!HAS(c, at, "\x80\x3d") || !HAS(c, at + 7, "\x75") || !HAS(c, at + 9, "\x55"))
		return 0;
	begin = at + 10;
	end = at + 9 + c->bytes[at + 8];
	for (pop = end; pop > begin && end - pop < POP_MAX_BYTES && !HAS(c, pop, "\x5d\xc3");)
		pop--;
	if (!HAS(c, pop, "\x5d\xc3") || !HAS(c, end, "\xc3") || c->bytes[at + 8] & 0x80)
		return 0;
	ret = say(c, 0, begin, UNWIND_CFA_SP, WORD, 0);
	if (!ret)
		ret = crt_say(c, begin, pop + 1, &pushed);
	return ret ? ret : say(c, pop + 1, end + 1, UNWIND_CFA_SP, WORD, 0);
}

/*
 * musl's _start: xor %rbp, %rbp; mov %rsp, %rdi; lea _DYNAMIC(%rip), %rsi; and $-16, %rsp; call. That of the GNU C library's ld.so:
 * mov %rsp, %rdi; call _dl_start; ... jmp *%r12
 */
static int each_start(const struct crt_code *c)
{
	struct unwind_rule outermost = { .cfa = UNWIND_CFA_SP, .cfa_off = WORD, .ra = UNWIND_SAME };
	int ret;

	for (uint64_t at = 8; HAS(c, 0, "\x48\x89\xe7\xe8") && at < START_MAX_BYTES; at++)
		if (HAS(c, at, "\x41\xff\xe4"))
			return crt_say(c, 0, at + 3, &outermost);
	if (!HAS(c, 0, "\x48\x31\xed\x48\x89\xe7\x48\x8d\x35") || !HAS(c, 13, "\x48\x83\xe4\xf0\xe8"))
		return 0;
	ret = crt_say(c, 0, 22, &outermost);
	return ret ? ret : CRT_MUSL;
}

/* The function whose address is a word of the file, if there is one. */
static int each_func(const struct elf_file *elf, uint64_t word_at, int (*each)(const struct crt_code *c), struct crt_code c)
{
	char *word, *bytes;
	uint64_t off, n;
	int ret;

	if (elf_read(elf, word_at, WORD, &word))
		return 0;
	memcpy(&c.vaddr, word, WORD);
	free(word);
	if (!elf_vaddr_to_off(elf, c.vaddr, &off))
		return 0;
	n = elf->size - off;
	c.n = n < FUNC_MAX_BYTES ? n : FUNC_MAX_BYTES;
	if (off > elf->size || elf_read(elf, off, c.n, &bytes))
		return 0;
	c.bytes = (const uint8_t *)bytes;
	ret = each(&c);
	free(bytes);
	return ret;
}

int crt_each_section(const struct elf_file *elf, const struct crt_kind *kinds, size_t n, struct crt_code c)
{
	char *bytes;
	int ret = 0;

	for (size_t i = 0; !ret && i < n; i++) {
		const struct elf_sec *sec = elf_sec_by_name(elf, kinds[i].section);

		if (!sec || sec->size > CRT_CODE_MAX_BYTES || elf_read_sec(elf, sec, &bytes))
			continue;
		c.bytes = (const uint8_t *)bytes;
		c.n = sec->size;
		c.vaddr = sec->addr;
		ret = kinds[i].each(&c);
		free(bytes);
	}
	return ret;
}

/* mov $15, %rax; syscall. Offsets of struct rt_sigframe (arch/x86/include/asm/sigframe.h), after its first word. */
int crt_say_sigreturn(const struct crt_code *c)
{
	static const char code[] = "\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05";
	static const struct unwind_rule rule = {
		.cfa = UNWIND_CFA_SP_DEREF,
		.cfa_off = 160,
		.ra = UNWIND_AT_SP | UNWIND_SIGNAL,
		.ra_off = 168,
		.saved = UNWIND_AT_SP | UNWIND_AT_SP << UNWIND_BX_SHIFT,
		.bp_off = 120,
		.bx_off = 128,
	};
	const uint8_t *found = c->n ? memmem(c->bytes + 1, c->n - 1, code, sizeof(code) - 1) : NULL;
	uint64_t at = found ? (uint64_t)(found - c->bytes) : 0;

	return found ? crt_say(c, at - 1, at + sizeof(code) - 1, &rule) : 0;
}

int crt_each(const struct elf_file *elf, crt_each_fn *each, void *arg)
{
	static const struct crt_kind kinds[] = {
		{ ".plt", each_plt },	  { ".plt.got", each_plt }, { ".plt.sec", each_plt },
		{ ".iplt", each_plt },	  { ".init", each_init },   { ".fini", each_init },
	};
	struct crt_code c = { .each = each, .arg = arg };
	const struct elf_sec *sec = elf_sec_by_name(elf, ".fini_array");
	int ret = crt_each_section(elf, kinds, sizeof(kinds) / sizeof(*kinds), c);

	/* Relocated words have their values in the file, too. */
	if (!ret && sec)
		ret = each_func(elf, sec->off, each_dtors, c);
	if (!ret)
		ret = each_func(elf, offsetof(Elf64_Ehdr, e_entry), each_start, c);
	return ret;
}
