/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An event of skep agent, all that was sampled of it, and what came since a moment. */
#ifndef SKEP_CMD_AGENTVIEW_H
#define SKEP_CMD_AGENTVIEW_H

#include "event/event.h"
#include "model/fold.h"

/* A moment, and what there was then. */
struct agent_mark {
	uint64_t wall_ns, begun_ns, boot_ns; /* CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME */
	uint64_t folded, weight, losses[LOSS_MAX];
};

struct agent_view {
	struct fold_view at; /* must be first: take_figures() casts to it */
	const struct event *event;
	struct profile all;
	struct agent_mark segment; /* where the segment that is being filled began */
	bool failed; /* the last segment could not be written */
};

/* ledger: what the run has lost so far, beside what names and stacks of the view lack; NULL: that stands with another view. */
void agent_mark_set(struct agent_mark *m, const struct agent_view *v, const struct profile *ledger);
void agent_mark_since(const struct agent_mark *m, const struct agent_view *v, const struct profile *ledger, struct profile *ret_profile);

/* CLOCK_REALTIME of now. By the clock, if it was not set since then: else after the time that passed, that of a suspend included. */
uint64_t agent_mark_now_ns(const struct agent_mark *m);

#endif
