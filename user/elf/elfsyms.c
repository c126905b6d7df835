/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which symbols of an ELF file are names of functions, and of variables for who wants these. In: an open file and its debug file; out: a
 * sealed symtab. The rules are perf's (functions and labels of executable sections), except that a
 * size is believed, and a symbol of .dynsym without one names only its own address.
 */
#include "elf/elfsyms.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_LZMA
#include <lzma.h>
#endif

#include "elf/gopclntab.h"
#include "elf/libc_roots.h"
#include "elf/plt.h"

#define XZ_OUT_MAX_BYTES (256u << 20)
#define XZ_MEM_MAX_BYTES (128u << 20)
#define XZ_FIRST_BYTES (1u << 20)

bool elfsyms_has_symtab(const struct elf_file *elf)
{
	const struct elf_sec *sec = elf_sec_by_type(elf, SHT_SYMTAB);

	return sec && sec->size > elf_sym_size(elf);
}

/* $a, $d, $t, $x and $x.suffix mark code and data for disassemblers (AAELF64 5.5.5, RISC-V psABI). */
static bool is_mapping_symbol(const struct elf_file *elf, const char *name)
{
	if (elf->machine != EM_AARCH64 && elf->machine != EM_ARM && elf->machine != EM_RISCV)
		return false;
	return name[0] == '$' && name[1] && strchr("adtx", name[1]) && (!name[2] || name[2] == '.');
}

static bool is_text(const struct elf_file *elf, const struct elf_sym *sym)
{
	if (sym->shndx == SHN_UNDEF)
		return false;
	if (sym->type == STT_FUNC || sym->type == STT_GNU_IFUNC)
		return sym->shndx < SHN_LORESERVE || sym->shndx == SHN_XINDEX;
	if (sym->type != STT_NOTYPE || sym->shndx >= elf->nr_secs)
		return false;
	if (sym->visibility == STV_HIDDEN || sym->visibility == STV_INTERNAL)
		return false;
	return elf->secs[sym->shndx].flags & SHF_EXECINSTR;
}

static bool is_variable(const struct elf_sym *sym)
{
	return sym->type == STT_OBJECT && sym->shndx != SHN_UNDEF && (sym->shndx < SHN_LORESERVE || sym->shndx == SHN_XINDEX);
}

static unsigned int rank_of(const struct elf_sym *sym)
{
	return (sym->type != STT_NOTYPE && sym->type != STT_OBJECT ? RANK_FUNC : 0) | (sym->size ? RANK_SIZED : 0) |
	       (sym->bind != STB_WEAK ? RANK_STRONG : 0) | (sym->bind != STB_LOCAL ? RANK_GLOBAL : 0);
}

/* A symbol without a size goes no further than its section. */
static int add_section_ends(const struct elf_file *elf, struct symtab *tab)
{
	for (uint32_t i = 0; i < elf->nr_secs; i++) {
		const struct elf_sec *s = &elf->secs[i];
		int ret;

		if (!(s->flags & SHF_EXECINSTR) || !s->addr)
			continue;
		ret = symtab_add(tab, s->addr + s->size, 0, 0, 0, SIZE_STOP);
		if (ret)
			return ret;
	}
	return 0;
}

static int add_symbols(const struct elf_file *elf, const struct elf_sec *sec, const char *bytes, uint32_t names,
		       uint64_t names_len, enum symbol_size sizeless, struct symtab *tab)
{
	size_t n = sec->size / elf_sym_size(elf);

	for (size_t i = 1; i < n; i++) {
		struct elf_sym s;
		const char *name;
		bool is_data;
		int ret;

		elf_sym_at(elf, bytes, i, &s);
		is_data = tab->with_data && is_variable(&s);
		if (s.name >= names_len || (!is_data && !is_text(elf, &s)))
			continue;
		name = tab->names + names + s.name;
		if (!*name || is_mapping_symbol(elf, name))
			continue;
		if (elf->machine == EM_ARM && !is_data)
			s.value &= ~1ull; /* Thumb */
		ret = symtab_add(tab, s.value, s.size, names + s.name, rank_of(&s),
				 s.size ? SIZE_KNOWN : sizeless);
		if (ret)
			return ret;
		tab->raw[tab->nr_raw - 1].is_data = is_data;
	}
	return 0;
}

