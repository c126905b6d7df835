/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What ehframe.c and ehparts.c are made of: who describes which code (ehcover.c), rules by number (ehrules.c), rows in pages
 * (ehtable.c), and what both do.
 */
#ifndef SKEP_UNWIND_EHTABLE_H
#define SKEP_UNWIND_EHTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/cfi.h"
#include "unwind/ehframe.h"

enum eh_source { EH_FRAME, EH_DEBUG_FRAME, EH_SOURCES, EH_RULE = EH_SOURCES };

/* A description of code. Of EH_RULE fde.cie is the number of its one rule. The earlier of two wins. */
struct eh_entry {
	struct cfi_fde fde;
	enum eh_source source;
	uint32_t nr_pieces; /* counted by eh_cover */
};

struct eh_entries {
	struct eh_entry *data;
	size_t n, cap;
};

/* Code that one entry is in charge of. */
struct eh_piece {
	uint64_t from, to;
	uint32_t entry;
};

struct eh_pieces {
	struct eh_piece *data;
	size_t n, cap;
};

/*
 * Fills pieces, by rising address and disjoint, with all that entries describe. An entry with holes has many pieces, and its
 * program is run for each: of more than a few the rest is nobody's. 0 or -ENOMEM; the caller frees, also then.
 */
int eh_cover(struct eh_entries *entries, struct eh_pieces *pieces);

/* The number of a rule, which is added when it is new. -ENOMEM. */
int unwind_rules_number(struct unwind_rules *rules, const struct unwind_rule *rule, uint32_t *ret_number);

/* A table under construction: rows come by rising address. */
struct eh_rows {
	struct unwind_table *table;
	uint32_t cap;
	uint32_t page; /* where the next row is, or later */
	uint32_t rule; /* in force */
};

/* For code from from to to. 0, -ENOMEM, or -E2BIG: further than EH_SPAN_MAX_BYTES. The table is the caller's to free, also then. */
int eh_rows_begin(struct eh_rows *rows, struct unwind_table *table, uint64_t from, uint64_t to);
int eh_rows_put(struct eh_rows *rows, uint64_t vaddr, uint32_t rule); /* 0, -ENOMEM, -E2BIG: more rows than any program has */
int eh_rows_end(struct eh_rows *rows, uint64_t to);

#define EH_SPAN_MAX_BYTES (16ull << 30)

#define EH_RECENT 64u /* a power of two */

/* A table, or a part of one, that is being compiled. */
struct eh_reading {
	const struct elf_file *elf;
	struct unwind_rules *rules;
	struct unwind_table *table;
	struct cfi cfis[EH_SOURCES];
	char *bytes[EH_SOURCES];
	struct eh_entries entries;
	struct eh_pieces pieces;
	struct eh_rows rows;
	uint64_t from; /* what is in force before is put here */
	bool is_go;    /* all code keeps frame pointers */
	const struct elf_seg *text; /* where the last entry was */
	struct eh_recent {
		struct unwind_rule rule;
		uint32_t number;
	} recent[EH_RECENT]; /* rules come again at once: pushes and pops of one function after the other */
};

const struct cfi_machine *eh_machine(const struct elf_file *elf); /* of EM_X86_64, or else of EM_AARCH64 */

/* Is [start, end) code of a segment? NULL: no. */
const struct elf_seg *eh_text(const struct elf_file *elf, uint64_t start, uint64_t end);

/* These return 0, or -errno: the reading is over. What is not of executable code is left out. */
int eh_add_entry(struct eh_reading *r, const struct cfi_fde *fde, enum eh_source source);
int eh_add_others(struct eh_reading *r); /* signal frames, stubs and start files: after all FDEs */

/* Compiles the entries' rows of [from, to) into r->table: r->pieces are covered. */
int eh_compile(struct eh_reading *r, uint64_t from, uint64_t to);

/* Frees all but the table, which is handed out if ret is 0, and else freed, too. Returns ret; of -E2BIG -ENOEXEC. */
int eh_reading_end(struct eh_reading *r, int ret, struct unwind_table *ret_table);

#endif
