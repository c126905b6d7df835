/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where functions begin and end in a file without symbols: .eh_frame has an entry for each. */
#ifndef SKEP_UNWIND_EHFUNCS_H
#define SKEP_UNWIND_EHFUNCS_H

#include "elf/elf.h"
#include "util/spans.h"

/* Fills spans (empty before), sealed; the caller frees its data. 0, also when there is none, -ENOMEM, or -errno of reading. */
int ehfuncs_read(const struct elf_file *elf, struct spans *ret_spans);

#endif
