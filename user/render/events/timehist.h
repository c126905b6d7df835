/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SHOW: what the scheduler does, a line each as it happens, in the columns of perf sched timehist. */
#ifndef SKEP_RENDER_EVENTS_TIMEHIST_H
#define SKEP_RENDER_EVENTS_TIMEHIST_H

#include "render/rows/rows.h"

/* The text of rows of schedlog_schema. Who gets the CPU and the stack are the view's to hide (LOG_NEXT_COMM, LOG_STACK). */
extern const struct rows_format timehist_text;

#endif
