/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep probe --add, --del, --list, --definition: probes that stay in tracefs, as perf probe makes them (event/lasting.h). */
#ifndef SKEP_CMD_PROBE_ADD_H
#define SKEP_CMD_PROBE_ADD_H

#include <stdbool.h>
#include <stddef.h>

#include "util/err.h"

struct probe_add_cfg {
	const char *const *specs; /* of --add, in perf's spelling; or patterns of --del */
	size_t nr_specs;
	const char *path; /* of -x; NULL: the kernel */
	bool force;	  /* take a name that is there with a number after it */
	bool dry_run;	  /* change nothing */
	bool only_print;  /* --definition: what would be written, on standard output */
};

/* Adds all, or none. What was added goes to standard error. 0 or -errno with err filled. */
int probe_add(const struct probe_add_cfg *cfg, struct err *err);

/* Deletes those that match a pattern, [GROUP:]NAME. 0, or -ENOENT: a pattern matches none; or -errno. */
int probe_del(const struct probe_add_cfg *cfg, struct err *err);

/* Prints those that match ([GROUP:]NAME; NULL: all) on standard output. 0 or -errno with err filled. */
int probe_list(const char *pattern, struct err *err);

#endif
