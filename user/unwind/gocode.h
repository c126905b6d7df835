/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rules of Go's code. x86-64 and arm64. */
#ifndef SKEP_UNWIND_GOCODE_H
#define SKEP_UNWIND_GOCODE_H

#include "unwind/crt.h"

/*
 * As crt_each(), for what comes before other information: how deep the stack is and where the frame pointer is saved, which .debug_frame
 * does not say; and that signals' handlers were not called by what they return to, that the runtime calls on other stacks, and (x86-64
 * only) how these are left. Names and depths are gopclntab's: of programs before Go 1.18, nothing.
 */
int gocode_each(const struct elf_file *elf, crt_each_fn *each, void *arg);

#endif
