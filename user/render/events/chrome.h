/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * SHOW: the scheduler's events as a timeline in Chrome's trace event format, which Perfetto's UI and chrome://tracing open: a track a
 * CPU with who was on it, a track a thread with what it did, arrows from who woke to who was woken.
 */
#ifndef SKEP_RENDER_EVENTS_CHROME_H
#define SKEP_RENDER_EVENTS_CHROME_H

#include <stdbool.h>
#include <stdio.h>

#include "profile.h"
#include "model/schedlog.h"
#include "util/map.h"
#include "util/vec.h"

/* A thread that has a track. */
struct chrome_thread {
	uint32_t tid, pid;
	char comm[COMM_LEN];
	uint64_t drawn_ns; /* its track is drawn up to then */
};

/* Zeroed before its first use; out, start_ns and all are the owner's to set. */
struct chrome {
	FILE *out;
	uint64_t start_ns; /* of the run: times are from there on */
	bool all;	   /* every task is a target: those that slept all the time get no track */
	VEC(struct chrome_thread) threads; /* live ones */
	struct map by_tid;
	VEC(uint64_t) cpus; /* up to when each CPU's track is drawn, by its number; 0: it has none yet */
	uint64_t nr_flows;
	bool comma;
};

/* Each: 0, -ENOMEM or -EIO. frames: of the stack where a task was switched out, leaf first. */
int chrome_begin(struct chrome *c);
int chrome_event(struct chrome *c, const struct sample *s, const struct frame *frames, uint32_t nr_frames);

/* The ledger goes into the file. */
int chrome_end(struct chrome *c, const struct profile *p);
void chrome_free(struct chrome *c);

#endif
