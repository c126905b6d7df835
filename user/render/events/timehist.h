/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SHOW: what the scheduler does, a line each as it happens: text in the columns of perf sched timehist, CSV, JSON (an object per line). */
#ifndef SKEP_RENDER_EVENTS_TIMEHIST_H
#define SKEP_RENDER_EVENTS_TIMEHIST_H

#include <stdbool.h>
#include <stdio.h>

#include "model/schedlog.h"

struct timehist_cfg {
	bool json, csv;
	bool next;   /* who gets the CPU (text; the others have it always) */
	bool stacks;
	uint64_t start_ns; /* of the run: text and CSV count from there on */
};

/* The names of the columns; nothing for JSON. */
void render_timehist_head(FILE *out, const struct timehist_cfg *cfg);

/* frames: of the stack, leaf first. 0 or -EIO. SCHEDLOG_LEFT is no line. */
int render_timehist(FILE *out, const struct sample *s, const struct frame *frames, uint32_t nr_frames, const struct timehist_cfg *cfg);

#endif
