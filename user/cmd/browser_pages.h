/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the browsers of skep top and skep report do alike with a row or a tree. */
#ifndef SKEP_CMD_BROWSER_PAGES_H
#define SKEP_CMD_BROWSER_PAGES_H

#include "cmd/browser.h"

/* Writes a flame graph of a tree (NULL: there is none) to NAME-DATE-TIME.html in the current directory, and says so. */
void page_flame(struct browser *b, const char *name, struct tree *tree, const struct profile *p);

/* Shows the instructions of a function, a text that it frees; ret: of what made it, with err why there are none. 0 or -ENOMEM. */
int page_annotation(struct browser *b, const char *function, char *text, int ret, const struct err *err);

#endif
