/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Why there is no sample, in the user's terms. */
#ifndef SKEP_CMD_NOTHING_H
#define SKEP_CMD_NOTHING_H

#include "profile.h"
#include "util/err.h"

/*
 * For a profile that kept nothing; input: the file it is from, NULL for a live run, whose COMMAND ended with status: one that failed
 * gives skep its exit code. Returns -ENODATA, err filled.
 */
int nothing_sampled(const struct profile *p, const char *input, int status, struct err *err);

/* Says the same of a recording, which is complete without samples, too: as of perf record. */
void nothing_recorded(const struct profile *p);

/* For a file of which options left out all `out` samples: not 0. Returns -ENODATA, err filled. */
int nothing_chosen(uint64_t out, const char *input, struct err *err);

#endif
