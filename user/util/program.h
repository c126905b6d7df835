/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef SKEP_UTIL_PROGRAM_H
#define SKEP_UTIL_PROGRAM_H

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Was skep called by the name perf, as by a link? Then scripts that were written for perf look at its output (skep(1)). */
static inline bool program_is_perf(void)
{
	return !strcmp(program_invocation_short_name, "perf");
}

#endif
