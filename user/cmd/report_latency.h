/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What skep report needs of a file for latency: who asks for it, and whether the file's context switches say it. */
#ifndef SKEP_CMD_REPORT_LATENCY_H
#define SKEP_CMD_REPORT_LATENCY_H

#include "cmd/replay.h"
#include "cmd/report_options.h"

/* What of the command line needs it: fills r->latency_word and needs_latency. l: of the command line, which has no such column by itself. */
void report_latency_find(struct report_options *r, const struct report_layout *l);

/*
 * When the file is open: as in perf, one with context switches has a column of latency, and without call chains none of callees beside it.
 * 0, or -EINVAL with err filled, as in the next.
 */
int report_latency_open(struct report_options *r, struct data_reader *reader, struct err *err);

/* When it is read: files of CPUs do not say how many threads run when they begin, and have switches of the idle task. */
int report_latency_end(const struct report_options *r, struct replay *replay, struct err *err);

#endif
