/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Code that a process made at run time, and that nobody has named. */
#ifndef SKEP_SYM_JITHINT_H
#define SKEP_SYM_JITHINT_H

#include <stdint.h>

struct space;
struct syms;

/* Code without a file in this process has no name: adds what kind of process it is to the statistics, once for each process. */
void jithint_look(struct syms *syms, struct space *space);

/* What to switch on for one of the kinds, which is taken out, as are those with the same text; NULL: none is left. */
const char *jithint_text(uint32_t *kinds_left);

#endif
