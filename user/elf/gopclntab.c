/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * .gopclntab as Go 1.18 and later write it (layout: runtime.pcHeader and runtime._func of Go's
 * runtime/symtab.go, runtime2.go). Header: magic, pads, quantum, pointer size; then words: number
 * of functions, of files, text start, offsets of names, CUs, files, pc data, functions. A function
 * is a pair of 32-bit (pc offset, offset of its record); the record starts with pc offset and name, and has in the fifth word where
 * in the pc data its depths of the stack are.
 */
#include "elf/gopclntab.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/bytes.h"

#define MAGIC_GO_1_18 0xfffffff0u
#define MAGIC_GO_1_20 0xfffffff1u
#define HEADER_BYTES 8u
#define FUNCS_MAX (1u << 24)
#define RUNS_MAX (1u << 22) /* an entry of 64 bytes each; kubelet has 400,000 */
#define NO_NAME UINT32_MAX
#define PCSP_AT 16u
#define FLAG_AT_1_18 37u
#define FLAG_AT_1_20 41u /* after the line where it starts */
#define FLAG_TOPFRAME 1

enum header_word {
	WORD_FUNCS,
	WORD_FILES,
	WORD_TEXT,
	WORD_NAMES,
	WORD_CUS,
	WORD_FILETAB,
	WORD_PCDATA,
	WORD_FUNCTAB,
	WORD_MAX
};

struct pclntab {
	const char *bytes;
	uint64_t size;
	uint64_t words[WORD_MAX];
};

static uint32_t u32_at(const struct pclntab *t, uint64_t off)
{
	uint32_t v;

	memcpy(&v, t->bytes + off, sizeof(v));
	return v;
}

static bool read_header(struct pclntab *t)
{
	unsigned int ptr;

	if (t->size < HEADER_BYTES)
		return false;
	ptr = (uint8_t)t->bytes[7];
	if ((u32_at(t, 0) != MAGIC_GO_1_18 && u32_at(t, 0) != MAGIC_GO_1_20) || (ptr != 4 && ptr != 8) ||
	    t->size < HEADER_BYTES + (uint64_t)WORD_MAX * ptr)
		return false;
	for (unsigned int i = 0; i < WORD_MAX; i++)
		memcpy(&t->words[i], t->bytes + HEADER_BYTES + i * ptr, ptr);
	/* n + 1 pairs: the last one only ends the text. */
	return t->words[WORD_NAMES] < t->size && t->words[WORD_FUNCTAB] < t->size &&
	       t->words[WORD_FUNCS] < FUNCS_MAX &&
	       t->words[WORD_FUNCS] * 8 + 4 <= t->size - t->words[WORD_FUNCTAB];
}

bool gopclntab_is_return(const char *name)
{
	return gopclntab_is_sigreturn(name) || !strcmp(name, "runtime.systemstack_switch");
}

bool gopclntab_is_sigreturn(const char *name)
{
	static const char since_1_20[] = "runtime.sigreturn__sigaction";

	return !strcmp(name, "runtime.sigreturn") || !strcmp(name, since_1_20);
}

/* The name of the i-th function: an offset into len bytes of names. */
static uint32_t name_at(const struct pclntab *t, uint64_t i, uint64_t len)
{
	uint64_t tab_at = t->words[WORD_FUNCTAB], rec;
	uint32_t name;

	if (i >= t->words[WORD_FUNCS])
		return NO_NAME;
	rec = tab_at + u32_at(t, tab_at + i * 8 + 4);
	if (rec + 8 > t->size)
		return NO_NAME;
	name = u32_at(t, rec + 4);
	return name < len && t->bytes[t->words[WORD_NAMES] + name] ? name : NO_NAME;
}

