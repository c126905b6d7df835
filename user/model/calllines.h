/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* FOLD: the lines of a focus, some open and some closed: the function, who calls it, what it calls. Pure. */
#ifndef SKEP_MODEL_CALLLINES_H
#define SKEP_MODEL_CALLLINES_H

#include "model/focus.h"
#include "util/map.h"

enum call_line_kind { CALL_FUNCTION, CALL_CALLERS, CALL_CALLER, CALL_CALLEES, CALL_CALLEE }; /* the plurals are headings */

struct call_line {
	enum call_line_kind kind;
	uint16_t depth; /* of a caller or callee: 0 is next to the function */
	bool has_more, is_open;
	const struct tree_node *node; /* of a caller or callee */
	uint64_t path; /* the same line's in the next focus, too */
};

struct call_lines {
	VEC(struct call_line) lines;
	/* Own. */
	struct map turned; /* paths that were opened or closed by hand: index in `is_open` */
	VEC(uint8_t) is_open;
};

/* What is large, or alone, is open to a depth that a screen shows, unless it was closed. callers_only: without the function, the headings and callees. 0 or -ENOMEM. */
int call_lines_make(struct call_lines *c, const struct focus *f, bool callers_only);
void call_lines_free(struct call_lines *c);

/* Opens or closes a line from the next call_lines_make() on. 0 or -ENOMEM. */
int call_lines_turn(struct call_lines *c, uint64_t path, bool is_open);

#endif
