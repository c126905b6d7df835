/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Records of bpf/trace.h in the order of time, from rings or a file, to samples with a call: what was read on a call's entry waits here for
 * its return. A file's records are hostile.
 */
#ifndef SKEP_CAPTURE_CALLJOIN_H
#define SKEP_CAPTURE_CALLJOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile.h"
#include "sample.h"
#include "util/map.h"
#include "util/vec.h"

struct calljoin_waiting;

/* Zeroed before its first use. */
struct calljoin {
	VEC(struct calljoin_waiting) waiting;
	struct map by_tid;
	/* Called with a sample that has a stack, as the kernel walked it, before the sample is delivered. NULL: stacks are left out. */
	void (*stack)(void *arg, struct sample *s);
	void *arg;
	uint64_t delivered;    /* events */
	uint64_t lost;	       /* events, as records have reported them */
	uint64_t damaged;      /* records that were left out */
	uint64_t entries_lost; /* calls whose entry had no room in a ring */
};

/* Takes a record, at an address that is a multiple of 8. 0, -ENOMEM, or what the sink returned. */
int calljoin_take(struct calljoin *j, const void *record, size_t size, struct sink *sink);

/* After the last record: delivers the signals of calls that have not returned. */
int calljoin_end(struct calljoin *j, struct sink *sink);

/* How many events a record stands for; *ret_no_entry: what was read on its call's entry had no room. */
uint32_t calljoin_events(const void *record, size_t size, bool *ret_no_entry);

/* How many lost events a record reports: a TRACE_LOST; else 0. */
uint64_t calljoin_lost(const void *record, size_t size);

/* Adds a note: so many calls lack what was read on their entry. 0 adds none. */
void calljoin_note(uint64_t entries_lost, struct profile *profile);

void calljoin_free(struct calljoin *j);

#endif
