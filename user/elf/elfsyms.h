/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From ELF files to a symbol table: .symtab, .dynsym, MiniDebugInfo, PLT stubs, Go's pclntab. */
#ifndef SKEP_ELF_ELFSYMS_H
#define SKEP_ELF_ELFSYMS_H

#include <stdbool.h>

#include "elf/elf.h"
#include "elf/symtab.h"

/* True when the file itself has a .symtab, so that nobody need look for a debug file. */
bool elfsyms_has_symtab(const struct elf_file *elf);

/*
 * Fills and seals tab (empty before, but for with_data) with the function names of elf, and its variables if wanted; debug is its separate debug
 * file or NULL. An unreadable part is left out. Returns how many symbols, or -ENOMEM.
 */
int elfsyms_load(const struct elf_file *elf, const struct elf_file *debug, struct symtab *tab);

/*
 * The same names without PLT stubs, tab->raw left open: an address has as many as it has symbols. SIZE_STOP rows are no symbols.
 * 0 or -ENOMEM.
 */
int elfsyms_collect(const struct elf_file *elf, const struct elf_file *debug, struct symtab *tab);

#endif
