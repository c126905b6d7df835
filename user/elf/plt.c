/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * PLT stubs. A stub jumps through a GOT slot, and a relocation of that slot names the function. On
 * x86-64 the slot is read from the jump itself, since linkers order and pad stubs differently;
 * elsewhere the i-th stub is of the i-th relocation. 64-bit files only.
 */
#include "elf/plt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define STUB_BYTES 16u
#define ARM64_HEADER_BYTES 32u
#define JMP_BYTES 6u /* ff 25 disp32 */
#define NAME_MAX_BYTES 4096u
#define SUFFIX "@plt"
#define PIECE 1024 /* relocations */
#define RELOCATIONS_MAX (1u << 24)

struct slot {
	uint64_t addr;
	const char *name;
};

struct slots {
	struct slot *data;
	size_t n, cap;
};

static int compare_slot(const void *pa, const void *pb)
{
	const struct slot *a = pa, *b = pb;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

static int add_slot(struct slots *s, uint64_t addr, const char *name)
{
	if (s->n == s->cap) {
		size_t cap = s->cap ? s->cap * 2 : 256;
		struct slot *p = realloc(s->data, cap * sizeof(*p));

		if (!p)
			return -ENOMEM;
		s->data = p;
		s->cap = cap;
	}
	s->data[s->n++] = (struct slot){ addr, name };
	return 0;
}

/* Every relocation of sec that has a symbol with a name. In pieces: most of a library's name none, and may be megabytes. */
static int read_slots(const struct elf_file *elf, const struct elf_sec *sec, const char *syms, size_t nr_syms,
		      const char *names, size_t names_len, struct slots *slots)
{
	Elf64_Rela r[PIECE];
	uint64_t left = sec && sec->type != SHT_NOBITS && !(sec->flags & SHF_COMPRESSED) ? sec->size / sizeof(*r) : 0;
	uint64_t off = left ? sec->off : 0;
	int ret = 0;

	if (left > RELOCATIONS_MAX)
		return 0;
	while (left && !ret) {
		size_t n = left < PIECE ? (size_t)left : PIECE;

		if (elf_read_at(elf, off, r, n * sizeof(*r)))
			return 0;
		for (size_t i = 0; !ret && i < n; i++) {
			struct elf_sym s;

			if (!ELF64_R_SYM(r[i].r_info) || ELF64_R_SYM(r[i].r_info) >= nr_syms)
				continue;
			elf_sym_at(elf, syms, ELF64_R_SYM(r[i].r_info), &s);
			if (s.name < names_len && names[s.name])
				ret = add_slot(slots, r[i].r_offset, names + s.name);
		}
		off += n * sizeof(*r);
		left -= n;
	}
	return ret;
}

static int add_stub(struct symtab *tab, uint64_t addr, uint64_t size, const char *name)
{
	char text[NAME_MAX_BYTES + sizeof(SUFFIX)];
	size_t n = strnlen(name, NAME_MAX_BYTES);
	uint32_t at;
	int ret;

	memcpy(text, name, n);
	memcpy(text + n, SUFFIX, sizeof(SUFFIX));
	ret = symtab_names(tab, text, n + sizeof(SUFFIX) - 1, &at);
	if (!ret)
		ret = symtab_add(tab, addr, size, at, RANK_SIZED, SIZE_KNOWN);
	return ret;
}

static int add_x86_stubs(const struct elf_file *elf, const struct elf_sec *sec, const struct slots *slots,
			 struct symtab *tab)
{
	uint64_t stub = sec->entsize == 8 ? 8 : STUB_BYTES;
	char *code;
	int ret = 0;

	if (elf_read_sec(elf, sec, &code))
		return 0;
	for (uint64_t at = 0; !ret && at + stub <= sec->size; at += stub) {
		for (uint64_t i = at; i + JMP_BYTES <= at + stub; i++) {
			struct slot key, *hit;
			int32_t disp;

			if ((uint8_t)code[i] != 0xff || (uint8_t)code[i + 1] != 0x25)
				continue;
			memcpy(&disp, code + i + 2, sizeof(disp));
			key.addr = sec->addr + i + JMP_BYTES + (uint64_t)(int64_t)disp;
			hit = bsearch(&key, slots->data, slots->n, sizeof(key), compare_slot);
			if (hit)
				ret = add_stub(tab, sec->addr + at, stub, hit->name);
			break;
		}
	}
	free(code);
	return ret;
}

static int add_stubs(const struct elf_file *elf, const struct slots *slots, size_t nr_plt, struct symtab *tab)
{
	static const char *const secs[] = { ".plt", ".plt.sec", ".plt.got" };
	const struct elf_sec *sec;
	int ret = 0;

	if (elf->machine == EM_X86_64) {
		for (size_t i = 0; !ret && i < sizeof(secs) / sizeof(*secs); i++) {
			sec = elf_sec_by_name(elf, secs[i]);
			if (sec)
				ret = add_x86_stubs(elf, sec, slots, tab);
		}
		return ret;
	}
	sec = elf->machine == EM_AARCH64 ? elf_sec_by_name(elf, ".plt") : NULL;
	for (size_t i = 0; sec && !ret && i < nr_plt; i++)
		if (ARM64_HEADER_BYTES + (i + 1) * STUB_BYTES <= sec->size)
			ret = add_stub(tab, sec->addr + ARM64_HEADER_BYTES + i * STUB_BYTES, STUB_BYTES,
				       slots->data[i].name);
	return ret;
}

int plt_add(const struct elf_file *elf, struct symtab *tab)
{
	const struct elf_sec *sec = elf_sec_by_type(elf, SHT_DYNSYM), *str;
	char *syms = NULL, *names = NULL;
	struct slots slots = { 0 };
	size_t nr_syms, nr_plt;
	int ret;

	if (!elf->is64 || !sec || sec->link >= elf->nr_secs || !elf_sec_by_name(elf, ".plt"))
		return 0;
	str = &elf->secs[sec->link];
	if (elf_read_sec(elf, sec, &syms) || elf_read_sec(elf, str, &names)) {
		free(syms);
		return 0;
	}
	nr_syms = sec->size / elf_sym_size(elf);
	ret = read_slots(elf, elf_sec_by_name(elf, ".rela.plt"), syms, nr_syms, names, str->size, &slots);
	nr_plt = slots.n;
	if (!ret && elf->machine == EM_X86_64) {
		ret = read_slots(elf, elf_sec_by_name(elf, ".rela.dyn"), syms, nr_syms, names, str->size, &slots);
		if (slots.n)
			qsort(slots.data, slots.n, sizeof(*slots.data), compare_slot);
	}
	if (!ret && slots.n)
		ret = add_stubs(elf, &slots, nr_plt, tab);
	free(slots.data);
	free(syms);
	free(names);
	return ret == -ENOMEM ? ret : 0;
}