static int add_funcs(const struct pclntab *t, struct symtab *tab)
{
	uint64_t tab_at = t->words[WORD_FUNCTAB];
	uint64_t end_of_names = t->words[WORD_CUS] > t->words[WORD_NAMES] ? t->words[WORD_CUS] : t->size;
	uint64_t len = (end_of_names < t->size ? end_of_names : t->size) - t->words[WORD_NAMES];
	uint32_t names, name, next = name_at(t, 0, len);
	int ret;

	ret = symtab_names(tab, t->bytes + t->words[WORD_NAMES], len, &names);
	for (uint64_t i = 0; !ret && i < t->words[WORD_FUNCS]; i++) {
		uint32_t pc = u32_at(t, tab_at + i * 8), end = u32_at(t, tab_at + (i + 1) * 8);

		name = next;
		next = name_at(t, i + 1, len);
		if (name == NO_NAME || end <= pc)
			continue;
		/* Functions go up to the next. By the byte before it a return address is looked up, and nobody has called that one. */
		end -= next != NO_NAME && gopclntab_is_return(tab->names + names + next);
		ret = symtab_add(tab, t->words[WORD_TEXT] + pc, end - pc, names + name, RANK_SIZED, SIZE_KNOWN);
	}
	return ret == -ENOMEM ? ret : 0;
}

/* The word at an address as the dynamic linker makes it: 0 where it has nothing to do with it. */
static uint64_t relocated(const struct elf_file *elf, uint64_t vaddr)
{
	const struct elf_sec *sec = elf_sec_by_name(elf, ".rela.dyn");
	uint32_t relative = elf->machine == EM_X86_64 ? R_X86_64_RELATIVE : R_AARCH64_RELATIVE;
	uint64_t found = 0;
	Elf64_Rela rela;
	char *bytes;

	if (!elf->is64 || !sec || elf_read_sec(elf, sec, &bytes))
		return 0;
	for (uint64_t at = 0; !found && at + sizeof(rela) <= sec->size; at += sizeof(rela)) {
		memcpy(&rela, bytes + at, sizeof(rela));
		if (rela.r_offset == vaddr && ELF64_R_TYPE(rela.r_info) == relative)
			found = (uint64_t)rela.r_addend;
	}
	free(bytes);
	return found;
}

/* Is the program's first instruction that of Go's? */
static bool begins_at(const struct elf_file *elf, const struct pclntab *t, uint64_t text)
{
	static const char name[] = "_rt0_";
	uint64_t names = t->words[WORD_NAMES], entry;

	if (elf_read_at(elf, offsetof(Elf64_Ehdr, e_entry), &entry, sizeof(entry)))
		return false;
	for (uint64_t i = 0; i < t->words[WORD_FUNCS]; i++) {
		uint32_t at = name_at(t, i, t->size - names);

		if (text + u32_at(t, t->words[WORD_FUNCTAB] + i * 8) == entry)
			return at != NO_NAME && t->size - names - at >= sizeof(name) && !memcmp(t->bytes + names + at, name, sizeof(name) - 1);
	}
	return false;
}

bool gopclntab_is(const struct elf_file *elf)
{
	return elf_sec_by_name(elf, ".gopclntab") || elf_sec_by_name(elf, ".data.rel.ro.gopclntab"); /* position-independent programs */
}

/* Reads the section; bytes are the caller's to free. -ENOENT: there is none that is understood; -errno of reading. */
static int read_table(const struct elf_file *elf, struct pclntab *ret_t, char **ret_bytes)
{
	const struct elf_sec *sec = elf_sec_by_name(elf, ".gopclntab"), *text = elf_sec_by_name(elf, ".text");
	uint64_t *start = &ret_t->words[WORD_TEXT];
	int ret;

	if (!sec)
		sec = elf_sec_by_name(elf, ".data.rel.ro.gopclntab");
	ret = sec ? elf_read_sec(elf, sec, ret_bytes) : -ENOENT;
	if (ret)
		return ret;
	ret_t->bytes = *ret_bytes;
	ret_t->size = sec->size;
	ret = read_header(ret_t) ? 0 : -ENOENT;
	/* Where text starts is relocated in some programs, and not stored by the newest Go: then .text, if that is right. */
	if (!ret && !*start)
		*start = relocated(elf, sec->addr + HEADER_BYTES + WORD_TEXT * sizeof(uint64_t));
	if (!ret && !*start && text && begins_at(elf, ret_t, text->addr))
		*start = text->addr;
	if (ret || !*start) {
		free(*ret_bytes);
		return -ENOENT;
	}
	return 0;
}

