/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From the maps `stacks` and `counts` (bpf/sample.h) to samples. */
#ifndef SKEP_CAPTURE_SOURCE_SUMS_H
#define SKEP_CAPTURE_SOURCE_SUMS_H

#include "bpf/sample.h"
#include "sample.h"

struct bpf_map;

/*
 * Calls each() for every entry of counts, with frames, count, weight and time set and who left to be filled from the
 * key. The programs must be at rest. Returns 0, -errno, or what each() returned if that is not 0.
 */
int sums_read(struct bpf_map *stacks, struct bpf_map *counts,
	      int (*each)(void *arg, struct sample *s, struct sample_key *key), void *arg);

#endif
