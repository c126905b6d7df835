/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SHOW: recorded samples one after the other, for programs that draw: folded stacks, and Chrome's trace event format. */
#ifndef SKEP_RENDER_EVENTS_SCRIPTVIEWS_H
#define SKEP_RENDER_EVENTS_SCRIPTVIEWS_H

#include "profile.h"
#include "render/events/script.h"
#include "util/map.h"

/* "comm;outer;leaf PERIOD", as flamegraph.pl and inferno read it; a sample that has no period counts as 1. */
void script_folded(struct textbuf *b, const struct script_line *line, const struct script_view *view);

/* Zeroed before script_chrome_begin(). Each thread has a track, each sample is a moment of it, with its stack and fields as arguments. */
struct script_chrome {
	struct json json;
	struct map named; /* threads whose name the file has */
	uint64_t start_ns;
};
void script_chrome_begin(struct script_chrome *c, FILE *out);
void script_chrome(struct script_chrome *c, const struct script_line *line, const struct script_view *view, const struct script_args *args);
/* The ledger goes into the file. */
void script_chrome_end(struct script_chrome *c, const struct profile *p);
void script_chrome_free(struct script_chrome *c);

#endif
