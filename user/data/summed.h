/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Profiles in pprof's format as recordings: an event for each kind of value, no times, and addresses that are numbers of the file's
 * locations, from 1 on, whose frames it has itself.
 */
#ifndef SKEP_DATA_SUMMED_H
#define SKEP_DATA_SUMMED_H

#include "data/reader.h"
#include "data/store.h"

/* Is it such a file? Nothing is read. */
bool summed_is(const struct data_reader *r);

int summed_open(struct data_reader *r, struct err *err); /* 0 or -errno, err filled */

/* Such a file in memory, of malloc(): gone then. */
int summed_open_bytes(struct data_reader *r, char *bytes, size_t n, struct err *err);

/* Of the reader's store: its segments in the span, one after the other, as one recording. -ENODATA: there is none. */
int summed_open_store(struct data_reader *r, const struct store_span *span, struct err *err);
int summed_run(struct data_reader *r, struct err *err);	 /* as data_reader_run() */

#endif
