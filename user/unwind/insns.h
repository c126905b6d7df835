/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The instructions of a function in a file, one after the other: x86 (32 and 64 bit) by libcapstone, AArch64 by itself. */
#ifndef SKEP_UNWIND_INSNS_H
#define SKEP_UNWIND_INSNS_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/elf.h"

struct insn {
	uint32_t bytes;
	bool is_ret; /* to the caller; not from an interrupt */
};

/*
 * Calls each() for the instructions of a function, in order; addr and size (bytes) as its symbol says. Returns 0, what each()
 * returned, -ENOTSUP for another machine or x86 without libcapstone, -ERANGE when the file has no code there, -EBADMSG at what is
 * no instruction (or one that libcapstone does not know), or -errno of the read.
 */
int insns_each(const struct elf_file *elf, uint64_t addr, uint64_t size,
	       int (*each)(void *arg, uint64_t addr, const struct insn *i), void *arg);

/*
 * The addresses of all return instructions, in order. Returns how many, -E2BIG when there are more than max, or as insns_each():
 * never a part of them.
 */
int insns_rets(const struct elf_file *elf, uint64_t addr, uint64_t size, uint64_t *ret_addrs, uint32_t max);

/* Whether an instruction of that function begins at addr: 1 or 0, or -errno as insns_each() when it is not known. */
int insns_is_boundary(const struct elf_file *elf, uint64_t func_addr, uint64_t func_size, uint64_t addr);

#endif
