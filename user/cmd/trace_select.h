/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What -e says, in strace's words: which calls, and whether signals are shown. */
#ifndef SKEP_CMD_TRACE_SELECT_H
#define SKEP_CMD_TRACE_SELECT_H

#include "capture/source/trace.h"
#include "util/err.h"

/*
 * "LIST", "!LIST", "trace=LIST", "t=LIST", "signal=none|all". LIST: names, numbers, %class, /regex/, each with ? in front if it need not
 * match; io_uring, for its operations; all, none. Replaces what cfg has of it. 0, or -EINVAL with err filled.
 */
int trace_select(const char *text, struct trace_cfg *cfg, struct err *err);

/* Does it say operations of io_uring, and no call? */
bool trace_is_uring(const struct trace_cfg *cfg);

/* "ENOENT,EPERM", names or numbers. 0, or -EINVAL with err filled. */
int trace_errnos(const char *text, struct trace_cfg *cfg, struct err *err);

#endif
