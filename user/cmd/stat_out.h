/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where skep stat writes: standard error, standard output ("-"), or a file. */
#ifndef SKEP_CMD_STAT_OUT_H
#define SKEP_CMD_STAT_OUT_H

#include <stdbool.h>
#include <stdio.h>

#include "util/outfile.h"

struct stat_out {
	FILE *stream;
	struct outfile whole; /* a file that appears when all is written */
	bool is_whole;
	bool is_old;	      /* its content goes with the first write */
	const char *path;     /* of a live file, borrowed; else NULL */
	int failed;	      /* -errno of a write before the close, which reports it; 0: none */
};

/*
 * Before the run: an unwritable file fails before the measurement, and a failed run keeps the former file. live: the
 * file is followed while it grows, or is added to. 0 or -errno.
 */
int stat_out_open(struct stat_out *o, const char *path, bool append, bool live, struct err *err);

/* A file that was open when skep was started. 0, or -EBADF with err filled. */
int stat_out_open_fd(struct stat_out *o, int fd, struct err *err);

/* "# started on DATE", as perf stat sets apart what it adds to a file. */
void stat_out_started(struct stat_out *o);

/* Before each write of a live file. */
void stat_out_fresh(struct stat_out *o);

/* ret: how the run ended; a failed one leaves the former file. Returns ret, or -errno of a failed write. */
int stat_out_close(struct stat_out *o, int ret, struct err *err);

#endif
