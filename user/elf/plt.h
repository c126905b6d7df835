/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of PLT stubs ("malloc@plt"): no symbol table has them. */
#ifndef SKEP_ELF_PLT_H
#define SKEP_ELF_PLT_H

#include "elf/elf.h"
#include "elf/symtab.h"

/* Adds a symbol per stub of .plt, .plt.sec and .plt.got. 0, also when there are none, or -ENOMEM. */
int plt_add(const struct elf_file *elf, struct symtab *tab);

#endif
