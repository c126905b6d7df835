/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two local functions of glibc by their shape. A candidate must be the start of a function (.eh_frame_hdr lists all)
 * that no symbol names; __libc_start_call_main is called by __libc_start_main and calls exit(), start_thread is the
 * second argument that pthread_create, or the one function below it, hands to clone.
 */
#include "elf/libc_roots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HDR_BYTES 12 /* .eh_frame_hdr up to its table, with the encodings below (LSB core, 10.6.2) */
#define HDR_PTR_PCREL 0x1b
#define HDR_COUNT_UDATA4 0x03
#define HDR_TABLE_DATAREL 0x3b
#define FUNC_MAX_BYTES 4096u
#define TRIES_MAX 256 /* candidates; a hostile file could hold any number */

struct libc {
	const struct elf_file *elf;
	struct symtab *tab;
	uint64_t hdr_addr;
	char *hdr;
	uint32_t nr_funcs, tries;
};

/* A function's code, or a part of none. */
struct code {
	uint64_t addr;
	uint32_t n;
	char *bytes;
};

static int32_t get_i32(const char *p)
{
	int32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint64_t func_start(const struct libc *l, uint32_t i)
{
	return l->hdr_addr + (uint64_t)(int64_t)get_i32(l->hdr + HDR_BYTES + 8ul * i);
}

/* Size of the function that starts at addr (up to the next one), or 0 when none does. */
static uint64_t func_size(const struct libc *l, uint64_t addr)
{
	uint32_t lo = 0, hi = l->nr_funcs;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (func_start(l, mid) < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo + 1 >= l->nr_funcs || func_start(l, lo) != addr || func_start(l, lo + 1) - addr > FUNC_MAX_BYTES)
		return 0;
	return func_start(l, lo + 1) - addr;
}

/* Is addr the start of a function that no symbol names? */
static bool is_candidate(struct libc *l, uint64_t addr)
{
	if (!func_size(l, addr) || ++l->tries > TRIES_MAX)
		return false;
	for (uint32_t i = 0; i < l->tab->nr_raw; i++)
		if (l->tab->raw[i].addr == addr && l->tab->raw[i].how != SIZE_STOP)
			return false;
	return true;
}

static uint64_t addr_of(const struct libc *l, const char *name)
{
	for (uint32_t i = 0; i < l->tab->nr_raw; i++)
		if (!strcmp(l->tab->names + l->tab->raw[i].name, name))
			return l->tab->raw[i].addr;
	return 0;
}

static bool read_code(const struct libc *l, uint64_t addr, struct code *ret_code)
{
	uint64_t size = func_size(l, addr);

	for (uint32_t i = 0; size && i < l->elf->nr_segs; i++) {
		const struct elf_seg *s = &l->elf->segs[i];

		if (s->type != PT_LOAD || addr < s->vaddr || addr - s->vaddr >= s->filesz || s->filesz - (addr - s->vaddr) < size)
			continue;
		*ret_code = (struct code){ .addr = addr, .n = size };
		return !elf_read(l->elf, s->off + (addr - s->vaddr), size, &ret_code->bytes);
	}
	return false;
}

/* Next place at or after *at where op is followed by a 32-bit distance; its target, or 0 at the end. */
static uint64_t next_target(const struct code *c, uint32_t *at, const char *op, uint32_t op_n)
{
	for (; *at + op_n + 4 <= c->n; ++*at)
		if (!memcmp(c->bytes + *at, op, op_n)) {
			uint64_t next = c->addr + *at + op_n + 4;
			int32_t distance = get_i32(c->bytes + *at + op_n);

			++*at;
			return next + (uint64_t)(int64_t)distance;
		}
	return 0;
}

#define CALL "\xe8", 1	       /* call rel32 */
#define LEA_RSI "\x48\x8d\x35", 3 /* lea rel32(%rip), %rsi */

static bool calls(const struct libc *l, uint64_t addr, uint64_t callee)
{
	struct code c;
	uint32_t at = 0;
	uint64_t to = 0;

	if (!callee || !read_code(l, addr, &c))
		return false;
	while ((to = next_target(&c, &at, CALL)) && to != callee)
		;
	free(c.bytes);
	return to;
}

/* The one unnamed function whose address the code puts into the second argument; found: how many so far. */
static uint64_t handed_on(struct libc *l, const struct code *c, uint32_t *found)
{
	uint64_t to, hit = 0;

	for (uint32_t at = 0; (to = next_target(c, &at, LEA_RSI));)
		if (to != hit && is_candidate(l, to)) {
			hit = to;
			++*found;
		}
	return hit;
}

static uint64_t find_call_main(struct libc *l, const struct code *start_main)
{
	uint64_t to, exit_addr = addr_of(l, "exit");

	for (uint32_t at = 0; (to = next_target(start_main, &at, CALL));)
		if (is_candidate(l, to) && calls(l, to, exit_addr))
			return to;
	return 0;
}

static uint64_t find_start_thread(struct libc *l, const struct code *create)
{
	uint32_t found = 0;
	uint64_t to, more, hit = handed_on(l, create, &found);

	for (uint32_t at = 0; (to = next_target(create, &at, CALL));) {
		struct code c;

		if (!is_candidate(l, to) || !read_code(l, to, &c))
			continue;
		more = handed_on(l, &c, &found);
		free(c.bytes);
		if (more == hit && more)
			found--;
		hit = more ? more : hit;
	}
	return found == 1 ? hit : 0;
}

static int add_root(struct libc *l, const char *from, uint64_t (*find)(struct libc *l, const struct code *c),
		    const char *name)
{
	struct code c;
	uint64_t addr;
	uint32_t at;
	int ret;

	if (!read_code(l, addr_of(l, from), &c))
		return 0;
	addr = find(l, &c);
	free(c.bytes);
	if (!addr)
		return 0;
	ret = symtab_names(l->tab, name, strlen(name), &at);
	return ret ? ret : symtab_add(l->tab, addr, func_size(l, addr), at, RANK_FUNC | RANK_SIZED, SIZE_KNOWN);
}

int libc_roots_add(const struct elf_file *elf, struct symtab *tab)
{
	const struct elf_sec *sec = elf_sec_by_name(elf, ".eh_frame_hdr");
	struct libc l = { .elf = elf, .tab = tab };
	int ret;

	if (elf->machine != EM_X86_64 || !elf->is64 || !sec || sec->size < HDR_BYTES || !addr_of(&l, "__libc_start_main"))
		return 0;
	ret = elf_read_sec(elf, sec, &l.hdr);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	l.hdr_addr = sec->addr;
	if (l.hdr[0] == 1 && l.hdr[1] == HDR_PTR_PCREL && l.hdr[2] == HDR_COUNT_UDATA4 && l.hdr[3] == HDR_TABLE_DATAREL &&
	    (uint32_t)get_i32(l.hdr + 8) <= (sec->size - HDR_BYTES) / 8)
		l.nr_funcs = get_i32(l.hdr + 8);
	ret = add_root(&l, "__libc_start_main", find_call_main, "__libc_start_call_main");
	if (!ret)
		ret = add_root(&l, "pthread_create", find_start_thread, "start_thread");
	free(l.hdr);
	return ret;
}
