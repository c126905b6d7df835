/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Unwinding tables in this process's memory, for walks over copies of stacks: no walker in the kernel reads them. */
#ifndef SKEP_SYM_TABLESTORE_H
#define SKEP_SYM_TABLESTORE_H

#include "unwinding.h"

/* A store that keeps all rows it gets, up to 64 MB. It has no .space and no .forget: it is for the guide's walk(), not for sync(). NULL: no memory. */
struct unwind_store *tablestore_new(void);
void tablestore_free(struct unwind_store *store); /* NULL is nothing */

#endif
