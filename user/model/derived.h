/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a count means beside the others of the same row: utilization, GHz, instructions per cycle, ratios, rates. */
#ifndef SKEP_MODEL_DERIVED_H
#define SKEP_MODEL_DERIVED_H

#include <stddef.h>

#include "event/event.h"

/* One row: a value for each event, in events (clocks: ns); below 0: it was not counted. */
struct derive_row {
	const struct event *events;
	const double *values;
	int nr_events;
	double wall_ns;
};

struct derived {
	double value;
	int width, decimals; /* as perf stat prints it: "%*.*f" */
	char unit[40]; /* "CPUs utilized", "K/sec"; empty: nothing to say */
	const char *percent; /* "%" after the value, or "" */
};

void derive(const struct derive_row *row, int event, struct derived *ret_derived);

#endif
