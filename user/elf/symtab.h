/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A sorted table of symbols: filled once in any order, then searched. Names are offsets into one
 * block of bytes that the table owns.
 */
#ifndef SKEP_ELF_SYMTAB_H
#define SKEP_ELF_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum symbol_size {
	SIZE_KNOWN,
	SIZE_TO_NEXT, /* up to the next symbol */
	SIZE_EXACT,   /* only its own address: its size is not known */
	SIZE_STOP,    /* no symbol: ends the one before it */
};

/* Decides between several names of one address, best bit first. */
enum symbol_rank {
	RANK_GLOBAL = 1,
	RANK_STRONG = 2, /* not weak */
	RANK_SIZED = 4,
	RANK_FUNC = 8, /* over STT_NOTYPE */
};

struct symtab_raw {
	uint64_t addr, size;
	uint32_t name;
	uint8_t rank, how; /* enum symbol_rank bits, enum symbol_size */
	bool is_data;
};

struct symtab_entry {
	uint32_t size, name;
	uint32_t outer : 31, is_data : 1; /* outer: index + 1 of the symbol around this one */
};

struct symtab {
	uint64_t *addrs; /* apart from the rest so that a search touches few cache lines */
	struct symtab_entry *entries;
	uint32_t n;
	uint32_t *guide; /* of each stretch, which is addr - addrs[0] >> guide_shift: the first symbol at it or after it; and n at the end */
	uint32_t guide_last; /* the last stretch */
	uint8_t guide_shift;
	struct symtab_raw *raw; /* only until symtab_seal */
	uint32_t nr_raw, cap_raw;
	char *names;
	size_t names_len, names_cap;
	bool with_data; /* variables are wanted, too: set by the owner before it is filled */
};

void symtab_free(struct symtab *tab);

/* Appends n bytes and a NUL to the names and returns where they start. -ENOMEM, -E2BIG past 4 GB. */
int symtab_names(struct symtab *tab, const char *bytes, size_t n, uint32_t *ret_at);
int symtab_add(struct symtab *tab, uint64_t addr, uint64_t size, uint32_t name, unsigned int rank,
	       enum symbol_size how);

/* Sorts, keeps the best name of each address and closes the table for adding. */
int symtab_seal(struct symtab *tab);

/* Innermost symbol that holds addr: its name (owned by the table) and start, or NULL. */
const char *symtab_find(const struct symtab *tab, uint64_t addr, uint64_t *ret_start);

/* Is what begins at start, which symtab_find() gave, a variable? */
bool symtab_is_data(const struct symtab *tab, uint64_t start);

/* Where the symbol that begins at start ends, or where the next one begins if that is earlier. */
uint64_t symtab_end(const struct symtab *tab, uint64_t start);

/* Where it ends by its size, whatever begins inside it. */
uint64_t symtab_whole_end(const struct symtab *tab, uint64_t start);

#endif
