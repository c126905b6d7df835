/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counts as lines of JSON: what skep stat --json and perf stat -j write (tools/perf/Documentation/perf-stat.txt, "JSON FORMAT"). */
#ifndef SKEP_DATA_STATJSON_H
#define SKEP_DATA_STATJSON_H

#include <stdbool.h>

#include "util/err.h"

/* True if a plain file begins as a line of JSON does. */
bool statjson_is(const char *path);

/*
 * Calls count() for each line that has a count, with texts that live during the call; unit may be "". Events that were not counted have none; of a file of intervals the lines of --summary, which are their sums,
 * are left out. 0, what
 * count() returned if that is not 0, or -errno: the file cannot be read, is no JSON, or has no counts; err is filled.
 */
int statjson_read(const char *path, int (*count)(void *arg, const char *event, const char *unit, double value), void *arg, struct err *err);

#endif
