/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A row: values under a schema. Who makes rows declares their schema; --by, --sort, tables and writers know no more than that.
 * Rows cross the CAPTURE border, are summed by key in FOLD and written by SHOW. Texts and arrays of a row are borrowed: valid during
 * the call.
 */
#ifndef SKEP_ROW_H
#define SKEP_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROW_COLUMNS_MAX 64
#define HIST_SLOTS 40
#define REASONS_MAX 4

/* How a value is shown. */
enum value_kind {
	VALUE_NUMBER, /* first: 0 */
	VALUE_SIGNED,
	VALUE_HEX,
	VALUE_CHAR,
	VALUE_ENUM,   /* signed, with names of the view's */
	VALUE_SYMBOL, /* an address, with names of the view's */
	VALUE_IPV4,   /* in the order of the network */
	VALUE_DEVICE, /* MAJOR:MINOR of the kernel's dev_t */
	VALUE_DURATION, /* ns */
	VALUE_MOMENT,	/* ns since the run began; 0: not known */
	VALUE_SECONDS,	/* likewise, less than 0 before it; in s with decimals, also for programs */
	VALUE_REAL,	/* with a decimal */
	VALUE_FIXED,	/* signed, in 1 / VALUE_ONE; text has `decimals` of it */
	VALUE_CHANGE,	/* the same, and text has its sign */
	VALUE_COUNT,	/* a double, with two decimals where it is not whole */
	VALUE_RATE,	/* a second */
	VALUE_FLAG,
	VALUE_TEXT,	/* any bytes; NULL: none */
	VALUE_USER,	/* a uid */
	VALUE_CGROUP,	/* an inode number */
	VALUE_ERRNO,	/* 0: none */
	VALUE_HIST,	/* HIST_SLOTS numbers */
	VALUE_STACK,	/* names of frames, leaf first, NULL after the last */
	VALUE_RECORD,	/* bytes that the view knows: several values */
	VALUE_MEMBERS,	/* struct members: of a record, or parameters */
	VALUE_GROUP,	/* JSON: an object of the next `of` columns, which are named "GROUP_NAME" or "GROUP.NAME"; not known: null */
	VALUE_REASONS,	/* REASONS_MAX of struct reason; the first without a name ends them */
};

#define VALUE_ONE 1000000 /* of VALUE_FIXED */
#define VALUE_ONE_DECIMALS 6

/* What a table does with the values of one key. */
enum column_role {
	ROLE_KEY,
	ROLE_TIME,     /* of the row itself: of streams, not of tables */
	ROLE_INFO,     /* the last that is not 0 */
	ROLE_SUM,
	ROLE_MAX,      /* of: its histogram, or -1; per: the column that counts its values, without which it is not known; 0: always known */
	ROLE_MIN,      /* of: its histogram, or -1; UINT64_MAX: not known */
	ROLE_AT,       /* when the maximum `of` was reached */
	ROLE_HIST,     /* added slot by slot; of: the maximum, or -1 */
	ROLE_REASONS,  /* added name by name; of: their sum */
	/* Not in rows, but made of other columns */
	ROLE_MEAN,     /* of / per */
	ROLE_QUANTILE, /* part of the histogram `of`; per: a minimum, which it is not below; 0: none is known */
	ROLE_RATE,     /* of, a second of the round */
};

enum shown_in {
	IN_TEXT = 1,
	IN_CSV = 2,
	IN_JSON = 4,
	IN_ALL = 7,
};

struct reason {
	const char *name;
	uint64_t n;
};

/* Declarations in their order. */
struct member {
	const char *type, *name;
};

struct members {
	const struct member *all;
	size_t n;
};

struct value {
	union {
		uint64_t num;
		double real; /* VALUE_COUNT */
		const char *text;
		const uint64_t *slots;
		const char *const *frames;
		const struct reason *reasons;
		const void *bytes; /* VALUE_RECORD */
		const struct members *members;
	};
};

/* Where the slots of a histogram begin. */
struct hist_axis {
	bool is_linear;	 /* else slot i is from 2^i on, the first from 0 on */
	uint32_t nr;	 /* linear: slot 0 is below `low`, slot i from low + (i - 1) * step on, slot nr all beyond */
	int64_t low;
	uint64_t step;
};

struct column {
	const char *name;    /* of CSV, JSON and --by; with its unit: "wait_ns" */
	const char *heading; /* of text */
	const char *sort;    /* word of --sort; NULL: not sorted by */
	uint8_t kind, role, in;
	uint8_t width; /* of text: at least so many characters */
	uint8_t decimals; /* of VALUE_MOMENT in text, where it is s, of VALUE_SECONDS, and of VALUE_FIXED in text */
	uint8_t spare;	/* a terminal that is too narrow leaves out the columns with the most first, of those the last one first */
	int8_t of, per; /* other columns, as the role says; per of VALUE_HIST: the kind of what its slots count */
	float part;	/* ROLE_QUANTILE: 0 to 1 */
	const struct hist_axis *axis; /* VALUE_HIST; NULL: powers of two */
};

struct schema {
	const struct column *columns;
	size_t n;
	int8_t count; /* a table leaves out rows in which this column is 0; -1: those in which all sums are */
	int8_t sort;  /* what a table is sorted by without --sort */
	const struct schema *like; /* has the same columns, some of another kind: what is shown of it is shown of this one; NULL: none */
};

struct row {
	const struct schema *schema;
	const struct value *values; /* schema->n of them */
	uint64_t none;	   /* bit i: value i is not known, or has no meaning here; a sum that this row is part of is not known then */
	uint64_t absent;   /* bit i: rows of this kind have no such column: JSON leaves it out */
	const char *label; /* static: stands for a key that the row does not have, "(kernel)"; NULL: it has one */
	uint8_t rank;	   /* rows with a label come last, in this order; 0: no label */
	bool is_total;	   /* its sums are those since the run began, not only what is new */
};

/* Is it known? Not what `none` has, nor the mean or a quantile of nothing, nor a text that is NULL. */
bool row_knows(const struct row *row, size_t column);

/* A number of any column, also of one that is made of others. seconds: of the round. */
double row_number(const struct row *row, size_t column, double seconds);

/* A quantile of a histogram of powers of two (part: 0 to 1), right to the slot, between its ends by rank, from min (0: not known) to max. */
double hist_quantile(const uint64_t *slots, uint64_t min, uint64_t max, double part);

/* Where slot i begins. axis NULL: powers of two. The first slot of a linear one has no begin: INT64_MIN. */
int64_t hist_slot_begin(const struct hist_axis *axis, int i);

#endif
