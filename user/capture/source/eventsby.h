/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tracepoints summed by a key in bpf/eventsby.bpf.c. */
#ifndef SKEP_CAPTURE_SOURCE_EVENTSBY_H
#define SKEP_CAPTURE_SOURCE_EVENTSBY_H

#include "capture/source.h"
#include "event/keys.h"
#include "row.h"

struct eventsby_cfg {
	const struct schema *schema; /* capture/byrows.h */
	const struct keys *keys;
	const struct traced_list *traced; /* of keys_resolve() */
	uint32_t rows_max;		  /* 0: BY_ROWS_DEFAULT */
};

/* Delivers rows with sums since the run began. cfg outlives it. NULL without memory. */
struct source *src_eventsby_new(const struct eventsby_cfg *cfg);

#endif
