/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SHOW: sums of system calls as strace -c writes them. */
#ifndef SKEP_RENDER_EVENTS_CALLSUMS_H
#define SKEP_RENDER_EVENTS_CALLSUMS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct callsum {
	const char *name;
	uint64_t calls, errors, total_ns;
};

/* Rows in their order, and their sum. Errors stay in the stream (ferror). */
void callsums_print(FILE *out, const struct callsum *sums, size_t n);

#endif
