/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * skep agent --listen: /debug/pprof/profile?seconds=N&view=NAME, as Go programs have it: what comes from now on, in pprof's format. A profile
 * has whole rounds of the agent, at which sums are taken: it begins and ends up to 5 seconds late.
 */
#ifndef SKEP_CMD_AGENTPROFILES_H
#define SKEP_CMD_AGENTPROFILES_H

#include "cmd/agentview.h"
#include "cmd/pprofout.h"
#include "serve/http.h"

#define PROFILES_PATH "/debug/pprof/profile"

struct agent_profiles;

/* out: whose picture and labels those of profiles are; borrowed, as http. NULL: no memory. */
struct agent_profiles *agent_profiles_new(struct http *http, const struct pprof_out *out);
void agent_profiles_free(struct agent_profiles *p); /* NULL is nothing */

/* A sample. 0 or -ENOMEM. */
int agent_profiles_add(struct agent_profiles *p, const struct fold_view *view, const struct named *named);

/*
 * Between rounds: profiles begin and end. all: the views, n of them. run: the losses of the run so far. rate: the note of a lowered
 * one; "": it is not. 0 or -ENOMEM.
 */
int agent_profiles_round(struct agent_profiles *p, const struct agent_view *all, int n, const struct profile *run, const char *rate);

#endif