/* 0 also when the section is absent or broken: the other sources may still have names. */
static int add_section(const struct elf_file *elf, uint32_t type, struct symtab *tab)
{
	const struct elf_sec *sec = elf_sec_by_type(elf, type), *str;
	char *bytes, *names;
	uint32_t at;
	int ret;

	if (!sec || sec->link >= elf->nr_secs)
		return 0;
	str = &elf->secs[sec->link];
	ret = elf_read_sec(elf, sec, &bytes);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	ret = elf_read_sec(elf, str, &names);
	if (ret) {
		free(bytes);
		return ret == -ENOMEM ? ret : 0;
	}
	ret = symtab_names(tab, names, str->size, &at);
	free(names);
	if (!ret)
		ret = add_symbols(elf, sec, bytes, at, str->size, type == SHT_SYMTAB ? SIZE_TO_NEXT : SIZE_EXACT,
				  tab);
	if (!ret && type == SHT_SYMTAB)
		ret = add_section_ends(elf, tab);
	free(bytes);
	return ret == -ENOMEM ? ret : 0;
}

#ifdef HAVE_LZMA
/* Unpacks all of in; the result grows up to XZ_OUT_MAX_BYTES. */
static int unxz(const char *in, size_t n, char **ret_out, size_t *ret_n)
{
	lzma_stream xz = LZMA_STREAM_INIT;
	size_t cap = XZ_FIRST_BYTES;
	char *out = malloc(cap), *p;
	lzma_ret code = LZMA_OK;

	if (!out)
		return -ENOMEM;
	if (lzma_stream_decoder(&xz, XZ_MEM_MAX_BYTES, 0) != LZMA_OK) {
		free(out);
		return -ENOMEM;
	}
	xz.next_in = (const uint8_t *)in;
	xz.avail_in = n;
	xz.next_out = (uint8_t *)out;
	xz.avail_out = cap;
	while (code == LZMA_OK) {
		code = lzma_code(&xz, LZMA_FINISH);
		if (code != LZMA_OK || xz.avail_out)
			continue;
		if (cap >= XZ_OUT_MAX_BYTES || !(p = realloc(out, cap * 2)))
			break;
		out = p;
		xz.next_out = (uint8_t *)out + cap;
		xz.avail_out = cap;
		cap *= 2;
	}
	*ret_n = xz.total_out;
	lzma_end(&xz);
	if (code != LZMA_STREAM_END) {
		free(out);
		return -EBADMSG;
	}
	*ret_out = out;
	return 0;
}

/* MiniDebugInfo: a whole ELF file with the .symtab that .dynsym lacks, packed by xz. */
static int add_minidebug(const struct elf_file *elf, struct symtab *tab)
{
	const struct elf_sec *sec = elf_sec_by_name(elf, ".gnu_debugdata");
	struct elf_file mini;
	char *packed, *image;
	size_t n;
	int ret;

	if (!sec)
		return 0;
	ret = elf_read_sec(elf, sec, &packed);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	ret = unxz(packed, sec->size, &image, &n);
	free(packed);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	ret = elf_open_mem(image, n, &mini);
	if (!ret) {
		ret = add_section(&mini, SHT_SYMTAB, tab);
		elf_close(&mini);
	}
	free(image);
	return ret == -ENOMEM ? ret : 0;
}
#else
static int add_minidebug(const struct elf_file *elf, struct symtab *tab)
{
	(void)elf;
	(void)tab;
	return 0;
}
#endif

int elfsyms_collect(const struct elf_file *elf, const struct elf_file *debug, struct symtab *tab)
{
	int ret;

	if (elfsyms_has_symtab(elf)) {
		ret = add_section(elf, SHT_SYMTAB, tab);
	} else if (debug && elfsyms_has_symtab(debug)) {
		ret = add_section(debug, SHT_SYMTAB, tab);
	} else {
		ret = add_section(elf, SHT_DYNSYM, tab);
		if (!ret)
			ret = add_minidebug(elf, tab);
		if (!ret)
			ret = gopclntab_add(elf, tab);
	}
	return ret;
}

int elfsyms_load(const struct elf_file *elf, const struct elf_file *debug, struct symtab *tab)
{
	int ret = elfsyms_collect(elf, debug, tab);

	if (!ret && !elfsyms_has_symtab(elf) && !(debug && elfsyms_has_symtab(debug)))
		ret = libc_roots_add(elf, tab);
	if (!ret)
		ret = plt_add(elf, tab);
	if (!ret)
		ret = symtab_seal(tab);
	if (ret)
		return ret;
	return tab->n > INT_MAX ? INT_MAX : (int)tab->n;
}
