/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The unwinding tables of walks in user space alone: a store in our own memory, where no program in the kernel reads them. */
#ifndef SKEP_CAPTURE_SOURCE_ROWSTORE_H
#define SKEP_CAPTURE_SOURCE_ROWSTORE_H

#include "unwinding.h"

/* NULL: no memory. It takes neither rules nor mappings: the guide that fills it has both. */
struct unwind_store *rowstore_new(void);
void rowstore_free(struct unwind_store *store); /* NULL is nothing */

#endif
