/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where a list stands on a screen: which line is chosen, and which is the first that is seen. Pure. */
#ifndef SKEP_UI_CURSOR_H
#define SKEP_UI_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor {
	size_t n, page; /* lines in all, and that are seen at once */
	size_t step;	/* lines that a page key moves; 0: page */
	size_t at, top; /* the chosen one, the first on the screen */
};

/* The list has n lines now, the screen room for page of them. */
void cursor_fit(struct cursor *c, size_t n, size_t page);

/* To a line. */
void cursor_go(struct cursor *c, size_t at);

/* Takes a key of enum screen_key that moves it; false: another one. */
bool cursor_key(struct cursor *c, uint32_t key);

#endif
