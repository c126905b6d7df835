/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep report on a terminal: its tables as a screen. */
#ifndef SKEP_CMD_REPORT_SCREEN_H
#define SKEP_CMD_REPORT_SCREEN_H

#include "cmd/replay.h"
#include "cmd/report_options.h"

struct report_screen;

/* Is the screen to be shown, where there is one? What it cannot show is text, as with --stdio. */
bool report_has_screen(const struct report_options *r);

/* Before the file is read: what the screen needs beside the tables. */
void report_screen_prepare(const struct report_options *r, struct replay *replay);

#define REPORT_AGAIN 1

/*
 * Shows n tables, which are in order, until the user leaves: 0; or wants rows by other keys or of a part of the samples: REPORT_AGAIN; or
 * -errno with err filled. *screen, which begins as NULL, is the same of all these. cfg: as for text.
 */
int report_screen(struct report_screen **screen, const struct report_options *r, struct replay *replay, const struct report_view *views, size_t n,
		  const struct report_cfg *cfg, struct err *err);

/* After REPORT_AGAIN: puts into r, which is as the command line has it, what the user wants. Borrowed. */
void report_screen_want(const struct report_screen *s, struct report_options *r);

/*
 * What it is to show next cannot be read: ret, err. Then it shows what it had before, with the reason: REPORT_AGAIN; or, where it reads again
 * by itself, the reason alone, until it is time for that: REPORT_AGAIN, or the user leaves: 0. ret: there was nothing before.
 */
int report_screen_failed(struct report_screen *s, const struct err *err, int ret);

void report_screen_close(struct report_screen *s); /* NULL is nothing */

#endif
