/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Function names of stripped Go programs: the runtime's own table, which strip cannot drop. */
#ifndef SKEP_SYM_GOPCLNTAB_H
#define SKEP_SYM_GOPCLNTAB_H

#include <stdbool.h>
#include <stdint.h>

#include "sym/elf.h"
#include "sym/symtab.h"

#define GO_SIGRETURN "runtime.sigreturn" /* where signals' handlers return to; .sigreturn__sigaction since Go 1.20 */

/* Adds the functions of .gopclntab (Go 1.18 and later). 0, also when there is none, or -ENOMEM. */
int gopclntab_add(const struct elf_file *elf, struct symtab *tab);

/* Code in which the stack pointer is depth bytes below where it was at the function's first instruction. */
struct gopclntab_run {
	uint64_t func; /* whose it is: its first instruction */
	uint64_t start, end;
	uint32_t depth;
	bool is_top; /* of a function that nobody called: runtime._func.flag has TOPFRAME */
};

/* Has each() look at the runs of all functions. 0, also when there is none; what each() returned, which ends it; or -ENOMEM. */
int gopclntab_each_run(const struct elf_file *elf, int (*each)(void *arg, const struct gopclntab_run *run), void *arg);

#endif
