/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Errors as values: formatting only, nothing here prints or exits. */
#include "util/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CARET_INDENT 6
#define CARET_MAX_COLUMNS 100

static void err_fill(struct err *e, int ret, enum exit_code code, const char *fmt, va_list ap)
{
	if (!e)
		return;
	e->exit = code;
	e->hint[0] = '\0';
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	/* The limit that every part of the program can meet. */
	if (ret == -EMFILE) {
		e->exit = EXIT_FAILED;
		err_hint(e, "raise the limit of open files: ulimit -n 65536");
	}
}

int err_set(struct err *e, int ret, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	err_fill(e, ret, EXIT_FAILED, fmt, ap);
	va_end(ap);
	return ret;
}

int err_exit(struct err *e, int ret, enum exit_code code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	err_fill(e, ret, code, fmt, ap);
	va_end(ap);
	return ret;
}

void err_hint(struct err *e, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return;
	va_start(ap, fmt);
	vsnprintf(e->hint, sizeof(e->hint), fmt, ap);
	va_end(ap);
}

void err_caret(struct err *e, const char *text, size_t at)
{
	size_t used, start = 0;

	if (!e)
		return;
	/* Long texts are shown from a little before the fault, so that the caret stays on the screen. */
	if (at > CARET_MAX_COLUMNS / 2)
		start = at - CARET_MAX_COLUMNS / 2;
	used = strlen(e->text);
	snprintf(e->text + used, sizeof(e->text) - used, "\n%*s%.*s\n%*s^", CARET_INDENT, "",
		 CARET_MAX_COLUMNS, text + start, CARET_INDENT + (int)(at - start), "");
}
