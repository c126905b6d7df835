/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SELECT, by: words of --by and --sort to columns of a schema. */
#ifndef SKEP_EVENT_COLUMNS_H
#define SKEP_EVENT_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

struct schema; /* row.h */

/*
 * What --by takes beside columns. read() gets the word at text + *at and moves *at to the comma or the end after it: 0, -ENOENT if it
 * is no such thing, or -errno with err filled.
 */
struct columns_other {
	int (*read)(void *arg, const char *text, size_t *at, struct err *err);
	void *arg;
	const char *name; /* of what it reads, for the hint: "fields" */
};

/* "comm,pid" to bits of the schema's keys that are shown. other may be NULL. 0, or -EINVAL with a caret and near names. */
int columns_by(const char *text, const struct schema *schema, const struct columns_other *other, uint64_t *ret_keys, struct err *err);

/* "wait,comm" of --fields to columns out of `usable` (bits), in that order, each once; "_ns" may be left out. 0, or -EINVAL likewise. */
int columns_fields(const char *text, const struct schema *schema, uint64_t usable, uint8_t *ret_fields, size_t *ret_n, struct err *err);

/* One such word, or -1. */
int columns_find(const char *word, size_t len, const struct schema *schema, uint64_t usable);

/* The hint for one that is none: near names, and all. */
void columns_hint(const char *word, size_t len, const struct schema *schema, uint64_t usable, struct err *err);

/* A word of --sort to its column, likewise. NULL: the schema's own order. */
int columns_sort(const char *text, const struct schema *schema, int *ret_column, struct err *err);

#endif
