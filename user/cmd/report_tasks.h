/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* perf report --tasks and --mmaps: the threads of a file under those that made them. */
#ifndef SKEP_CMD_REPORT_TASKS_H
#define SKEP_CMD_REPORT_TASKS_H

#include <stdbool.h>
#include <stdio.h>

#include "data/data.h"

/* Reads the file to its end. 0 or -errno, err filled. */
int report_tasks(struct data_reader *reader, bool mmaps, FILE *out, struct err *err);

#endif
