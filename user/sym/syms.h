/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The inside of struct syms: for the files of this folder only. */
#ifndef SKEP_SYM_SYMS_H
#define SKEP_SYM_SYMS_H

#include "sym/kernel.h"
#include "sym/looks.h"
#include "sym/maps.h"
#include "sym/object.h"
#include "sym/origin.h"
#include "sym/perfmap.h"
#include "sym/sym.h"
#include "util/strpool.h"
#include "util/vec.h"

struct guide;

/* Frames of a function, or with source lines of an address: frames[first .. first + n). */
struct answer {
	const struct object *obj; /* NULL: free slot */
	uint64_t vaddr;		  /* where the function starts, or the address */
	uint32_t first, n;
};

/* An object that is mapped but was not opened yet, and by whom. */
struct pending {
	struct object *obj;
	uint64_t start, end;
	uint32_t pid;
};

#define VDSO32_END (1ull << 32) /* the vDSO below it is that of 32-bit processes, which is not skep's own */

#define RECENT_STACKS 64u
#define RECENT_FRAMES_MAX 128u

/* The last user stack of a process. Addresses and frames stand at the end of the arrays, the outermost last. */
struct recent_stack {
	uint64_t version; /* of the space; 0: empty */
	uint32_t n;
	uint64_t ips[RECENT_FRAMES_MAX];
	struct frame frames[RECENT_FRAMES_MAX];
};

struct syms {
	struct syms_cfg cfg;
	struct strpool *pool;
	struct maps maps;
	struct objects objects;
	struct kernel kernel;
	struct origin origin;
	bool by_address; /* lines or inlined frames are wanted: what an address has is not what its function has */
	struct answer *cache;
	uint32_t cache_slots, cache_used;
	VEC(struct frame) frames;
	VEC(struct pending) pending;
	VEC(uint32_t) jits; /* processes that may have a perf map, or a dump */
	VEC(struct jitfile *) jitfiles; /* dumps that processes have mapped */
	struct perfmap_limits perfmap_limits;
	const char *name_unknown, *obj_unknown, *vsyscall;
	struct syms_stats stats;
	uint64_t trimmed_ns; /* when symbols of files without a mapping were last freed */
	uint64_t versions; /* the last that was given to a space */
	struct recent_stack *recent; /* RECENT_STACKS by pid; NULL: not needed yet */
	struct guide *guide; /* NULL: nobody unwinds */
};

/* The space of pid; an unknown process is read from /proc once, while it lives. NULL: no memory. */
struct space *syms_space(struct syms *syms, uint32_t pid);

/* What is mapped at addr, its object opened and read if that works; NULL: nothing. ret_space: of the process, or NULL. */
const struct mapping *syms_mapping(struct syms *syms, uint32_t pid, uint64_t time_ns, uint64_t addr, struct space **ret_space);

/* A symbol's name as people write it; interned. */
const char *syms_readable(struct syms *syms, const char *raw);

/* Names that were found are looked up anew. */
void syms_forget_answers(struct syms *syms);

/* Mappings of a space change, or are gone: the kernel's walker gets an update. m: the one to add; NULL: none. */
void guide_note(struct syms *syms, struct space *space, const struct mapping *m);
void guide_free(struct guide *guide); /* NULL is nothing */

#endif
