/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The value of -D of record and stat. */
#ifndef SKEP_CMD_DELAY_H
#define SKEP_CMD_DELAY_H

#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"

#define DELAY_HELP "start MS milliseconds after COMMAND"

/* Milliseconds after COMMAND; or -1, *ret_off: by a command of --control. ret_off NULL: there is none. 0, or -EINVAL or -ERANGE with err filled. */
int delay_parse(const char *text, uint64_t *ret_ns, bool *ret_off, struct err *err);

#endif
