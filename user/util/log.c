/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Messages on stderr. */
#include "util/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

int log_level;

void log_text(const char *text)
{
	char *copy = strdup(text), *at = copy, *line, *out = NULL;
	size_t n;
	FILE *f = copy ? open_memstream(&out, &n) : NULL; /* stderr has no buffer: one write for all */

	/* Newlines stay: they set off a caret under a bad word. */
	while (f && (line = strsep(&at, "\n"))) {
		text_print(f, line);
		fputc('\n', f);
	}
	if (f && !fclose(f))
		fputs(out, stderr);
	free(out);
	free(copy);
}

static void print(int level, const char *fmt, va_list ap)
{
	char *text;

	if (log_level < level || vasprintf(&text, fmt, ap) < 0)
		return;
	log_text(text);
	free(text);
}

void log_note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print(0, fmt, ap);
	va_end(ap);
}

void log_detail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print(1, fmt, ap);
	va_end(ap);
}
