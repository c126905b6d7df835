/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SHOW: sums by key as a table, CSV or JSON. */
#ifndef SKEP_RENDER_HISTS_H
#define SKEP_RENDER_HISTS_H

#include <stdbool.h>
#include <stdio.h>

#include "model/hists.h"

struct hists_cfg {
	uint32_t by;	       /* enum by_bit: the columns */
	bool latency;	       /* errors and times too */
	bool json;
	const char *separator; /* CSV; NULL: none */
	uint64_t top;	       /* so many rows; 0: all */
	const char *(*cgroup_path)(void *arg, uint64_t id); /* NULL for one that is gone */
	void *arg;
};

/* Sorted rows. Times are ns in CSV and JSON. 0 or -EIO. */
int render_hists(FILE *out, const struct hists *h, const struct hists_cfg *cfg);

#endif
