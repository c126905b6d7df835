/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Names of threads, from task events. The table is owned; its strings are the pool's. */
#ifndef SKEP_SYM_COMMS_H
#define SKEP_SYM_COMMS_H

#include "sample.h"
#include "util/map.h"
#include "util/strpool.h"
#include "util/vec.h"

struct thread_comm {
	bool is_made_up;   /* no event has named it yet */
	const char *comm;
	const char *first; /* what the first event after that called it, or NULL */
};

struct comms {
	struct strpool *pool; /* borrowed; set by the owner of zeroed comms */
	VEC(struct thread_comm) all;
	struct map by_tid;
};

void comms_free(struct comms *c);

/* Takes note of an event that names a thread; of others, of nothing. 0 or -ENOMEM. */
int comms_task(struct comms *c, const struct task_event *t);

/* The name of the sample's thread, or NULL without memory. *ret_made_up: nothing has named the thread yet. */
const char *comms_of(struct comms *c, const struct sample *s, bool *ret_made_up);

/* Of a thread that had no name then: the first that it was given since, else the one that was made up. NULL: no memory. */
const char *comms_late(struct comms *c, uint32_t tid);

#endif
