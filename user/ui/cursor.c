/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "ui/cursor.h"

#include "ui/screen.h"

#define WHEEL_LINES 3

void cursor_go(struct cursor *c, size_t at)
{
	size_t page = c->page ? c->page : 1;

	c->at = !c->n ? 0 : at < c->n ? at : c->n - 1;
	if (c->at < c->top)
		c->top = c->at;
	if (c->at >= c->top + page)
		c->top = c->at - page + 1;
	if (c->top + page > c->n) /* no blank lines while there are more above */
		c->top = c->n > page ? c->n - page : 0;
}

void cursor_fit(struct cursor *c, size_t n, size_t page)
{
	c->n = n;
	c->page = page;
	cursor_go(c, c->at);
}

bool cursor_key(struct cursor *c, uint32_t key)
{
	size_t page = c->step ? c->step : c->page ? c->page : 1, back = 0, on = 0;

	switch (key) {
	case SCREEN_UP: back = 1; break;
	case SCREEN_DOWN: on = 1; break;
	case SCREEN_PAGE_UP: back = page; break;
	case SCREEN_PAGE_DOWN:
	case ' ': on = page; break;
	case SCREEN_WHEEL_UP: back = WHEEL_LINES; break;
	case SCREEN_WHEEL_DOWN: on = WHEEL_LINES; break;
	case SCREEN_HOME: back = c->at; break;
	case SCREEN_END: on = c->n; break;
	default: return false;
	}
	cursor_go(c, back > c->at ? 0 : c->at - back + on);
	return true;
}
