/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Tables for unwinding (bpf/unwind.h), compiled out of an object's .eh_frame, and of .debug_frame where that says more. What is
 * read may be hostile: a table is at worst wrong about the object that it came from.
 */
#ifndef SKEP_UNWIND_EHFRAME_H
#define SKEP_UNWIND_EHFRAME_H

#include <stddef.h>
#include <stdint.h>

#include "bpf/unwind.h"
#include "elf/elf.h"

/* Rules, each once, shared by all tables of a run. Number 0 is UNWIND_CFA_NONE, 1 is UNWIND_CFA_UNKNOWN. */
struct unwind_rules {
	struct unwind_rule *data; /* UNWIND_RULES_MAX at most */
	uint32_t n, cap;
	uint32_t *slots; /* their numbers by hash */
	uint32_t nr_slots;
	uint64_t nr_full; /* rows that became UNWIND_CFA_UNKNOWN because there was no room for their rule */
};

/* 0 or -ENOMEM. */
int unwind_rules_init(struct unwind_rules *rules);
void unwind_rules_free(struct unwind_rules *rules);

/* Of one object. page.row counts from the first of these rows, which follow each other without gaps. */
struct unwind_table {
	uint64_t vaddr; /* ELF address of the first page, a multiple of UNWIND_PAGE_BYTES */
	struct unwind_page *pages;
	uint32_t nr_pages;
	uint32_t *rows;
	uint32_t nr_rows;
	uint32_t nr_fdes, nr_bad; /* entries that were read; and those that were broken */
};

/*
 * Compiles the table of an x86-64 (or arm64) object. debug: its separate debug file, or NULL. 0; -ENOENT: it has no unwinding
 * information; -ENOTSUP: another machine, or 32-bit; -ENOEXEC: broken; -ENOMEM; -errno of reading. The caller frees.
 */
int unwind_table_read(const struct elf_file *elf, const struct elf_file *debug, struct unwind_rules *rules,
		      struct unwind_table *ret_table);
void unwind_table_free(struct unwind_table *table);

/*
 * An object of which any pages can be compiled alone: its .eh_frame_hdr has a search table of the usual form, it has no
 * .debug_frame that says more, is not Go's, and has little code that neither describes. Like GCC's unwinder we take the table at its word: what it
 * does not name is not there.
 */
struct unwind_parts {
	uint64_t vaddr; /* as of its table */
	uint32_t nr_pages;
	uint64_t end; /* of its last code */
	uint64_t hdr_vaddr, hdr_off; /* of the search table's first entry: file offset; what it is relative to */
	uint32_t nr_fdes;
};

/* 0; -ENOENT: it is no such object; -ENOMEM. */
int unwind_parts_find(const struct elf_file *elf, struct unwind_parts *ret_parts);

/* The table of nr pages from page on, all of them inside: 0, or as unwind_table_read(). The caller frees. */
int unwind_parts_read(const struct elf_file *elf, const struct unwind_parts *parts, uint32_t page, uint32_t nr,
		      struct unwind_rules *rules, struct unwind_table *ret_table);

/* The number of the rule of a byte of a page, of its nr rows. */
uint32_t unwind_rows_find(const uint32_t *rows, uint32_t nr, uint32_t low);

/* The number of the rule at an ELF address: 0 outside of the table. */
uint32_t unwind_table_find(const struct unwind_table *table, uint64_t vaddr);

#endif
