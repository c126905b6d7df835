/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the parts of skep list share: the queries, and where rows and reasons go. */
#ifndef SKEP_CMD_LIST_H
#define SKEP_CMD_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "render/rows/list.h"
#include "util/err.h"
#include "util/near.h"

#define LIST_NOTES_MAX 8
#define LIST_EXAMPLE_MAX 4096

/* One operand. */
struct list_query {
	const char *text;	/* as it was typed */
	unsigned kinds;		/* bits of enum list_kind */
	const char *glob;	/* of names; NULL: every one */
	bool is_part;		/* a word that names may contain */
	char *path;		/* of LIST_USER and LIST_USDT; owned */
	uint64_t nr;		/* rows that it has */
	int refused;		/* why it may have none: -errno, the reason is refusal */
	char refusal[256], hint[128];
};

struct list_run {
	struct list_query *queries;
	size_t nr_queries;
	struct list_out out;
	bool details;	   /* fields, addresses, examples */
	struct near *near; /* names are only compared with what was not found; NULL: rows are printed */
	char notes[LIST_NOTES_MAX][256];
	size_t nr_notes;
};

/* Does any query ask for this kind? */
bool list_asks(const struct list_run *run, enum list_kind kind);

/* Is a row of this name (alias: another one, or NULL) to be printed? Counts it for each query that matches. */
bool list_wants(struct list_run *run, enum list_kind kind, const char *name, const char *alias);

/* A kind that cannot be listed: for each query that matches, and as a note. */
void list_refuse(struct list_run *run, enum list_kind kind, int ret, const char *why, const char *hint);

/* Once each. */
void list_note(struct list_run *run, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A command that uses the event, or NULL when its name cannot be typed. Static. */
const char *list_example(const char *name, const char *rest);

/* Rows of the kinds that cost little: hardware, cache, software, PMU, tracepoints, system calls. 0 or -errno with err filled. */
int list_events(struct list_run *run, struct err *err);

/* Rows of kernel functions, functions of programs and their USDT, for one query, likewise. */
int list_kernel(struct list_run *run, struct list_query *query, struct err *err);
int list_program(struct list_run *run, struct list_query *query, struct err *err);

#endif
