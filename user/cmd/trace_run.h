/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A run of skep trace that prints lines. */
#ifndef SKEP_CMD_TRACE_RUN_H
#define SKEP_CMD_TRACE_RUN_H

#include "cmd/trace_options.h"

/*
 * Prints the lines of a live run, or of o->input, and frees o->events. sums: of -C, filled and printed after the last line; else NULL.
 * *ret_status: the exit code, COMMAND's if there is one. 0, or -errno with err filled.
 */
int trace_run(struct trace_options *o, struct trace_sums *sums, int *ret_status, struct err *err);

#endif
