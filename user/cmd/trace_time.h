/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How lines have their times, in strace's words. */
#ifndef SKEP_CMD_TRACE_TIME_H
#define SKEP_CMD_TRACE_TIME_H

#include "render/events/call.h"
#include "util/err.h"

/* "[format:]unix", "[precision:]us", one or both with a comma: lines->time and lines->decimals. 0, or -EINVAL with err filled. */
int trace_time(const char *text, struct call_lines *lines, struct err *err);

/* "ms", 3 of them; NULL: "us". 0, or -EINVAL with err filled. */
int trace_decimals(const char *text, uint8_t *ret_decimals, struct err *err);

#endif
