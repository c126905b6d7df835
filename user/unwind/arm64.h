/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rules of arm64's code that has no unwinding information though processes run it: linkers' stubs, the vDSO. */
#ifndef SKEP_UNWIND_ARM64_H
#define SKEP_UNWIND_ARM64_H

#include <stdbool.h>
#include <stddef.h>

#include "unwind/crt.h"

/* As crt_each(). */
int arm64_each(const struct elf_file *elf, crt_each_fn *each, void *arg);

/* Where a signal handler returns to: the vDSO's __kernel_rt_sigreturn, musl's __restore_rt. code: n bytes from there on. */
bool arm64_is_sigreturn(const void *code, size_t n);
extern const struct unwind_rule arm64_sigreturn_rule;

#endif
