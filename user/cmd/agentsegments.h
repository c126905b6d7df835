/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What skep agent sampled goes to its store, and from there to servers: a segment for each view. */
#ifndef SKEP_CMD_AGENTSEGMENTS_H
#define SKEP_CMD_AGENTSEGMENTS_H

#include "cmd/agentview.h"
#include "cmd/pprofout.h"
#include "data/store.h"
#include "push/push.h"

struct agent_segments {
	struct store store; /* open */
	struct pprof_out out;
	struct push *push; /* NULL: there is no server */
	uint64_t keep_kib, keep_ns; /* of the store */
	bool is_taken; /* the store was removed, and is another agent's now */
};

/*
 * Segments of the n views begin again, each also where nothing came: else a span without samples would look like one that was not watched.
 * ledger: what the run has lost so far. rate: the note of a lowered rate; "": it was not. What cannot be written now, as when the disk is
 * full, is part of the next segment, and views[i].failed is set: nothing is lost while there is memory. A store that was removed is made again.
 * 0, -ENOMEM, or -ECANCELED: another agent has the store.
 */
int agent_segments_write(struct agent_segments *s, struct agent_view *views, int n, const struct profile *ledger, const char *rate);

#endif
