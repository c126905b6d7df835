/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What skep report prints of a file instead of a table: --header-only --stats --tasks --mmaps; and --header, before one. */
#ifndef SKEP_CMD_REPORT_FILE_H
#define SKEP_CMD_REPORT_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "data/data.h"

/* perf's lines with a # at the start; whole: those of -I. 0 or -errno, err filled. */
int report_header(struct data_reader *reader, bool whole, FILE *out, struct err *err);

/* How many records of each type there are, and samples of each event; or the tasks, and what they mapped. */
struct report_file_cfg {
	bool header_only, whole, stats, tasks, mmaps, dump;
};
int report_file(const char *path, const struct report_file_cfg *cfg, FILE *out, struct err *err);

#endif
