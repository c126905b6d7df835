/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* perf's --time: spans of a file's time. */
#ifndef SKEP_CMD_PICKTIME_H
#define SKEP_CMD_PICKTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"
#include "util/vec.h"

struct picktime_span {
	uint64_t start_ns, stop_ns; /* both belong to it; stop_ns UINT64_MAX: there is no end */
	double start_pct, stop_pct; /* of parts */
};

/* Zeroed it has every time. */
struct picktime {
	const char *text;
	bool is_parts;
	VEC(struct picktime_span) spans;
};

/* "1.5,2" "1.5," "1.5,0" (as perf: no end, too) ",2" "1,2 3,4" "10%" "10%/2" "10%-20%" "10%/1,20%-30%". 0, or -errno with err filled; text must outlive it. */
int picktime_parse(struct picktime *t, const char *text, struct err *err);

/* Parts get their times. 0, or -EINVAL with err filled: the file does not say its time. */
int picktime_begin(struct picktime *t, uint64_t first_ns, uint64_t last_ns, struct err *err);

bool picktime_has(const struct picktime *t, uint64_t time_ns);
void picktime_free(struct picktime *t);

#endif
