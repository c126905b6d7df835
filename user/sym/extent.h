/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How large is what a frame is in: only for who asks, since a look-up of names does not need it. */
#ifndef SKEP_SYM_EXTENT_H
#define SKEP_SYM_EXTENT_H

#include "sym/sym.h"

/* f: a frame of process pid at time time_ns, as syms_resolve() made it. */
struct extent syms_extent(struct syms *syms, uint32_t pid, uint64_t time_ns, const struct frame *f);

#endif
