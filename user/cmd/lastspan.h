/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * skep record --last: the last seconds, in memory only, until somebody wants them in a file. They are kept in two spans, each as long as that:
 * what was there when it began, and what came. The older one is dropped when the newer one is full.
 */
#ifndef SKEP_CMD_LASTSPAN_H
#define SKEP_CMD_LASTSPAN_H

#include "sample.h"

#define LASTSPAN_BYTES_MAX (256u << 20) /* of one: then it is shorter */

struct lastspan;

struct lastspan *lastspan_new(uint64_t span_ns, uint64_t now_ns); /* NULL: no memory */
void lastspan_free(struct lastspan *l); /* NULL is nothing */

/* Keeps a copy; sched, call and fields of a sample, which live ones of record do not have, are left out. 0 or -ENOMEM. */
int lastspan_sample(struct lastspan *l, const struct sample *s);
int lastspan_task(struct lastspan *l, const struct task_event *t);

/* How many samples the run has lost so far: what is new is of this moment. 0 or -ENOMEM. */
int lastspan_lost(struct lastspan *l, uint64_t now_ns, uint64_t so_far);

/*
 * The end of a round. 1: a new span has begun, and lastspan_sink() is to get what is there now, before all else; 0; or -ENOMEM.
 */
int lastspan_round(struct lastspan *l, uint64_t now_ns);

/* Takes what was there when the span began: task events without a time have that of its beginning. */
struct sink *lastspan_sink(struct lastspan *l);

/*
 * Delivers all from since_ns on, with the task events before it. *ret_from_ns: since when there is all, where that is later than since_ns. 0, or
 * what the sink returned. *ret_samples: how many of them are delivered, in any case.
 */
int lastspan_replay(struct lastspan *l, uint64_t since_ns, struct sink *to, uint64_t *ret_samples, uint64_t *ret_from_ns);

#endif
