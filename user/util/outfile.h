/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * An output file that appears only when it is whole (newfile.h). Devices, pipes and "-" (standard
 * output) are written directly. Its stream keeps the cause of the first failed write, which stdio
 * forgets, and fails every later one.
 */
#ifndef SKEP_UTIL_OUTFILE_H
#define SKEP_UTIL_OUTFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "util/err.h"
#include "util/newfile.h"

/* The descriptor under a stream. */
struct channel {
	int fd;
	int failed; /* -errno of the first failed write */
	bool reported; /* somebody did */
	int64_t bytes, unwritten; /* unwritten: of the write that failed */
};

/* Must not move while it is open. */
struct outfile {
	FILE *stream;
	const char *path; /* borrowed */
	struct newfile file;
	bool unplaced; /* a regular file without its name */
	bool keep_old; /* the caller's, after outfile_open: a former file becomes PATH.old */
	struct channel channel;
};

int outfile_open(struct outfile *o, const char *path, struct err *err); /* 0 or -errno; nothing is left on failure */

/*
 * Opens for writing, in place, what is there: a device or a pipe, or also a file (is_regular), which is not truncated. Root may write
 * in a directory where others may, too: never through a link, into a file with a second name, or into a stranger's. flags: for
 * open(2), O_APPEND or 0. Returns the descriptor or -errno with err filled.
 */
int outfile_open_place(const char *path, int flags, bool is_regular, struct err *err);

/* Puts it in place now, for a file that others may read while it grows; once. 0 or -errno, also of an earlier write. */
int outfile_place(struct outfile *o);

/*
 * Flushes and puts it in place. A write error of any earlier moment is reported here. Returns bytes
 * or -errno; -EPIPE with an empty err: the reader of a pipe had enough, which is no error.
 */
int64_t outfile_commit(struct outfile *o, struct err *err);

/* Gives it up: nothing is left, unless outfile_place() was called. Safe after commit. */
void outfile_abort(struct outfile *o);

/* Puts such a stream in the place of stdout; before anything is printed. */
void outfile_take_stdout(void);

/* Flushes stdout: 0, or the -errno of its first failed write when outfile_commit has not reported it. -ETIMEDOUT: see interrupts_write(). */
int outfile_flush_stdout(void);

/* The cause of a failed write to stdout, for a message. */
const char *outfile_stdout_why(int ret);

/* Is it one of the names of standard output ("-", /dev/stdout...)? */
bool outfile_is_stdout(const char *path);

/* True if both exist and are one file, whatever their names. */
bool same_file(const char *a, const char *b);

#endif
