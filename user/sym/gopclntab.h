/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Function names of stripped Go programs: the runtime's own table, which strip cannot drop. */
#ifndef SKEP_SYM_GOPCLNTAB_H
#define SKEP_SYM_GOPCLNTAB_H

#include "sym/elf.h"
#include "sym/symtab.h"

#define GO_SIGRETURN "runtime.sigreturn" /* where signals' handlers return to; .sigreturn__sigaction since Go 1.20 */

/* Adds the functions of .gopclntab (Go 1.18 and later). 0, also when there is none, or -ENOMEM. */
int gopclntab_add(const struct elf_file *elf, struct symtab *tab);

#endif
