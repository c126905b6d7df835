/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * FOLD: sums rows of one schema by some of its key columns, in rounds that end with the table of what was added in each. Rows with
 * sums since the run began (is_total) are taken apart by rounds; a key of these that is not delivered in a round is forgotten. Pure.
 */
#ifndef SKEP_MODEL_TABLE_H
#define SKEP_MODEL_TABLE_H

#include "row.h"
#include "util/map.h"
#include "util/strpool.h"
#include "util/vec.h"

/* Records of 64-bit words, found by their key. */
struct table_index {
	VEC(uint64_t) words;
	size_t n;
	struct map by_key;
};

struct table {
	const struct schema *schema;
	uint64_t keys;		/* bit i: column i is part of the key */
	uint16_t at[ROW_COLUMNS_MAX]; /* where a column is in a record, in words */
	size_t stride;		/* words of a record */
	struct strpool *pool;	/* owns the texts of rows */
	struct table_index rows;   /* of this round */
	struct table_index totals;
	VEC(uint64_t) before;	/* records of totals as the round before left them */
	VEC(uint64_t) scratch;
	VEC(struct row) sorted;	/* of the round that has ended */
	VEC(struct value) values; /* theirs */
	bool is_ended;
	bool is_sum; /* set after table_init(): rounds add up, of rows that are no totals. table_round() may be called again for another order */
};

/* keys: columns whose role is ROLE_KEY; the others of that role are left out. schema is borrowed. 0 or -ENOMEM. */
int table_init(struct table *t, const struct schema *schema, uint64_t keys);
void table_free(struct table *t);

/* 0 or -ENOMEM. */
int table_add(struct table *t, const struct row *row);

/*
 * Ends a round: t->sorted are the rows of what was added since the round before, those with most of the column `sort` first, ties by
 * key, what has a label last. They are valid until the next row is added. The maximum of a key with totals is exact when it is a new
 * one, else right to the slot of its histogram; when it was reached is then not known (0). 0 or -ENOMEM.
 */
int table_round(struct table *t, int sort);

#endif
