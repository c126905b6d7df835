/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rules of code that was built without any unwinding information: how deep its stack is at each instruction, from what its
 * instructions do. Functions of compilers have the same depth on every path to an instruction. x86-64.
 */
#ifndef SKEP_UNWIND_BARE_H
#define SKEP_UNWIND_BARE_H

#include "elf/elf.h"
#include "unwind/crt.h"

/* The rules of .text, where they are known, as crt_each(). */
int bare_each(const struct elf_file *elf, crt_each_fn *each, void *arg);

#endif
