/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * FOLD: sums by key with their histograms. Sources deliver each key's sums from the start on, once a round; a round ends with the
 * table of what was added in it. Keys that are equal, of two sources, are one row. Pure.
 */
#ifndef SKEP_MODEL_HISTS_H
#define SKEP_MODEL_HISTS_H

#include "sample.h"
#include "util/strpool.h"
#include "util/vec.h"

/* Where each key is among records that begin with it: open addressing, half of the places stay empty. Zeroes: none yet. */
struct hist_places {
	uint32_t *at; /* the record's index + 1, 0 empty */
	size_t n;     /* a power of two */
};

struct hists {
	struct strpool *pool; /* owns the names of the rows */
	VEC(struct hist_sample) keys; /* their sums: of this round */
	VEC(struct hist_sums) before; /* of what was in a table already, a key each */
	struct hist_places places; /* in keys */
	VEC(struct hist_sample) rows; /* the table, sorted */
	bool is_linear; /* slots tell no powers of two: the maximum of a round is 0 unless it is a new one */
};

int hists_init(struct hists *h); /* 0 or -ENOMEM */
void hists_free(struct hists *h);
int hists_add(struct hists *h, const struct hist_sample *row); /* 0 or -ENOMEM */

/*
 * Ends a round: the rows are what was added since the table before it; a key that had sums and was not delivered is forgotten. Largest first, by time or by calls; ties by name and
 * number; what had no room in the kernel's table last. The maximum of a round is exact when it is a new one, else right to the
 * slot. 0 or -ENOMEM.
 */
int hists_round(struct hists *h, bool by_time);

/* Keys, of a sample whose names are interned: they are the same when hist_key_same() says so; order by name and number. */
int hist_key_intern(struct strpool *pool, struct hist_sample *key); /* 0 or -ENOMEM */
uint64_t hist_key_hash(const struct hist_sample *key);
bool hist_key_same(const struct hist_sample *a, const struct hist_sample *b);
int hist_key_compare(const struct hist_sample *a, const struct hist_sample *b);

/*
 * The place of a key, whose names are interned, among n records of size bytes each, and room for one more: 0 where it is new, for the
 * caller to fill. NULL without memory.
 */
uint32_t *hist_place(struct hist_places *places, const void *records, size_t n, size_t size, const struct hist_sample *key);
void hist_places_clear(struct hist_places *places); /* of no records any more */
void hist_places_renew(struct hist_places *places, const void *records, size_t n, size_t size); /* of fewer, in other places */
void hist_places_free(struct hist_places *places);

#endif
