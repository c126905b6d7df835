/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A build without ncursesw: there is no screen. */
#ifndef HAVE_NCURSES

#include "ui/screen.h"

#include <errno.h>
#include <string.h>

bool screen_is_there(void)
{
	return false;
}

bool screen_is_known(void)
{
	return false;
}

int screen_open(struct err *err)
{
	return err_set(err, -ENOTSUP, "this skep was built without ncursesw (NO_NCURSES)");
}

void screen_close(void)
{
}

void screen_give_up(void)
{
}

int screen_rows(void)
{
	return 0;
}

int screen_columns(void)
{
	return 0;
}

bool screen_has_utf8(void)
{
	return false;
}

struct screen_input screen_input(void)
{
	return (struct screen_input){ .key = SCREEN_GONE };
}

void screen_begin(void)
{
}

int screen_text(int row, int column, enum screen_style style, const char *text)
{
	(void)row;
	(void)style;
	(void)text;
	return column;
}

void screen_fill(int row, int column, enum screen_style style)
{
	(void)row;
	(void)column;
	(void)style;
}

void screen_cursor(int row, int column)
{
	(void)row;
	(void)column;
}

void screen_show(void)
{
}

int screen_width(const char *text)
{
	return (int)strlen(text);
}

#endif
