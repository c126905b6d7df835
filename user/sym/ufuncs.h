/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions of a program or library by name: every name, where a symtab keeps one for each address. */
#ifndef SKEP_SYM_UFUNCS_H
#define SKEP_SYM_UFUNCS_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/elf.h"

struct ufunc {
	const char *name; /* as the symbol table has it: any bytes */
	uint64_t addr, size; /* of the file, not of a process; size 0: not known */
	bool is_func;	     /* by its symbol's type: else it may be a label anywhere, or data among the code */
};

/* Opens a regular file that is an ELF file. Returns the fd, which elf borrows and the caller closes after elf_close; or -errno. */
int ufile_open(const char *path, struct elf_file *ret_elf);

/*
 * Calls each() for the functions of an open file, in the order of names. Its symbols may be in its debug file. Names live until
 * each() returns. Returns 0, what each() returned, -ENODATA when it has no names at all, or -ENOMEM.
 */
int ufuncs_each(const struct elf_file *elf, const char *path, int (*each)(void *arg, const struct ufunc *func), void *arg);

/* Whether it has Go's runtime in it: its stacks move, so that a return probe would end the process. */
bool ufunc_is_go(const struct elf_file *elf);

#endif
