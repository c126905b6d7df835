/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SHOW: hits of probes as they arrive, a line each. */
#ifndef SKEP_RENDER_EVENTS_HIT_H
#define SKEP_RENDER_EVENTS_HIT_H

#include "render/rows/rows.h"

/* The text of rows of a hit_site. */
extern const struct rows_format hit_text;

/* Parts of such a line: "vfs_read", and the values that stand in brackets. */
const char *hit_call(const struct row *row);
void hit_values(FILE *out, const struct row *row, const struct rows_view *view);

#endif
