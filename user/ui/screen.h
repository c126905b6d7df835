/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The whole terminal as cells, by ncursesw (in Debian, kept for decades, knows every terminal): set up, drawn, its keys read, and given
 * back, also when a run is given up. One at a time; only the main thread.
 */
#ifndef SKEP_UI_SCREEN_H
#define SKEP_UI_SCREEN_H

#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"

/* Keys are characters, or these. */
enum screen_key {
	SCREEN_NONE, /* nothing more was typed */
	SCREEN_TAB = '\t', SCREEN_ENTER = '\r', SCREEN_ESCAPE = 27, SCREEN_BACKSPACE = 127,
	SCREEN_UP = 0x110000, SCREEN_DOWN, SCREEN_LEFT, SCREEN_RIGHT, SCREEN_PAGE_UP, SCREEN_PAGE_DOWN, SCREEN_HOME, SCREEN_END, SCREEN_BACK_TAB,
	SCREEN_CLICK, SCREEN_DOUBLE_CLICK, SCREEN_WHEEL_UP, SCREEN_WHEEL_DOWN, /* of the mouse, at input.row */
	SCREEN_RESIZED,
	SCREEN_GONE, /* there is no terminal any more */
};

struct screen_input {
	uint32_t key;
	int row, column; /* of the mouse */
};

enum screen_style { SCREEN_PLAIN, SCREEN_BAR, SCREEN_SELECTED, SCREEN_HOT, SCREEN_WARM, SCREEN_BOLD, SCREEN_STYLES };

/* Can standard input and output be a screen? */
bool screen_is_there(void);

/* Is it one that the terminfo database has? */
bool screen_is_known(void);

/* 0, -ENOTTY where the terminal cannot do it, or -ENOTSUP where the build has no ncursesw; err filled. */
int screen_open(struct err *err);
/* Gives the terminal back. Also when it is not open, and more than once. */
void screen_close(void);
/* The same by the thread that gives a run up, with what is static. */
void screen_give_up(void);

int screen_rows(void);
int screen_columns(void);
bool screen_has_utf8(void); /* else only ASCII is shown */

/* What was typed next, or SCREEN_NONE: it does not wait. */
struct screen_input screen_input(void);

/* A new picture: all cells blank. */
void screen_begin(void);
/* Escaped text from a cell on, cut at the edges of the screen. Returns the column after it. */
int screen_text(int row, int column, enum screen_style style, const char *text);
/* The rest of a row in a style, as a bar. */
void screen_fill(int row, int column, enum screen_style style);
/* Shows the cursor there; a negative row hides it. */
void screen_cursor(int row, int column);
void screen_show(void);

/* How many columns text takes: by character, wide ones two. */
int screen_width(const char *text);

#endif
