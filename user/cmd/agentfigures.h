/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * skep agent --listen: figures for Prometheus, of samples and of what the switches add: the scheduler, system calls, the network. They are
 * made when sums are taken, and served as they were then: a scrape costs a copy.
 */
#ifndef SKEP_CMD_AGENTFIGURES_H
#define SKEP_CMD_AGENTFIGURES_H

#include "capture/session.h"
#include "cmd/agentlabels.h"
#include "event/event.h"
#include "push/push.h"
#include "serve/http.h"

#define FIGURES_SERIES_DEFAULT 10000
#define FAULTS_EVENT "page-faults"

struct figures_cfg {
	const char *listen;
	bool calls, sched, net;
	uint64_t max_series; /* 0: the default */
	struct agent_labels *labels; /* borrowed */
	struct push *push; /* likewise; NULL: nothing is sent */
};

struct figures;

/* cfg is borrowed. 0, or -errno with err filled. */
int figures_open(const struct figures_cfg *cfg, struct figures **ret_figures, struct err *err);
void figures_close(struct figures *f); /* after the session; NULL is nothing */

/* What serves them. */
struct http *figures_http(const struct figures *f);

/* What the switches need, to a session that is open. 0, or -errno with err filled. */
int figures_attach(struct figures *f, struct session *session, struct err *err);

/* A sample of that event, whose periods are CPU time if is_cpu; a row of one of the sources that were attached. 0 or -ENOMEM. */
int figures_sample(struct figures *f, const struct event *e, bool is_cpu, const struct named *named);
int figures_row(struct figures *f, const struct row *row);

/* Makes what is served from now on. ledger: of the run so far, with its receipt. 0 or -ENOMEM. */
int figures_round(struct figures *f, const struct profile *ledger);

#endif
