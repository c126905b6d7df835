/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a count means beside the others of the same row: utilization, GHz, instructions per cycle, ratios, rates. */
#ifndef SKEP_MODEL_DERIVED_H
#define SKEP_MODEL_DERIVED_H

#include <stdbool.h>
#include <stddef.h>

#include "event/event.h"

/* One row: a value for each event, in events (clocks: ns); below 0: it was not counted. */
struct derive_row {
	const struct event *events;
	const double *values;
	int nr_events;
	double wall_ns;
};

/* A figure with a name: what -M selects, and a column of --metric-only. */
struct metric {
	const char *name;   /* perf 7's: "page_faults_per_second" */
	const char *unit;   /* of its plain value: "faults/sec", "%"; or "" */
	int decimals;	    /* the plain value's */
	const char *events; /* what -M counts for it, as in -e; may be "" */
	bool has_clock;	    /* and the clock */
};

struct derived {
	double value;
	int width, decimals; /* as perf stat prints it: "%*.*f" */
	char unit[40]; /* "CPUs utilized", "K/sec"; empty: nothing to say */
	const char *noun; /* what a rate is of in a table, "faults" for "K faults/sec"; or "" */
	const char *percent; /* "%" after the value, or "" */
	const struct metric *metric; /* that it is, or NULL */
	double plain; /* in metric's unit */
};

void derive(const struct derive_row *row, int event, struct derived *ret_derived);

/* The metric at index, or NULL after the last. */
const struct metric *metric_at(int index);

#endif
