/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* FOLD: a hit of a probe as a row: when, who, what was hit, then the values that were read there. Pure. */
#ifndef SKEP_MODEL_HIT_H
#define SKEP_MODEL_HIT_H

#include "row.h"
#include "sample.h"

enum hit_column {
	HIT_TIME, HIT_SECONDS, HIT_COMM, HIT_PID, HIT_TID, HIT_CPU, HIT_PROBE, HIT_CALL,
	HIT_VALUES, /* a group, and from here on */
	HIT_COLUMNS
};

#define HIT_VALUES_MAX (ROW_COLUMNS_MAX - HIT_COLUMNS)
#define HIT_NAME "values." /* the column of a probe's value NAME is values.NAME */

/* A place that is probed, or the columns of several. Not to be moved. */
struct hit_site {
	const char *title; /* "kr:vfs_read" */
	const char *call;  /* "vfs_read%return", in text */
	struct schema schema;
	struct column columns[ROW_COLUMNS_MAX];
	uint64_t none;		    /* columns that it has no value for */
	uint8_t at[HIT_VALUES_MAX]; /* the column of each of its values */
	uint32_t nr_values;
};

/* all: the columns that its rows have; NULL: only its own. */
void hit_site_init(struct hit_site *site, const struct hit_site *all);

/* The next value. name begins with HIT_NAME, and is borrowed. 0, or -ENOSPC where there is no room for another column. */
int hit_site_add(struct hit_site *site, const char *name, enum value_kind kind);

struct hit_row {
	struct row row;
	struct value values[ROW_COLUMNS_MAX];
};

/* VALUE_RECORD is a struct sample_value. ret_row borrows all. */
void hit_row(const struct hit_site *site, const struct sample *s, uint64_t start_ns, struct hit_row *ret_row);

#endif
