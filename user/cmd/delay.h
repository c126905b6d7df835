/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The value of -D of record and stat. */
#ifndef SKEP_CMD_DELAY_H
#define SKEP_CMD_DELAY_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/session.h"
#include "util/err.h"

#define DELAY_HELP "start MS milliseconds after COMMAND"

/* What the value says: times in milliseconds after COMMAND. 0, or -EINVAL, -ERANGE or -E2BIG with err filled. */
int delay_parse(const char *text, uint64_t *ret_ns, struct err *err);

/* The same, or -1: *ret_off, by a command of --control; or "10-20,30-40": from 10 to 20, and again from 30 to 40. */
int delay_parse_ranges(const char *text, uint64_t *ret_ns, bool *ret_off, struct session_turns *ret_turns, struct err *err);

#endif
