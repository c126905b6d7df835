/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SHOW: who is on each CPU, a row a switch and a column a CPU, as perf sched map draws it. */
#ifndef SKEP_RENDER_EVENTS_SCHEDMAP_H
#define SKEP_RENDER_EVENTS_SCHEDMAP_H

#include <stdint.h>
#include <stdio.h>

#include "model/shortnames.h"

struct schedmap_cell {
	uint32_t cpu;
	char text[3]; /* "": not known yet */
	uint32_t name; /* that it holds; SHORTNAMES_MAX: none */
};

/* Zeroed, then out, start_ns, the cells' CPUs and shown are the owner's to set. */
struct schedmap {
	FILE *out;
	uint64_t start_ns; /* of the run */
	struct schedmap_cell *cells; /* a CPU each, borrowed */
	uint32_t nr_cells;
	uint32_t nr_shown; /* columns, the first ones; what happens on the others is no row */
	struct shortnames names;
};

/* How many CPUs' columns a line of so many characters has room for: at least one. 0 characters: any number. */
uint32_t schedmap_room(int columns);

/* The line of the CPUs' numbers. 0 or -EIO. */
int schedmap_begin(struct schedmap *m);

/* 0 or -EIO. */
int schedmap_event(struct schedmap *m, const struct sample *s);

#endif
