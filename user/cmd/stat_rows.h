/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the rows of counts are, by the options. */
#ifndef SKEP_CMD_STAT_ROWS_H
#define SKEP_CMD_STAT_ROWS_H

#include "cmd/stat_options.h"
#include "model/counts.h"

/* The option that makes groups of CPUs rows, such as "--per-core"; NULL: none is given. */
const char *stat_group_option(const struct stat_options *o);

/* A table with these rows. 0, or -errno with err filled. */
int stat_rows_init(const struct stat_options *o, const struct event *events, int nr_events, struct counts *ret_counts, struct err *err);

#endif
