/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Talk on stderr, for cmd/ and main only: notes always (unless -q), details with -v. Messages hold
 * names of files, processes and recordings, so what a terminal would obey is escaped (text.h).
 */
#ifndef SKEP_UTIL_LOG_H
#define SKEP_UTIL_LOG_H

#include <stdarg.h>

extern int log_level; /* -1 quiet, 0 notes, 1 -v, 2 -vv, 3 -vvv (libbpf); set by main from the command line */

void log_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_detail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Whatever the level: text, escaped but for its newlines, and one more. */
void log_text(const char *text);

#endif
