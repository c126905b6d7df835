/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a file may have libdw do. libdw unpacks compressed sections whole when it opens a file, and opens other files that
 * this one names: whoever wrote it chooses how much memory that takes, and whether the open ever returns (a FIFO).
 */
#ifndef SKEP_ELF_DWARFFILE_H
#define SKEP_ELF_DWARFFILE_H

#include <stdbool.h>
#include <stdint.h>

/* Of a run, at first all zero. */
struct dwarffile_limits {
	uint64_t bytes;	     /* of debug information, unpacked, in all files so far */
	uint32_t nr_refused; /* files that would have been too much */
};

/* 0: libdw may open fd, and what it shares with others (.gnu_debugaltlink). -EFBIG: too much, or that is no plain file; -errno. */
int dwarffile_check(int fd, struct dwarffile_limits *limits);

/*
 * May libdw open this file, named by one in the directory dir ("": not known) that was compiled in the directory comp_dir (or NULL)? By
 * its path: what is put there before libdw opens it is not looked at.
 */
bool dwarffile_may_open(const char *dir, const char *comp_dir, const char *name, struct dwarffile_limits *limits);

/* The directory of an open file, malloc'ed; "" when it is not known; NULL: no memory. */
char *dwarffile_dir(int fd);

#endif
