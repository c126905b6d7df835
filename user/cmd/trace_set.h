/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sets in strace's words: of signals, of how calls end, and of what is not printed. */
#ifndef SKEP_CMD_TRACE_SET_H
#define SKEP_CMD_TRACE_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"

/* "SIGCHLD,term,17", "!PIPE", "all", "none": bit number - 1 of each. 0, or -EINVAL with err filled. */
int trace_signals(const char *text, uint64_t *ret_signals, struct err *err);

struct trace_cfg;

/* "ENOENT,EPERM", names or numbers: cfg->errnos and cfg->results, which has none yet. 0, or -EINVAL with err filled. */
int trace_errnos(const char *text, struct trace_cfg *cfg, struct err *err);

/* "successful,unfinished", "!failed", "all": bits of enum trace_results into *results, which has none yet. 0, or -EINVAL with err filled. */
int trace_statuses(const char *text, uint32_t *results, struct err *err);

/* Messages of strace that are not printed: "exit,attach", "all". *ret_ends: the ends of threads are among them. 0, or -EINVAL with err filled. */
int trace_quiet(const char *text, bool *ret_ends, struct err *err);

#endif
