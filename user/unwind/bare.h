/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rules of code that was built without any unwinding information: how deep its stack is at each instruction, from what its
 * instructions do. Functions of compilers have the same depth on every path to an instruction. x86-64.
 */
#ifndef SKEP_UNWIND_BARE_H
#define SKEP_UNWIND_BARE_H

#include <stddef.h>
#include <stdint.h>

#include "elf/elf.h"
#include "unwind/crt.h"

/* Code that has unwinding information: addresses in the file, [from, to). */
struct bare_described {
	uint64_t from, to;
};

/*
 * Calls each() with the rules of the code in .text that no description covers, where they are known. described: n of them by rising
 * .from, which may overlap. It is not called for a .text of more than 32 MB, or one with more than 4 MB that no description covers.
 * Returns 0, -ENOMEM, or what each() returned if that was not 0.
 */
int bare_each(const struct elf_file *elf, const struct bare_described *described, size_t n, crt_each_fn *each, void *arg);

#endif
