/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A regular file that has no name until it is worth one, so that nothing is left behind by an error
 * or a signal. File systems without O_TMPFILE get a temporary name beside the final one; signals
 * that end the program then wait until newfile_place or newfile_drop, and only SIGKILL leaves it.
 * The file belongs to the invoking user.
 */
#ifndef SKEP_UTIL_NEWFILE_H
#define SKEP_UTIL_NEWFILE_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "util/err.h"

#define NEWFILE_OLD ".old"

struct newfile {
	int fd;	    /* the caller's to close, after place or drop */
	char *temp; /* its temporary name, NULL when it has none */
	bool held;  /* signals wait */
	sigset_t old_mask;
};

/* In the directory of path; flags: O_WRONLY or O_RDWR. Returns the descriptor or -errno. */
int newfile_open(struct newfile *n, const char *path, int flags, mode_t mode);

/*
 * Names it, replacing a former file (not what a link points to), which keep_old renames to PATH.old first, as perf does, unless it is
 * empty. On failure, 0 or -errno, the new file is dropped and the former one is back where it was.
 */
int newfile_place(struct newfile *n, const char *path, bool keep_old);

/*
 * Is what was written to fd still at path? 0, also for what is no regular file; -ENOENT: it was deleted meanwhile; -ESTALE: it was moved
 * or replaced; with err filled.
 */
int newfile_check(int fd, const char *path, struct err *err);

/* Gives it up. Nothing after newfile_place. */
void newfile_drop(struct newfile *n);

#endif
