/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * One way to get data out of the kernel. A session opens its sources, arms them, drains them until the end and takes what they
 * have summed; it knows nothing else of them. Each header of capture/source/ has a function that makes one.
 */
#ifndef SKEP_CAPTURE_SOURCE_H
#define SKEP_CAPTURE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "capture/pidns.h"
#include "profile.h"
#include "sample.h"
#include "target.h"
#include "util/err.h"

struct sideband;
struct unwinder;

/* Whom and where: what a session knows when it opens its sources. */
struct place {
	const struct target *target;
	const uint32_t *cpus; /* those of -C, else all that are online */
	uint32_t nr_cpus;
	pid_t command_pid; /* COMMAND, which waits for its exec; 0: none */
	bool command_runs; /* it does not wait any more */
	bool is_late;	   /* COMMAND runs before the sources are started, which cannot leave that to its exec */
	bool has_switches, has_namespaces; /* of the targets are reported */
	bool has_cgroups; /* as of struct session_cfg */
	bool may_pause;	   /* the sources may be paused: they still report what tasks do */
	struct unwinder *unwinder; /* walks user stacks by tables; NULL: by frame pointers */
	struct sideband *sideband; /* what tasks map, of sources with stacks; NULL: none has */
	struct pidns pidns; /* opened only for sources that load BPF programs */
};

struct source {
	bool is_bpf;	  /* needs a kernel and privileges for BPF */
	bool has_stacks;  /* its samples have addresses: the session reports what tasks map, and walks what the kernel could not */
	const char *note; /* why something was picked, once open; NULL: nothing to say */

	/* Loads and attaches; nothing is counted yet. 0, or -errno with err filled. */
	int (*open)(struct source *src, const struct place *place, struct err *err);
	/* Descriptors that become readable when there is something to drain: index from 0 on, until -1. */
	int (*fd)(const struct source *src, uint32_t index);
	void (*start)(struct source *src);
	/* After start: nothing is counted until it is called again. NULL: it cannot. */
	void (*pause)(struct source *src, bool is_paused);
	/*
	 * Between start and stop: samples come at this part of the rate that was asked for, (0, 1]; those that have no rate as before. 0, or
	 * -errno with err filled. NULL: it has none.
	 */
	int (*rate)(struct source *src, double rate, struct err *err);
	/* Of what happens and has no rate only that part may be taken instead (base_take_part()), the rest is lost. NULL: all is. */
	struct base *in_part;
	/* After it nothing is counted and none of its programs runs. */
	void (*stop)(struct source *src);
	/*
	 * Takes what the kernel has written so far, for drain(). Between the two the session reports all mappings up to then, and walks
	 * the stacks that the kernel left to it: no sample overtakes its mapping or its walk. 0 or -errno; may be NULL.
	 */
	int (*collect)(struct source *src);
	/* Delivers what was taken. 0 or -errno. */
	int (*drain)(struct source *src, struct sink *sink);
	/* Delivers the readings of now; between start and stop. 0 or -errno. */
	int (*snapshot)(struct source *src, struct sink *sink);
	/* Delivers once more what it has delivered since forget(), or the start, as far as it was summed. 0 or -errno. NULL: it cannot. */
	int (*again)(struct source *src, struct sink *sink);
	void (*forget)(struct source *src, bool later); /* with it; later: when something new is delivered */
	/* Once, after stop: delivers what was summed in the kernel. 0, or -errno with err filled. NULL: a last snapshot. */
	int (*finish)(struct source *src, struct sink *sink, struct err *err);
	/* Is a process that it watches still there? NULL: not known. */
	bool (*has_targets)(const struct source *src);
	/* Adds to ledger, notes and the kernel's part of the receipt. */
	void (*profile)(const struct source *src, struct profile *profile);
	/* Also after a failed open, or none: detaches and frees all, itself too. */
	void (*close)(struct source *src);
};

#endif
