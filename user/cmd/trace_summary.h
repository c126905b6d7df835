/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep trace -c: a run that has sums and no lines. */
#ifndef SKEP_CMD_TRACE_SUMMARY_H
#define SKEP_CMD_TRACE_SUMMARY_H

#include "cmd/trace_sums.h"

/* 0, or -errno with err filled; *ret_status: the exit code. */
int trace_summary_run(const struct trace_sums_cfg *cfg, const struct target *target, const struct honesty *h, int *ret_status, struct err *err);

#endif
