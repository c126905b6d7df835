/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep report on a terminal: its tables as a screen. */
#ifndef SKEP_CMD_REPORT_SCREEN_H
#define SKEP_CMD_REPORT_SCREEN_H

#include "cmd/replay.h"
#include "cmd/report_options.h"

/* Is the screen to be shown, where there is one? What it cannot show is text, as with --stdio. */
bool report_has_screen(const struct report_options *r);

/* Before the file is read: what the screen needs beside the tables. */
void report_screen_prepare(const struct report_options *r, struct replay *replay);

/* Shows n tables, which are in order, until the user leaves. cfg: as for text. 0, or -errno with err filled. */
int report_screen(const struct report_options *r, struct replay *replay, const struct report_view *views, size_t n, const struct report_cfg *cfg,
		  struct err *err);

#endif
