/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A report whose keys are nested, as perf report --hierarchy prints it. */
#ifndef SKEP_RENDER_ROWS_HIERARCHY_H
#define SKEP_RENDER_ROWS_HIERARCHY_H

#include "render/rows/report.h"

/* The titles, and a line for each value of the first key, below it those of the second. 0 or -ENOMEM. */
int render_hierarchy(FILE *out, const struct report *t, uint64_t whole, const struct report_cfg *cfg);

#endif
