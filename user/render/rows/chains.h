/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Call chains below a row, as perf report -g prints them. */
#ifndef SKEP_RENDER_ROWS_CHAINS_H
#define SKEP_RENDER_ROWS_CHAINS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "model/tree.h"

enum chains_mode { CHAINS_GRAPH, CHAINS_FRACTAL, CHAINS_FLAT, CHAINS_FOLDED, CHAINS_NONE };
enum chains_value { CHAINS_SHARE, CHAINS_PERIOD, CHAINS_COUNT };

#define CHAINS_PERCENT 0.5 /* perf's default of min_percent */

struct chains_cfg {
	enum chains_mode mode;
	enum chains_value value;
	double min_percent;   /* branches below are left out; fractal: of the branch above, else of all */
	uint64_t limit;	      /* branches of a fork, at most; 0: all */
	bool skip_first;      /* the first frame is the row's own symbol */
	const char *separator; /* of folded chains; NULL: ";" */
};

/* whole: the weight of all samples; row: of these chains. 0 or -ENOMEM. */
int render_chains(FILE *out, const struct tree *tree, uint64_t whole, uint64_t row, const struct chains_cfg *cfg);

#endif
