/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What skep annotate prints of one function, for a page of another command. */
#ifndef SKEP_CMD_ANNOTATE_H
#define SKEP_CMD_ANNOTATE_H

#include <stdio.h>

#include "cmd/symbols.h"
#include "util/err.h"

/* Reads the file once more. function: a name. 0, or -errno with err filled. */
int annotate_function(const char *input, const char *function, const struct symbol_options *symbols, FILE *out, struct err *err);

#endif
