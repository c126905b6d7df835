/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rules of Go's code that its .debug_frame has wrong, or that stripped programs do not have. x86-64 and arm64. */
#ifndef SKEP_SYM_GOCODE_H
#define SKEP_SYM_GOCODE_H

#include "sym/crt.h"

/*
 * As crt_each(), for what comes before other information: signals' handlers were not called by what they return to, where the runtime
 * calls on another stack that stack begins, and (x86-64 only) whoever reads a clock does it on another one. Names are gopclntab's: of
 * programs before Go 1.18, nothing.
 */
int gocode_each(const struct elf_file *elf, crt_each_fn *each, void *arg);

/* The same for what comes behind it: how deep the stack is, where no .debug_frame says it. */
int gocode_each_behind(const struct elf_file *elf, crt_each_fn *each, void *arg);

#endif
