/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a file says that each thread counted until it ended (PERF_RECORD_READ of perf record -s). In: records. Out: perf report's table. */
#ifndef SKEP_CMD_THREADCOUNTS_H
#define SKEP_CMD_THREADCOUNTS_H

#include <stdio.h>

#include "data/data.h"
#include "util/map.h"
#include "util/vec.h"

struct counted_thread {
	uint32_t pid, tid;
};

struct counted_event {
	bool is_there; /* a thread counted it */
	int width;     /* of its largest value */
};

/* Zeroed it is empty. */
struct thread_counts {
	VEC(struct counted_thread) threads; /* in the order in which they come */
	VEC(struct counted_event) events; /* of the file */
	VEC(uint64_t) values; /* events.n for each thread */
	struct map by_thread;
};

void thread_counts_free(struct thread_counts *t);

/* For data_reader_watch(), with each record of a file with these attributes. 0 or -ENOMEM. */
int thread_counts_watch(struct thread_counts *t, const struct data_reader *reader, const struct data_record *rec);

/* A row for each thread; raw: for each thread and event. names: of the events; hostile. */
void thread_counts_print(FILE *out, struct thread_counts *t, const char *const *names, bool raw);

#endif
