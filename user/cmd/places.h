/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What some keys of a report need beside names: how large functions and mappings are, what data addresses are in, and namespaces. A sink before whoever shows what it
 * delivers: named samples come in, the same with these go out.
 */
#ifndef SKEP_CMD_PLACES_H
#define SKEP_CMD_PLACES_H

#include "data/data.h"
#include "sym/names.h"

struct places;

struct places_cfg {
	bool extents;	/* struct named's extents */
	bool data;	/* its data: the samples' symbols are made with syms_cfg.data */
	bool data_line; /* with that, the line */
	bool code;	/* its code */
	bool cgroup_ns; /* and its cgroup_ns: the records come by places_watch() */
};

/* NULL: no memory. */
struct places *places_new(const struct places_cfg *cfg);

/* Puts it before names->to. */
void places_insert(struct places *p, struct names *names);
void places_free(struct places *p); /* NULL is nothing */

/* For data_reader_watch(). 0 or -ENOMEM. */
int places_watch(struct places *p, const struct data_record *rec);

#endif
