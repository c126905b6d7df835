/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A line on the terminal that says how a run goes, gone when it ends. */
#ifndef SKEP_CMD_PROGRESS_H
#define SKEP_CMD_PROGRESS_H

#include "capture/session.h"

struct progress {
	const struct session_cfg *cfg;
	uint64_t next_ns; /* when it is drawn again */
	bool is_drawn;
};

/*
 * Wanted on a terminal as standard error, but not with -q, nor where COMMAND is what is measured, whose own output goes there. ret_cfg: cfg
 * with what draws the line. Both outlive the run.
 */
void progress_begin(struct progress *p, const struct session_cfg *cfg, struct session_cfg *ret_cfg);
void progress_end(struct progress *p);

#endif
