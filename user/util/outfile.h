/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An output file that appears only when it is whole: written beside its place, renamed at the end.
 * Devices, pipes and "-" (standard output) are written directly. Under sudo the file belongs to the
 * invoking user.
 */
#ifndef SKEP_UTIL_OUTFILE_H
#define SKEP_UTIL_OUTFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "util/err.h"

struct outfile {
	FILE *stream;
	const char *path; /* borrowed */
	char *temp;	  /* NULL when written directly */
};

int outfile_open(struct outfile *o, const char *path, struct err *err); /* 0 or -errno; nothing is left on failure */

/* Flushes and puts it in place. A write error of any earlier moment is reported here. Returns bytes or -errno. */
int64_t outfile_commit(struct outfile *o, struct err *err);

/* Gives it up: nothing is left. Safe after commit. */
void outfile_abort(struct outfile *o);

#endif
