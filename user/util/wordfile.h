/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Options of a command line from a file: a line each, as "every 10s", "--every 10s", "every = 10s" or "calls"; "# ..." and empty lines are
 * nothing. What follows the name is the value, to the end of the line: there are no quotes.
 */
#ifndef SKEP_UTIL_WORDFILE_H
#define SKEP_UTIL_WORDFILE_H

#include "util/err.h"

/*
 * Where argv has "--config FILE" or "--config=FILE", the words of FILE are put after it. *ret_argv ends with NULL, and lives until the
 * program ends, as argv does. 0, or -errno with err filled.
 */
int wordfile_expand(int argc, char **argv, int *ret_argc, char ***ret_argv, struct err *err);

#endif
