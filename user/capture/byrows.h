/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rows of sums by key: calls, events and hits of probes, with errors, durations or numbers and their histogram. */
#ifndef SKEP_CAPTURE_BYROWS_H
#define SKEP_CAPTURE_BYROWS_H

#include "capture/rows.h"
#include "row.h"
#include "sample.h"

enum byrows_column {
	BYROWS_FIELDS = ROWS_KEYS, /* of tracepoints, or expressions of probes */
	BYROWS_COUNT = ROWS_KEYS + BY_FIELDS_MAX,
	BYROWS_ERRORS, BYROWS_TOTAL, BYROWS_MEAN, BYROWS_MIN, BYROWS_P50, BYROWS_P99, BYROWS_MAX, BYROWS_SLOTS,
	BYROWS_KEPT, /* without errors; not shown */
	BYROWS_COLUMNS
};

/* What is summed beside the count. */
enum byrows_values {
	BYROWS_NOTHING,
	BYROWS_LATENCY,	  /* of calls: errors, and the times of all */
	BYROWS_DURATIONS, /* of an expression; those that are negative are its errors */
	BYROWS_NUMBERS,	  /* likewise, or those from 2^63 on */
};

struct byrows_cfg {
	const char *count; /* "calls" or "hits" */
	enum byrows_values values;
	uint32_t offered; /* enum by_bit */
	const char *fields[BY_FIELDS_MAX]; /* names, borrowed by the schema */
	enum value_kind kinds[BY_FIELDS_MAX]; /* of fields; those that are no numbers are texts of the row */
	int nr_fields;
	bool is_unsigned; /* BYROWS_NUMBERS: no value is negative */
	struct hist_axis axis;
};

struct byrows_schema {
	struct column columns[BYROWS_COLUMNS];
	struct hist_axis axis;
	struct schema schema;
};

/* Points into itself: not to be moved. */
void byrows_schema(struct byrows_schema *ret_schema, const struct byrows_cfg *cfg);

/* The columns of such a key. */
uint64_t byrows_keys(uint32_t by, int nr_fields);

/* A row being made. */
struct byrow {
	struct row row;
	struct value values[BYROWS_COLUMNS];
	uint64_t slots[HIST_SLOTS];
	char comm[COMM_LEN];
};

/* From a key of the map; NULL: of all that no room was for. */
void byrow_begin(struct byrow *ret_row, const struct schema *schema, const void *key, uint32_t by, const struct by_places *at);
void byrow_field(struct byrow *row, int i, struct value value); /* of the field's kind; a text is borrowed */
void byrow_add(struct byrow *row, const struct by_sum *sum);
int byrow_send(struct byrow *row, struct sink *sink);

#endif
