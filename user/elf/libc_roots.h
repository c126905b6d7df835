/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where user stacks begin in a C library without .symtab: the callers of main() and of a thread's function. */
#ifndef SKEP_ELF_LIBC_ROOTS_H
#define SKEP_ELF_LIBC_ROOTS_H

#include "elf/elf.h"
#include "elf/symtab.h"

/*
 * glibc's __libc_start_call_main and start_thread are local, so that a stripped libc.so.6 has no name for the
 * outermost frame of every stack. Adds both to tab (not sealed yet), found by what the code of the exported
 * __libc_start_main and pthread_create does, or nothing where that is not certain. x86-64. Returns 0 or -ENOMEM.
 */
int libc_roots_add(const struct elf_file *elf, struct symtab *tab);

#endif
