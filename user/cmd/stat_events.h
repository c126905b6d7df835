/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The events that skep stat counts: what -e, -M, -d and no option at all ask for, each probe with its sites, and what goes together. */
#ifndef SKEP_CMD_STAT_EVENTS_H
#define SKEP_CMD_STAT_EVENTS_H

#include <stdbool.h>

#include "capture/source/probe.h"
#include "cmd/stat_options.h"
#include "event/event.h"
#include "util/err.h"

#define STAT_EVENTS_MAX 4096 /* syscalls:* are 2,700 */

struct stat_events {
	struct event all[STAT_EVENTS_MAX];
	int n;
	struct probe *probes; /* whose sites are events of their own */
	int nr_probes;
};

/* --by, --latency or --stack: rows by keys, not by event. */
bool stat_is_by(const struct stat_options *o);

/* Into events, which are zero. 0 or -errno with err filled; the caller frees them in either case. */
int stat_events_pick(struct stat_events *s, const struct stat_options *o, struct err *err);
void stat_events_free(struct stat_events *s);

bool stat_events_have(const struct stat_events *s, enum event_kind kind);

/* Do the options and these events go together? 0 or -errno with err filled. */
int stat_events_check(const struct stat_events *s, const struct stat_options *o, struct err *err);

/* Each probe becomes an event for each of its sites. 0 or -errno with err filled. */
int stat_events_expand(struct stat_events *s, const struct stat_options *o, struct err *err);

/* --all-user or --all-kernel, one of which is set. 0 or -errno with err filled. */
int stat_events_set_mode(struct stat_events *s, const struct stat_options *o, struct err *err);

#endif
