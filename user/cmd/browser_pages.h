/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the browsers of skep top, skep report and skep diff do alike. */
#ifndef SKEP_CMD_BROWSER_PAGES_H
#define SKEP_CMD_BROWSER_PAGES_H

#include "cmd/browser.h"
#include "cmd/symbols.h"

/* Writes a flame graph of a tree (NULL: there is none) to NAME-DATE-TIME.html in the current directory, and says so. */
void page_flame(struct browser *b, const char *name, struct tree *tree, const struct profile *p);

/* Shows the instructions of a function, a text that it frees; ret: of what made it, with err why there are none. 0 or -ENOMEM. */
int page_annotation(struct browser *b, const char *function, char *text, int ret, const struct err *err);

/* The row that is chosen, if it is a function; else NULL, and said. */
const struct report_row *page_function(struct browser *b);

/* Shows the instructions of that function, from a file. 0 or -ENOMEM. */
int page_annotate(struct browser *b, const char *input, const struct symbol_options *symbols);

/*
 * Until a key ends it: what that returned, as of browser_input(). ns: or until so much time is over and the browser is at its table, -ETIME;
 * 0: never.
 */
int page_loop(struct browser *b, uint64_t ns);

#endif