int gopclntab_add(const struct elf_file *elf, struct symtab *tab)
{
	struct pclntab t = { 0 };
	char *bytes;
	int ret = read_table(elf, &t, &bytes);

	if (ret)
		return ret == -ENOMEM ? ret : 0;
	ret = add_funcs(&t, tab);
	free(bytes);
	return ret;
}

/* A table of values by pc: pairs of differences as varints, the first one's sign in its lowest bit (runtime.step()). */
static bool read_pair(struct bytes *b, uint32_t *value, uint64_t *pc, uint32_t quantum, bool is_first)
{
	uint64_t diff = bytes_uleb(b), step;

	if (!diff && !is_first)
		return false;
	*value += diff & 1 ? ~(uint32_t)(diff >> 1) : (uint32_t)(diff >> 1);
	step = bytes_uleb(b);
	*pc += step * quantum;
	return !b->is_short && step && step < UINT32_MAX;
}

static int each_run_of(const struct pclntab *t, uint64_t i, uint32_t quantum, uint64_t *left,
		       int (*each)(void *arg, const struct gopclntab_run *run), void *arg)
{
	uint64_t tab_at = t->words[WORD_FUNCTAB], text = t->words[WORD_TEXT], at;
	uint64_t begin = u32_at(t, tab_at + i * 8), end = u32_at(t, tab_at + (i + 1) * 8), from = begin, pc = begin;
	uint64_t rec = tab_at + u32_at(t, tab_at + i * 8 + 4);
	uint32_t flag_at = u32_at(t, 0) == MAGIC_GO_1_18 ? FLAG_AT_1_18 : FLAG_AT_1_20;
	uint32_t depth = UINT32_MAX, pcsp;
	struct bytes b;
	int ret = 0;

	if (rec + flag_at + 1 > t->size)
		return 0;
	pcsp = u32_at(t, rec + PCSP_AT);
	at = t->words[WORD_PCDATA] + pcsp;
	if (!pcsp || at >= t->size) /* 0: C's, in one program with Go */
		return 0;
	b = bytes_of(t->bytes + at, t->size - at);
	for (bool is_first = true; !ret && from < end && *left; is_first = false, --*left) {
		struct gopclntab_run run = { .func = text + begin, .is_top = t->bytes[rec + flag_at] & FLAG_TOPFRAME };

		if (!read_pair(&b, &depth, &pc, quantum, is_first))
			break;
		run.start = text + from;
		run.end = text + (pc < end ? pc : end);
		run.depth = depth;
		if (depth <= INT32_MAX)
			ret = each(arg, &run);
		from = pc;
	}
	return ret;
}

int gopclntab_each_run(const struct elf_file *elf, int (*each)(void *arg, const struct gopclntab_run *run), void *arg)
{
	uint32_t quantum = elf->machine == EM_AARCH64 ? 4 : 1;
	struct pclntab t = { 0 };
	uint64_t left;
	char *bytes;
	int ret = read_table(elf, &t, &bytes);

	if (ret)
		return ret == -ENOMEM ? ret : 0;
	/* A function has a record and its own table, or shares one */
	left = t.size < RUNS_MAX ? t.size : RUNS_MAX;
	for (uint64_t i = 0; !ret && i < t.words[WORD_FUNCS]; i++)
		ret = each_run_of(&t, i, quantum, &left, each, arg);
	free(bytes);
	return ret;
}
