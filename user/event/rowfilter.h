/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SELECT: expressions over the columns of a row, `wait > 10ms && comm == "make"`: which rows are shown. */
#ifndef SKEP_EVENT_ROWFILTER_H
#define SKEP_EVENT_ROWFILTER_H

#include "event/expr.h"
#include "row.h"

struct rowfilter {
	struct exprs exprs; /* of a text that is borrowed; a name's num is its column */
	uint32_t root;
	/* A value as text, for comparisons with strings: users, control groups and errors are numbers that have names. */
	size_t (*text)(const void *arg, const struct row *row, size_t column, char *buf, size_t size);
	const void *arg;
};

/*
 * The columns are those of `usable` (bits). The caller sets text and arg. 0, or -errno with err filled, a caret and near names; to be
 * freed in either case.
 */
int rowfilter_parse(struct rowfilter *f, const char *text, const struct schema *schema, uint64_t usable, struct err *err);
void rowfilter_free(struct rowfilter *f);

/* Is it true of the row? A comparison with a value that is not known is false. seconds: of the round, for rates. */
bool rowfilter_holds(const struct rowfilter *f, const struct row *row, double seconds);

#endif
