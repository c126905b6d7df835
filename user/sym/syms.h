/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The inside of struct syms: for the resolver (resolve.c) and the guide of the kernel's walker (guide.c) only. */
#ifndef SKEP_SYM_SYMS_H
#define SKEP_SYM_SYMS_H

#include "sym/kernel.h"
#include "sym/maps.h"
#include "sym/object.h"
#include "sym/origin.h"
#include "sym/perfmap.h"
#include "sym/sym.h"
#include "util/strpool.h"
#include "util/vec.h"

struct guide;

/* Frames of one (object, address): frames[first .. first + n). */
struct answer {
	const struct object *obj; /* NULL: free slot */
	uint64_t vaddr;
	uint32_t first, n;
};

/* An object that is mapped but was not opened yet, and by whom. */
struct pending {
	struct object *obj;
	uint64_t start, end;
	uint32_t pid;
};

struct syms {
	struct syms_cfg cfg;
	struct strpool *pool;
	struct maps maps;
	struct objects objects;
	struct kernel kernel;
	struct origin origin;
	struct answer *cache;
	uint32_t cache_slots, cache_used;
	VEC(struct frame) frames;
	VEC(struct pending) pending;
	VEC(uint32_t) jits; /* processes that may have a perf map */
	struct perfmap_limits perfmap_limits;
	const char *name_unknown, *obj_unknown, *vsyscall;
	struct syms_stats stats;
	struct guide *guide; /* NULL: nobody unwinds */
};

/* The space of pid; an unknown process is read from /proc once, while it lives. NULL: no memory. */
struct space *syms_space(struct syms *syms, uint32_t pid);

/* Mappings of a space change, or are gone: the kernel's walker gets an update. m: the one to add; NULL: none. */
void guide_note(struct syms *syms, struct space *space, const struct mapping *m);
void guide_free(struct guide *guide); /* NULL is nothing */

#endif
