/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Events as a list, a row at a time: text for a terminal (headings), text for a pipe (the kind in each line), or one JSON object.
 * A row's texts are borrowed and may be any bytes.
 */
#ifndef SKEP_RENDER_ROWS_LIST_H
#define SKEP_RENDER_ROWS_LIST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "util/json.h"

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

/* A detail: a text or, without one, a number. */
struct list_fact {
	const char *key;
	const char *text;
	uint64_t number;
};

/* A field or a parameter. */
struct list_field {
	const char *type, *name;
};

#define LIST_FACTS_MAX 6

struct list_row {
	enum list_kind kind;
	const char *name;
	const char *alias;   /* or NULL */
	const char *note;    /* what follows the name; or NULL */
	const char *missing; /* why it cannot be used; NULL: it can */
	const char *example; /* or NULL */
	struct list_fact facts[LIST_FACTS_MAX]; /* key NULL: no more */
	const struct list_field *fields;
	size_t nr_fields;
	bool has_fields;     /* they are known, also when there are none */
};

struct list_out {
	FILE *out;
	bool json, verbose;
	bool privileged; /* headings need not say who is */
	int columns;	 /* of the terminal; 0: none */
	struct json writer;
	int kind;	 /* of the last row; -1: none */
	uint64_t nr_rows;
};

void list_begin(struct list_out *list, FILE *out, bool json, bool verbose, bool privileged, int columns);
void list_row(struct list_out *list, const struct list_row *row);
/* notes: what is not in the list, and why. Returns 0 or -errno of the writer. */
int list_end(struct list_out *list, const char *const *notes, size_t nr_notes);

#endif
