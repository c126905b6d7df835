/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Talk on stderr. */
#include "util/log.h"

#include <stdio.h>

int log_level;

void log_note(const char *fmt, ...)
{
	va_list ap;

	if (log_level < 0)
		return;
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

void log_detail(const char *fmt, ...)
{
	va_list ap;

	if (log_level < 1)
		return;
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}
