/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Notes of .note.stapsdt: three addresses of the file's class, then three strings that end in NUL. */
#include "types/usdt.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SECTION ".note.stapsdt"
#define BASE_SECTION ".stapsdt.base"
#define OWNER "stapsdt"
#define NOTE_TYPE 3u
#define NOTES_MAX_BYTES (64u << 20)
#define NR_ADDRS 3u

static uint64_t addr_at(const struct elf_file *elf, const char *desc, unsigned i)
{
	uint64_t wide;
	uint32_t narrow;

	if (elf->is64) {
		memcpy(&wide, desc + i * sizeof(wide), sizeof(wide));
		return wide;
	}
	memcpy(&narrow, desc + i * sizeof(narrow), sizeof(narrow));
	return narrow;
}

/* The text at *at, which moves after its NUL; NULL: it does not end. */
static const char *next_text(const char **at, const char *end)
{
	const char *text = *at, *nul = memchr(text, '\0', (size_t)(end - text));

	if (nul)
		*at = nul + 1;
	return nul ? text : NULL;
}

/* base_addr: where .stapsdt.base is now; 0: there is none. */
static bool parse(const struct elf_file *elf, const char *desc, size_t size, uint64_t base_addr, struct usdt *ret_probe)
{
	const char *at = desc + NR_ADDRS * (elf->is64 ? sizeof(uint64_t) : sizeof(uint32_t)), *end = desc + size;
	uint64_t moved;
	struct usdt p;

	if (size < (size_t)(at - desc))
		return false;
	moved = base_addr ? base_addr - addr_at(elf, desc, 1) : 0;
	p.addr = addr_at(elf, desc, 0) + moved;
	p.semaphore = addr_at(elf, desc, 2);
	if (p.semaphore)
		p.semaphore += moved;
	p.provider = next_text(&at, end);
	p.name = p.provider ? next_text(&at, end) : NULL;
	p.args = p.name ? next_text(&at, end) : NULL;
	if (!p.args || !*p.provider || !*p.name)
		return false;
	*ret_probe = p;
	return true;
}

static size_t aligned(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

static int each_note(const struct elf_file *elf, const char *notes, size_t size, uint64_t base_addr,
		     int (*each)(void *arg, const struct usdt *probe), void *arg)
{
	int ret = 0;

	for (size_t at = 0; !ret && at < size;) {
		Elf32_Nhdr n; /* the same in both classes */
		struct usdt probe;
		size_t desc;

		if (size - at < sizeof(n))
			return -EBADMSG;
		memcpy(&n, notes + at, sizeof(n));
		at += sizeof(n);
		if (n.n_namesz > size - at || aligned(n.n_namesz) > size - at)
			return -EBADMSG;
		desc = at + aligned(n.n_namesz);
		if (n.n_descsz > size - desc)
			return -EBADMSG;
		if (n.n_type == NOTE_TYPE && n.n_namesz == sizeof(OWNER) && !memcmp(notes + at, OWNER, sizeof(OWNER))) {
			if (!parse(elf, notes + desc, n.n_descsz, base_addr, &probe))
				return -EBADMSG;
			ret = each(arg, &probe);
		}
		at = aligned(n.n_descsz) > size - desc ? size : desc + aligned(n.n_descsz);
	}
	return ret;
}

int usdt_each(const struct elf_file *elf, int (*each)(void *arg, const struct usdt *probe), void *arg)
{
	const struct elf_sec *sec = elf_sec_by_name(elf, SECTION), *base = elf_sec_by_name(elf, BASE_SECTION);
	char *notes;
	int ret;

	if (!sec)
		return -ENODATA;
	if (sec->size > NOTES_MAX_BYTES)
		return -EBADMSG;
	ret = elf_read_sec(elf, sec, &notes);
	if (ret)
		return ret == -ERANGE ? -EBADMSG : ret;
	ret = each_note(elf, notes, sec->size, base ? base->addr : 0, each, arg);
	free(notes);
	return ret;
}
