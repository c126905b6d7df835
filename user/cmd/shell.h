/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Commands of a shell around a run. */
#ifndef SKEP_CMD_SHELL_H
#define SKEP_CMD_SHELL_H

#include <signal.h>

#include "util/err.h"

/* Runs text with sh and waits. mask: the signals that it starts with blocked. option: for the message. 0, or -errno with err filled. */
int shell_run(const char *text, const char *option, const sigset_t *mask, struct err *err);

#endif
