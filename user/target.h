/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* SELECT, who: the one set of target options of every command. */
#ifndef SKEP_TARGET_H
#define SKEP_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"
#include "util/opt.h"
#include "util/vec.h"

struct target {
	bool all; /* -a */
	bool no_children; /* those made from now on are left out */
	VEC(uint32_t) pids, tids, cpus, uids; /* empty: not requested */
	VEC(const char *) comms, cgroups;     /* cgroups: directory of cgroup v2 */
	bool waits_for_children; /* the end of COMMAND, or of pids, is not that of the run, as long as one of their children is there */
	char **argv; /* COMMAND with its arguments, NULL if none */
	uint8_t mutes;	 /* 1 << descriptor: of COMMAND's standard streams those that are /dev/null, as a screen has the terminal */
	const char *as; /* the user that COMMAND runs as, in argv; NULL: who called sudo, else who called us */
};

/* target_task_opts: without -C and --cpu. */
extern const struct opt target_opts[], target_task_opts[];
extern const struct opt_rule target_rules[];

/* The value of -C. 0, or -errno with err filled. */
int target_add_cpus(struct target *t, const char *text, struct err *err);

/*
 * Checks that every member exists and that there is a target. With nothing but COMMAND, COMMAND
 * is the target; with anything else COMMAND only sets how long the run takes. Exit 2 for contradictions, 1 for what
 * does not exist (any more).
 */
int target_check(struct target *t, struct err *err);
void target_free(struct target *t);

/* The process of a thread, 0 when it is gone. */
uint32_t target_process(uint32_t tid);

/* True if COMMAND itself is what is measured. */
bool target_is_command(const struct target *t);
bool target_is_whole(const struct target *t); /* all tasks of the machine, without a filter */
bool target_is_given(const struct target *t); /* is anything named, COMMAND or another? */

/* The mount point of cgroup v2. 0, or -errno when there is none that fits. */
int target_cgroup_mount(char *buf, size_t size);

/* The path of a cgroup v2 below its mount point by its id (its inode number), NULL for one that is not there. Lives until target_cgroups_forget(), or until 4096 more groups were made. arg: none. */
const char *target_cgroup_path(void *arg, uint64_t id);

/* Those that were made since the first call are not known: the next call looks again. Paths are gone. */
void target_cgroups_forget(void);

/* One was made, with this path below the top, which is copied: of the last 4096 it is known also when they are gone. Without memory it is not. */
void target_cgroup_made(uint64_t id, const char *path);

/* Does PERF_RECORD_CGROUP report those of version 2? Not where perf_event has a hierarchy of version 1 (cgroups(7), /proc/cgroups). */
bool target_cgroups_are_reported(void);

#endif
