/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a sample's data address is in, by the mappings of data that its file has: only for who asks, with syms_cfg.data. */
#ifndef SKEP_SYM_DATAADDR_H
#define SKEP_SYM_DATAADDR_H

#include "sym/sym.h"

/* As perf has it, an address is looked up in the mode that the CPU was in: what the kernel touched of a process has no name. */
bool sample_is_kernel(const struct sample *s);

/* A sample without an address has address 0. with_line: fill ret->line, too. */
void syms_data_address(struct syms *syms, const struct sample *s, bool with_line, struct data_address *ret);

#endif
