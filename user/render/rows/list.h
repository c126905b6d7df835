/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Events as a list, a row at a time: text for a terminal (headings), text for a pipe (the kind in each line), CSV, or one JSON object.
 * A row's texts are borrowed and may be any bytes.
 */
#ifndef SKEP_RENDER_ROWS_LIST_H
#define SKEP_RENDER_ROWS_LIST_H

#include "render/rows/rows.h"

enum list_kind {
	LIST_HARDWARE,
	LIST_CACHE,
	LIST_SOFTWARE,
	LIST_PMU,
	LIST_TRACEPOINT,
	LIST_SYSCALL,
	LIST_KERNEL,
	LIST_USER,
	LIST_USDT,
	LIST_KINDS,
};

struct list_kind_row {
	const char *name;    /* of JSON and of the command line */
	const char *alias;   /* also taken on the command line; or NULL */
	const char *heading;
	bool root;	     /* to use it needs root */
};

extern const struct list_kind_row list_kinds[LIST_KINDS];

/* Columns. Details, which only some kinds have, are in the order in which they are printed. */
enum list_column {
	LIST_COL_KIND, LIST_COL_NAME, LIST_COL_ALIAS, LIST_COL_HAS, LIST_COL_WHY, LIST_COL_ROOT,
	LIST_UNIT, LIST_TERMS, LIST_NUMBER, LIST_PROTOTYPE, LIST_RETURNS, LIST_MODULE, LIST_COPIES, LIST_PROVIDER, LIST_ARGUMENTS, LIST_ADDRESS,
	LIST_SIZE, LIST_DEMANGLED, LIST_SEMAPHORE, LIST_SITES, LIST_FIELDS, LIST_PARAMETERS, LIST_EXAMPLE,
	LIST_COLUMNS
};

struct list_row {
	enum list_kind kind;
	const char *name;
	const char *alias;   /* or NULL */
	const char *note;    /* what follows the name; or NULL */
	const char *missing; /* why it cannot be used; NULL: it can */
	const char *example; /* or NULL */
	uint64_t details;    /* bits of columns from LIST_UNIT to LIST_SITES that it has */
	struct value values[LIST_COLUMNS]; /* theirs */
	struct members fields; /* or parameters */
	bool has_fields;     /* they are known, also when there are none */
};

struct list_out {
	FILE *out;
	const struct rows_format *format;
	struct rows_view view;
	bool verbose;
	bool privileged; /* headings need not say who is */
	int columns;	 /* of the terminal; 0: none */
	struct json json;
	int kind;	 /* of the last row; -1: none */
	uint64_t nr_rows;
};

/* A detail of a row. */
void list_text(struct list_row *row, enum list_column column, const char *text);
void list_number(struct list_row *row, enum list_column column, uint64_t number);

void list_begin(struct list_out *list, FILE *out, const struct rows_format *format, bool verbose, bool privileged, int columns);
void list_row(struct list_out *list, const struct list_row *row);
/* notes: what is not in the list, and why. Returns 0 or -errno of the writer. */
int list_end(struct list_out *list, const char *const *notes, size_t nr_notes);

#endif
