/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The screen of skep top and skep report: a table of rows, who calls the function of one and what it calls, texts. It knows its keys: those
 * of every browser, and the command's. What is shown comes from the command, whenever it has something new.
 */
#ifndef SKEP_CMD_BROWSER_H
#define SKEP_CMD_BROWSER_H

#include "model/fold.h"
#include "model/table.h"
#include "render/rows/report.h"
#include "render/rows/rows.h"

struct browser_key {
	uint32_t key;
	const char *label; /* a word in the last line; NULL: only in the help */
	const char *help;  /* NULL: not there either */
	int (*run)(void *arg); /* 0, or -errno, which ends the run */
};

/* Borrowed until the next one. */
struct browser_page {
	const char *head; /* the first line */
	const struct report *table; /* NULL: `rows` is shown instead; in its order; rows without a sample are not shown */
	const struct profile *profile;
	const struct report_cfg *cfg;
	struct tree *tree; /* NULL: stacks are not known */
	bool is_held; /* the tree may have newer samples than the table */
	enum fold_root root; /* what its stacks stand on */
	bool own_only; /* rows without a sample of their own, callers only, are not shown */
	uint64_t max_rows; /* 0: all */
	/* Instead of these: rows that have no stacks. */
	const struct table *rows; /* its round has ended; NULL: none */
	const struct rows_view *rows_view;

	const char *nothing; /* where there are no rows, of samples or others; NULL: there are some */
	/* A column to the left of each row's own, so many columns of the terminal wide; 0: none. */
	int mark_width;
	const char *mark_title;
	void (*mark)(void *arg, const struct report_row *row, char *buf, size_t size);
	double (*share)(void *arg, const struct report_row *row); /* 0 to 1, that a row is coloured by; NULL: that of its first column */
};

#define BROWSER_NO_STACKS "stacks are not walked (--call-graph none)"

struct browser;

/* Can there be a browser? Where only the kind of the terminal is not known, a note says that there is none. */
bool browser_has_terminal(void);

/* keys end with one that is 0. 0, or -errno with err filled. */
int browser_open(const struct browser_key *keys, void *arg, struct browser **ret_browser, struct err *err);
void browser_close(struct browser *b); /* NULL is nothing */

/* Shows a new page. 0 or -ENOMEM. */
int browser_show(struct browser *b, const struct browser_page *page);

/* Takes the keys that were typed, and draws. 0; -ECANCELED: to end was wanted; or -errno. */
int browser_input(struct browser *b);

/* The row of samples that is chosen, or whose callers are shown; NULL: there is none. */
const struct report_row *browser_row(const struct browser *b);

/* Rows of the next page are others: back to the table, nothing is open. */
void browser_reset(struct browser *b);

/* Is it at its table, and nothing is open or asked for? Then browser_renew() takes nothing from the user. */
bool browser_is_at_table(const struct browser *b);

/* Rows of the next page are others, in the place of these. */
void browser_renew(struct browser *b);

/* A word in the last line, until the next key. */
void browser_say(struct browser *b, const char *form, ...) __attribute__((format(printf, 2, 3)));

/* Asks for a line, which begins as text; done() gets it. */
void browser_ask(struct browser *b, const char *label, const char *text, int (*done)(void *arg, const char *text));

/* Shows lines of text, which it frees. 0 or -ENOMEM. */
int browser_text(struct browser *b, const char *title, char *text);

#endif
