/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The inside of cmd/browser.h: what its keys change (browser.c) and what is drawn of it (browser_draw.c). */
#ifndef SKEP_CMD_BROWSER_PARTS_H
#define SKEP_CMD_BROWSER_PARTS_H

#include <stdio.h>

#include "cmd/browser.h"
#include "model/calllines.h"
#include "ui/cursor.h"
#include "ui/prompt.h"
#include "ui/screen.h"
#include "util/vec.h"

#define BROWSER_KEYS_BYTES 512

enum browser_view { VIEW_TABLE, VIEW_CALLS, VIEW_TEXT, VIEWS };

/* A row with its calls: below it in the table, or alone. */
struct opened {
	struct report_row row; /* what it was when it was opened */
	struct focus focus;
	struct call_lines calls;
};

/* A line of the table: a row, or a call below it. */
struct table_line {
	uint32_t row;
	int32_t opened; /* index; -1: the row itself */
	uint32_t call;
};

struct browser {
	const struct browser_key *keys;
	void *arg;
	struct browser_page page;
	bool has_page;
	enum browser_view view;
	struct cursor cursors[VIEWS];
	VEC(struct table_line) lines;
	struct report_row chosen; /* the row of the cursor; it stays there wherever it goes to */
	char chosen_keys[BROWSER_KEYS_BYTES]; /* its texts: of rows without stacks, and of those that are renewed */
	bool is_renewed; /* rows are those of browser_renew() */
	uint32_t nr_rows; /* that have samples, with those that the filter leaves out */
	VEC(struct opened) opened;
	struct opened calls; /* of VIEW_CALLS */
	char *text; /* of VIEW_TEXT, its lines ended by NULs */
	VEC(const char *) text_lines;
	char text_title[256];
	struct prompt prompt;
	const char *asks; /* before the prompt; NULL: nothing is asked */
	int (*done)(void *arg, const char *text);
	bool is_filtering;
	char filter[PROMPT_BYTES];
	char message[512];
};

/* Lines for what is there now. 0 or -ENOMEM. */
int browser_lines(struct browser *b);

/* The same of rows without stacks (browser_rows.c), and the texts of a row's keys, by which it is known. */
int browser_row_lines(struct browser *b);
void browser_row_keys(const struct browser *b, const struct table_line *l, char buf[BROWSER_KEYS_BYTES]);
void browser_draw_rows(const struct browser *b);
/* The same of rows of samples. */
void browser_sample_keys(const struct browser *b, const struct table_line *l, char buf[BROWSER_KEYS_BYTES]);

#define BROWSER_HEAD_ROWS 2 /* the head, the titles */

/* How many lines of the screen the view has. */
size_t browser_room(void);

/* A line that a renderer writes to `out`, as a string without its end; text is the caller's to free. NULL: no memory. */
struct rendered {
	char *text;
	size_t n;
	FILE *out;
};
FILE *rendered_begin(struct rendered *l);
char *rendered_end(struct rendered *l);

void browser_draw(struct browser *b);

/* Where no line is shown. nothing: where there are no rows at all. */
void browser_draw_none(const struct browser *b, const char *nothing);
/* Over its end, but for a third of the line, where there is no room for both. */
void browser_draw_beside_head(const struct browser *b, const char *text);

int browser_add_line(struct browser *b, struct table_line line); /* 0 or -ENOMEM */

/* A text of the browser's keys. NULL: no memory. */
char *browser_help(const struct browser *b);

/* Is a row the same as another, of an earlier page perhaps? */
bool browser_same_row(const struct report_row *a, const struct report_row *b);

/* A new focus of a row, after tree_end(). 0 or -ENOMEM. */
int browser_focus(const struct browser *b, struct opened *o, bool callers_only);
void browser_forget(struct opened *o);

/* The table's line that is chosen; NULL: there is none. */
const struct table_line *browser_line(const struct browser *b);

#endif
