/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A command that runs for months starts again in its own process: with the same command line, and no memory of what was. */
#ifndef SKEP_CMD_RESTART_H
#define SKEP_CMD_RESTART_H

#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"

/* Is there a terminal whose end SIGHUP would tell of? */
bool restart_has_terminal(void);

/*
 * When the run is to end: *duration_ns from now on, or what restart() has left of that, which it is then; 0: never. CLOCK_MONOTONIC, ns. Once, at
 * the start: from then on the process's CPU time before restart() is no cost of the run (cost_before()).
 */
uint64_t restart_until(uint64_t now_ns, uint64_t *duration_ns);

/*
 * Starts again, with the program as it is now, after everything is closed and nobody else's threads matter; why is said. until_ns: as of
 * restart_until(). Only returns with an error: -errno, err filled.
 */
int restart(const char *why, uint64_t until_ns, struct err *err);

#endif
