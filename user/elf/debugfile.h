/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where the debug information of a stripped file is: by build id, by .gnu_debuglink, or on a server. */
#ifndef SKEP_ELF_DEBUGFILE_H
#define SKEP_ELF_DEBUGFILE_H

#include <stddef.h>

#include "elf/elf.h"

/* An fd of a regular file (O_CLOEXEC, not inherited, never blocks), or -errno. */
int regular_open(const char *path);

/*
 * What the searches of one run have cost. Whoever writes a program chooses the file that its .gnu_debuglink names, and
 * with its size the time that its checksum takes.
 */
struct debugfile_limits {
	uint64_t checked_bytes; /* checksummed so far */
	uint32_t nr_unchecked;	/* files that were too large for a checksum, or came after too many others */
};

/* Of the servers of DEBUGINFOD_URLS, if that is set, files */
enum debugfile_servers {
	SERVERS_NOT, /* are not requested; */
	SERVERS_ASK, /* are, */
	SERVERS_WAIT, /* and waited for, as debuginfod_find() does */
};

/*
 * Finds the separate debug file of elf, which was mapped as path, also in the caches of the user who runs skep. roots: prefixes to try in turn,
 * "" for this host's root, n of them. Returns an fd that the caller closes, or -ENOENT; -EAGAIN: a
 * server is being asked. A file found by name is taken only if its build id or its CRC agrees. limits: of the run, at first all zero.
 */
int debugfile_open(const struct elf_file *elf, const char *path, const char *debug_dir, const char *const *roots,
		   size_t n, enum debugfile_servers servers, struct debugfile_limits *limits);

#endif
