/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SHOW: rows of any schema. One file a format, listed in formats.def. Values stand in the order of the schema. Keys come first in
 * tables of text and in JSON, last in CSV and in lines of text that come one by one, since their texts may be of any length.
 */
#ifndef SKEP_RENDER_ROWS_ROWS_H
#define SKEP_RENDER_ROWS_ROWS_H

#include <stdbool.h>
#include <stdio.h>

#include "profile.h"
#include "model/table.h"
#include "row.h"
#include "util/json.h"

struct rows_view {
	uint64_t keys;	/* bit i: column i is part of the key, and shown */
	uint64_t hide;	/* bit i: column i is not shown */
	const struct schema *chosen; /* rows_choose(): of this schema these columns are shown, in the order of the format */
	uint8_t shown[ROW_COLUMNS_MAX];
	size_t nr_shown;
	uint64_t top;	/* the number of rows that are shown; 0: all */
	uint64_t round_ns;	 /* how long the round was: rates */
	uint64_t since_start_ns; /* of the end of an interval; 0: of the whole run */
	const char *separator;	 /* CSV */
	bool no_head;		 /* CSV has one line of names, before its first interval */
	bool draws;		 /* text: the first histogram of a row below it, a line a slot */
	int columns;		 /* text: the terminal's width; 0: none */
	int sort;		 /* the column by which rows are ordered: a narrow terminal leaves it out last */
	uint64_t *left_out;	 /* text: set are the bits of columns that were left out for want of room; NULL: not wanted */
	bool has_fields;	 /* the order of the columns is the user's */
	const char *(*cgroup_path)(void *unused, uint64_t id); /* NULL for one that is gone */
	/* Of VALUE_ENUM and VALUE_SYMBOL: the name of a value, false for none. Of VALUE_RECORD: text, and the members of the object that is open. */
	bool (*name)(const struct rows_view *view, const struct row *row, size_t column, char *buf, size_t size);
	void (*record_text)(const struct rows_view *view, const struct row *row, size_t column, char *buf, size_t size);
	void (*record_json)(const struct rows_view *view, const struct row *row, size_t column, struct json *json);
	void *arg; /* for these */
};

/* The line of names, and one row. Errors stay in the stream (ferror). */
struct rows_format {
	const char *name; /* NULL: not in formats.def, but the text of one schema */
	void (*head)(FILE *out, const struct schema *schema, const struct rows_view *view);
	void (*row)(FILE *out, const struct row *row, const struct rows_view *view);
	/* The head and the first n rows of a whole table, where they depend on each other; NULL: they do not */
	void (*table)(FILE *out, const struct table *t, size_t n, const struct rows_view *view);
	void (*more)(FILE *out, size_t n); /* prints that n rows are left out; NULL: nothing */
	void (*end)(FILE *out, const struct profile *p); /* the ledger, after the last row; NULL: it is on standard error alone */
	enum shown_in in; /* columns that have this are shown */
	bool keys_first;
};

#define FORMAT(name, format) extern const struct rows_format format;
#include "render/rows/formats.def"
#undef FORMAT

#define ROWS_FORMATS "text|csv|json" /* the names of formats.def: what --format takes */

/* Of that name, or NULL. */
const struct rows_format *rows_format(const char *name);

/* Which columns this format shows, by keys and hide, or, if there are some, these fields in their order. Before the first head. */
void rows_choose(struct rows_view *view, const struct rows_format *format, const struct schema *schema, const uint8_t *fields, size_t nr_fields);

/*
 * The columns of a row of that schema, or of the head: those that were chosen, or, of a schema of its own, all that the format shows,
 * which are put into own.
 */
const uint8_t *rows_shown(const struct schema *schema, const struct rows_view *view, const struct rows_format *format,
			  uint8_t own[ROW_COLUMNS_MAX], size_t *ret_n);

/* Has its value no cell in a line of text, but stands behind all of them? */
bool rows_is_remark(const struct column *c);

/* A round. 0 or -EIO. */
int rows_render(FILE *out, const struct rows_format *format, const struct table *t, const struct rows_view *view);

/*
 * A value as text, not escaped. size: 32 or more. exact: whole numbers, ns, for programs, and nothing for what is not known;
 * else with units, and "-". Histograms, reasons, stacks and members have none. Returns its length.
 */
size_t rows_cell(char *buf, size_t size, const struct row *row, size_t i, const struct rows_view *view, bool exact);

/*
 * The same of a key. *label is the row's: it stands in the first key that the row does not have; where it has all of them, after the first,
 * "tcp (kernel)". Then it is NULL.
 */
size_t rows_key(char *buf, size_t size, const struct row *row, size_t i, const struct rows_view *view, bool exact, const char **label);

/* The name of a value, if the view has one. */
bool rows_name(char *buf, size_t size, const struct row *row, size_t i, const struct rows_view *view);

/* Decimals that a VALUE_COUNT is shown with. */
int rows_count_decimals(double count);

/* One number: "12", "-1", "0x7f", "'c'", "true", "10.0.0.1", "8:1", a duration as "1.250us". size: 32 or more. Returns its length. */
size_t rows_number(char *buf, size_t size, uint64_t num, enum value_kind kind);

/* "12.3us": three digits and a unit. */
size_t rows_duration(char *buf, size_t size, double ns);

/* A row as the next element of a JSON array, in a line of its own. */
void rows_json_put(struct json *json, const struct row *row, const struct rows_view *view);

#define ROWS_CELL_BYTES 4096

#endif
