/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What kind of place an output is. */
#ifndef SKEP_UI_TERMINAL_H
#define SKEP_UI_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Columns of the terminal behind fd (COLUMNS overrides), 0 when it is none. */
int terminal_columns(int fd);

/* Likewise its rows (LINES). */
int terminal_rows(int fd);

/* How many rows of a table there is room for beside other lines, at least one; 20 where it is no terminal. */
uint64_t terminal_room(int fd, int others);

/* Can the terminal behind fd be drawn on (TERM)? */
bool terminal_is_drawn(int fd);

/* May it have colours, too? Not with a NO_COLOR that is not empty (https://no-color.org). */
bool terminal_has_colours(int fd);

/* Draws text in the place of what was there, its lines cut to so many columns. Escaped text: it has no control characters. */
void terminal_draw(FILE *out, const char *text, int columns);

/* One line in the place of the last such line, cut to the terminal's width; "" takes it away. Printable ASCII. */
void terminal_line(FILE *out, const char *text);

#endif
