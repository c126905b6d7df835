/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Rules of code that has no unwinding information though every program has it: stubs of linkers other than ld, and what the C
 * library's and the compiler's start files are made of. x86-64.
 */
#ifndef SKEP_UNWIND_CRT_H
#define SKEP_UNWIND_CRT_H

#include <stdint.h>

#include "bpf/unwind.h"
#include "elf/elf.h"

/* 0, or -errno, which ends it. */
typedef int crt_each_fn(void *arg, uint64_t start, uint64_t end, const struct unwind_rule *rule);

#define CRT_MUSL 1

/*
 * Calls each() for pieces of code and their rules, in any order; also where there is better information. Only what the bytes of the
 * code show is passed. 0, what each() returned, or -ENOMEM. CRT_MUSL: the program contains musl, a C library without unwinding information;
 * bare_each() (unwind/bare.h) makes its rules from its instructions, which takes 10 to 30 ms.
 */
int crt_each(const struct elf_file *elf, crt_each_fn *each, void *arg);

#endif
