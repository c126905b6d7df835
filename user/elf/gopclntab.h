/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Go's functions, and how deep their stacks are: the runtime's own table, which strip cannot drop. Go 1.18 and later. */
#ifndef SKEP_ELF_GOPCLNTAB_H
#define SKEP_ELF_GOPCLNTAB_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/elf.h"
#include "elf/symtab.h"

bool gopclntab_is(const struct elf_file *elf); /* has it one, of whatever Go? */

/* The function that signals' handlers return to, on x86-64? */
bool gopclntab_is_sigreturn(const char *name);

/* A function whose first instruction is a return address without a call before it? */
bool gopclntab_is_return(const char *name);

/* Adds the functions. 0, also when there is no table that is understood, or -ENOMEM. */
int gopclntab_add(const struct elf_file *elf, struct symtab *tab);

/* Code in which the stack pointer is depth bytes below where it was at the function's first instruction. */
struct gopclntab_run {
	uint64_t func; /* whose it is: its first instruction */
	uint64_t start, end;
	uint32_t depth;
	bool is_top; /* of a function that nobody called: runtime._func.flag has TOPFRAME */
};

/* Has each() look at the runs of all functions, few million at most. 0, also when there is none; -ENOMEM; or what each() returned, which ends it. */
int gopclntab_each_run(const struct elf_file *elf, int (*each)(void *arg, const struct gopclntab_run *run), void *arg);

#endif
