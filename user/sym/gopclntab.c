/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * .gopclntab as Go 1.18 and later write it (layout: runtime.pcHeader and runtime._func of Go's
 * runtime/symtab.go, runtime2.go). Header: magic, pads, quantum, pointer size; then words: number
 * of functions, of files, text start, offsets of names, CUs, files, pc data, functions. A function
 * is a pair of 32-bit (pc offset, offset of its record); the record starts with pc offset and name.
 */
#include "sym/gopclntab.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC_GO_1_18 0xfffffff0u
#define MAGIC_GO_1_20 0xfffffff1u
#define HEADER_BYTES 8u
#define FUNCS_MAX (1u << 24)

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

#define NO_NAME UINT32_MAX

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
		/* Functions go up to the next. By the byte before it a return address is looked up, and nobody has called that one. */
		end -= next != NO_NAME && !strncmp(tab->names + names + next, GO_SIGRETURN, strlen(GO_SIGRETURN));
		if (name != NO_NAME && end > pc)
			ret = symtab_add(tab, t->words[WORD_TEXT] + pc, end - pc, names + name, RANK_SIZED, SIZE_KNOWN);
	}
	return ret == -ENOMEM ? ret : 0;
}

int gopclntab_add(const struct elf_file *elf, struct symtab *tab)
{
	const struct elf_sec *sec = elf_sec_by_name(elf, ".gopclntab"), *text;
	struct pclntab t = { 0 };
	char *bytes;
	int ret = 0;

	if (!sec)
		sec = elf_sec_by_name(elf, ".data.rel.ro.gopclntab"); /* position-independent programs */
	if (!sec || elf_read_sec(elf, sec, &bytes))
		return 0;
	t.bytes = bytes;
	t.size = sec->size;
	if (read_header(&t)) {
		/* A relocated (PIE) or, in the newest Go, dropped field. */
		text = elf_sec_by_name(elf, ".text");
		if (!t.words[WORD_TEXT] && text)
			t.words[WORD_TEXT] = text->addr;
		ret = add_funcs(&t, tab);
	}
	free(bytes);
	return ret;
}
