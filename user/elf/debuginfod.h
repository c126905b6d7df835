/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Debug files from the servers that DEBUGINFOD_URLS names, by libdebuginfod (of elfutils, in Debian, the client of gdb and perf, whose
 * cache it shares). A child opens it: what comes from the network is read there, without capabilities, and who measures never waits for
 * a server that does not answer. Only the main thread calls these.
 */
#ifndef SKEP_ELF_DEBUGINFOD_H
#define SKEP_ELF_DEBUGINFOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Called once, after a second of waiting, if it is set; by the program's beginning. has_run: Ctrl-C ends the wait, and not the program. */
extern void (*debuginfod_on_wait)(bool has_run);

/* Has the user set DEBUGINFOD_URLS? */
bool debuginfod_is_on(void);

/*
 * The path of the debug file of a build id (size bytes), which stays valid, in ret_path: 0. -EAGAIN: it was requested, and is on its way;
 * -ENOENT: no server has it, or none may be asked. may_wait: until it is there, but no longer than DEBUGINFOD_WAIT_S while no byte
 * arrives, once in a run, and until Ctrl-C.
 */
int debuginfod_find(const uint8_t *id, int size, bool may_wait, const char **ret_path);
#define DEBUGINFOD_WAIT_S 10

/*
 * Where the client keeps the file of a build id in hex: the i-th place of those that it may use (debuginfod_find_debuginfo(3)). 0; -ENAMETOOLONG:
 * not there, but the next may be; -ENOENT: there are no more.
 */
int debuginfod_cached(unsigned int i, const char *hex, char *ret_path, size_t size);

/* What debuginfod_find() gave is no debug file of that build id. */
void debuginfod_refuse(const char *path);

/* How many files have arrived since the last call. */
uint32_t debuginfod_news(void);

/* What was requested and did not arrive, in files. */
struct debuginfod_stats {
	uint32_t late;	  /* are on their way */
	uint32_t left;	  /* were too many to be requested */
	uint32_t failed;  /* no server could be reached for, because of: */
	int failed_errno; /* of the last */
	const char *refused; /* the path of one that arrived and is no debug file of its build id; NULL: none */
	const char *why;  /* nothing can be requested; NULL: it can */
};
void debuginfod_stats(struct debuginfod_stats *ret_stats);

/* The child's program: skep, called by this name. Returns its exit code, when its standard input ends. */
#define DEBUGINFOD_CHILD "skep-debuginfod"
int debuginfod_child(void);

#endif
