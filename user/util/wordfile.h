/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Options of a command line from a file: a line each, as "every 10s", "--every 10s", "every = 10s" or "calls"; "# ..." and empty lines are
 * nothing. What follows the name is the value, to the end of the line: there are no quotes.
 */
#ifndef SKEP_UTIL_WORDFILE_H
#define SKEP_UTIL_WORDFILE_H

#include <stdbool.h>

#include "util/err.h"

/* Has a long option, by its name, to have a value? Then a line without one is an error: the next line would be taken for it. */
typedef bool wordfile_needs(const void *arg, const char *name);

/*
 * Where argv has "--config FILE" or "--config=FILE", the words of FILE are put after it. *ret_argv ends with NULL, and lives until the
 * program ends, as argv does. 0, or -errno with err filled.
 */
int wordfile_expand(int argc, char **argv, wordfile_needs *needs, const void *arg, int *ret_argc, char ***ret_argv, struct err *err);

/* The last file that words came from; NULL: none did. */
const char *wordfile_path(void);

#endif
