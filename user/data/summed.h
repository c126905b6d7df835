/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Profiles in pprof's format as recordings: an event for each kind of value, no times, and addresses that are numbers of the file's
 * locations, from 1 on, whose frames it has itself.
 */
#ifndef SKEP_DATA_SUMMED_H
#define SKEP_DATA_SUMMED_H

#include "data/reader.h"

/* Is it such a file? Nothing is read. */
bool summed_is(const struct data_reader *r);

int summed_open(struct data_reader *r, struct err *err); /* 0 or -errno, err filled */
int summed_run(struct data_reader *r, struct err *err);	 /* as data_reader_run() */

#endif
