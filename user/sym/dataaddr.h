/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a sample's data address is in, by the mappings of data that its file has: only for who asks, with syms_cfg.data. */
#ifndef SKEP_SYM_DATAADDR_H
#define SKEP_SYM_DATAADDR_H

#include "sym/sym.h"

/*
 * As perf report has it, an address is looked up in the mode that the CPU was in: what the kernel touched of a process has no name. A
 * sample without an address has address 0. with_line: fill ret->line and line_at, too.
 */
void syms_data_address(struct syms *syms, const struct sample *s, bool with_line, struct data_address *ret);

/* The function of a sample's own address, whatever its stack was cut to. */
void syms_code_address(struct syms *syms, const struct sample *s, struct frame *ret);

#endif
