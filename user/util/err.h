/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Errors as values. Library code fills a struct err and returns a negative errno; only main.c
 * prints it. One lower-case line, no full stop, the user's text in single quotes, cause last.
 */
#ifndef SKEP_UTIL_ERR_H
#define SKEP_UTIL_ERR_H

#include <stddef.h>

/* Process exit codes (skep(1), EXIT STATUS). */
enum exit_code {
	EXIT_DONE = 0,     /* done */
	EXIT_FAILED = 1,   /* failed at run time */
	EXIT_USAGE = 2,    /* the command line is wrong */
	EXIT_CANNOT = 3,   /* the kernel, or the privileges at hand, cannot do it */
	EXIT_NOEXEC = 126, /* COMMAND was found but cannot be run */
	EXIT_NOCMD = 127,  /* COMMAND was not found */
};

struct err {
	int exit;	/* an enum exit_code; 0 means EXIT_FAILED */
	char text[768]; /* NUL-terminated, no newline except before a caret block */
	char hint[512]; /* empty when the next step is not known */
};

/*
 * Formats into e->text, replacing what was there, and returns ret (a negative errno). e may be NULL. -EMFILE is a failure with its hint,
 * whatever the exit code.
 */
int err_set(struct err *e, int ret, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* As err_set, with the exit code to end with. */
int err_exit(struct err *e, int ret, enum exit_code code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Sets the next step for the user. */
void err_hint(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Appends the offending text and a caret under byte `at` (0-based) of it, as compilers do:
 *       cycles:q
 *              ^
 */
void err_caret(struct err *e, const char *text, size_t at);

#endif
