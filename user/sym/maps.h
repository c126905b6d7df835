/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Which process mapped which file where, and when. An address space is a list of epochs (one per exec); an
 * epoch has the live mappings, shared with forked children until one of them maps more, and a
 * history of those that were replaced.
 */
#ifndef SKEP_SYM_MAPS_H
#define SKEP_SYM_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/unwind.h"
#include "sample.h"
#include "util/map.h"
#include "util/vec.h"

struct jitfile;
struct object;
struct perfmap;

#define SPACE_JITS_MAX 4

struct mapping {
	uint64_t start, end, pgoff;
	uint64_t from_ns; /* valid from here on */
	struct object *obj;
	bool is_data, is_shared; /* not executable; writes are seen by others */
};

/* An old mapping and when it was replaced. */
struct old_mapping {
	struct mapping m;
	uint64_t to_ns;
};

struct mapset {
	uint32_t refs, n, cap;
	struct mapping *data; /* sorted, disjoint */
};

struct epoch {
	uint64_t from_ns;
	struct mapset *live; /* NULL: nothing mapped */
	struct old_mapping *old;
	uint32_t nr_old, cap_old;
	struct object *program; /* the first file whose code it mapped is what it runs; NULL: not known */
};

struct space {
	uint32_t pid;
	uint32_t nr_epochs;
	struct epoch *epochs; /* oldest first, at least one */
	struct perfmap *perfmap; /* NULL: not looked for yet */
	struct jitfile *jits[SPACE_JITS_MAX]; /* dumps that it has, or had, mapped: the last ones */
	uint32_t nr_jits;
	bool has_anon;	/* something executable without a file: a perf map, or a dump, may name it */
	bool is_scanned;	/* /proc was read once */
	bool is_looked_at;	/* by jithint_look() */
	bool is_exited;
	uint64_t exited_ns;
	uint64_t version, changed_ns; /* of what is mapped: another number at each change, and when that was */
	bool in_kernel;  /* the kernel's walker has its mappings, under: */
	bool is_stale; /* and is to be reported again */
	uint64_t replaced_ns; /* since when what it has is of other code; 0: it is not */
	uint32_t nr_nowhere; /* walks that led out of them */
	struct unwind_space_key key;
};

/* The end of a process; its number may be another's by now. */
struct exited {
	uint32_t pid;
	uint64_t time_ns;
};

struct maps {
	VEC(struct space *) all;
	struct map by_pid;
	VEC(struct exited) exited; /* oldest first, from the exited_at-th on */
	size_t exited_at;
	size_t exited_max; /* how many of them keep their mappings at most */
	uint64_t exited_ns; /* and for how long after their end; 0: without a limit */
	struct space *last; /* the last one that was looked up */
};

/* exited_max 0: a default that is enough for the look-ups at the end of a run. */
void maps_init(struct maps *maps, uint32_t exited_max, uint64_t exited_ns);
void maps_free(struct maps *maps);

struct space *maps_find(struct maps *maps, uint32_t pid);

/* Finds or makes the space of pid. NULL: no memory. */
struct space *maps_get(struct maps *maps, uint32_t pid);

/* All return 0 or -ENOMEM. */
int maps_mmap(struct space *space, const struct mapping *m);
int maps_exec(struct space *space, uint64_t time_ns);
int maps_fork(struct maps *maps, uint32_t ppid, uint32_t pid, uint64_t time_ns);

/* The process has ended. Of the ended ones the oldest are dropped, to free their spaces. 0 or -ENOMEM. */
int maps_exit(struct maps *maps, struct space *space, uint64_t time_ns);

/* Calls each() for all mappings that are, or were, of a process that is known. */
void maps_each(const struct maps *maps, void (*each)(const struct mapping *m));

/* A file whose code it maps: the first one after an exec is the program. is_program: it is in any case. */
void maps_code(struct space *space, struct object *obj, bool is_program);

/* What it ran at that time; NULL: not known. */
struct object *maps_program(const struct space *space, uint64_t time_ns);

/* What was mapped at ip at that time, or NULL. The pointer lives until the space changes. */
const struct mapping *maps_lookup(const struct space *space, uint64_t time_ns, uint64_t ip);

#endif
