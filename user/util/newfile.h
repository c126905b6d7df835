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

struct newfile {
	int fd;	    /* the caller's to close, after place or drop */
	char *temp; /* its temporary name, NULL when it has none */
	bool held;  /* signals wait */
	sigset_t old_mask;
};

/* In the directory of path; flags: O_WRONLY or O_RDWR. Returns the descriptor or -errno. */
int newfile_open(struct newfile *n, const char *path, int flags, mode_t mode);

/* Names it, replacing a former file (not what a link points to). On failure, 0 or -errno, it is dropped. */
int newfile_place(struct newfile *n, const char *path);

/* Gives it up. Nothing after newfile_place. */
void newfile_drop(struct newfile *n);

#endif
