/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SELECT, by: words of --by and --sort to columns of a schema. */
#ifndef SKEP_EVENT_COLUMNS_H
#define SKEP_EVENT_COLUMNS_H

#include "row.h"
#include "util/err.h"

/* "comm,pid" to bits of the schema's keys that are shown. 0, or -EINVAL with a caret and near names. */
int columns_by(const char *text, const struct schema *schema, uint64_t *ret_keys, struct err *err);

/* A word of --sort to its column, likewise. NULL: the first that has one, or where none has the last. */
int columns_sort(const char *text, const struct schema *schema, int *ret_column, struct err *err);

#endif
