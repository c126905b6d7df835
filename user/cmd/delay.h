/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The value of -D of record and stat. */
#ifndef SKEP_CMD_DELAY_H
#define SKEP_CMD_DELAY_H

#include <stdint.h>

#include "util/err.h"

#define DELAY_HELP "start MS milliseconds after COMMAND"

/* Milliseconds after COMMAND. 0, or -EINVAL or -ERANGE with err filled. */
int delay_parse(const char *text, uint64_t *ret_ns, struct err *err);

#endif
