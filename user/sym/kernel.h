/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Kernel text: /proc/kallsyms, the maps of a recording, and BPF programs that come and go (TASK_KSYM). Read on first use. */
#ifndef SKEP_SYM_KERNEL_H
#define SKEP_SYM_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/symtab.h"
#include "sample.h"
#include "sym/origin.h"
#include "sym/sym.h"
#include "util/strpool.h"
#include "util/vec.h"

#define KERNEL_OBJ "[kernel.kallsyms]"

struct ksym {
	uint64_t addr, len, from_ns, to_ns;
	const char *name; /* interned */
};

#define KERNEL_STRETCH_BITS 9	  /* of core text; about two functions begin in one */
#define KERNEL_STRETCH_SLOTS 8192u /* a busy machine shows some thousand functions */

/* A function of core text, which never changes its name, as seen from a stretch that it is in. */
struct kernel_answer {
	uint64_t start, end;
	const char *name; /* interned */
	uint32_t next;	  /* the one before it in the slot's list + 1; 0: none */
};

/* A part of the recorded kernel's text, and its owner. */
struct kernel_map {
	uint64_t start, end;
	const char *obj;   /* "[ext4]"; interned */
	const char *shown; /* the same, or the path; interned */
};

struct kernel {
	const struct syms_cfg *cfg;
	struct strpool *pool;
	const char *core, *bpf; /* the names of these objects; interned */
	struct symtab tab; /* a name is followed by its module's, empty for the core */
	VEC(struct ksym) ksyms; /* by addr, then from_ns */
	uint64_t text, etext; /* of the running kernel; 0: not known */
	struct origin *origin; /* of the recording */
	VEC(struct kernel_map) modules; /* of a recording, by start */
	uint64_t map_start, map_end; /* of its core; 0, 0: not known */
	uint64_t recorded_text; /* of the recorded one (KASLR moves it); 0: not known */
	uint64_t read_ms, wait_ms; /* when (CLOCK_MONOTONIC), and how long until a miss may read again */
	int kptr_restrict; /* when is_hidden; -1: not known */
	bool is_read, is_hidden;
	VEC(struct kernel_answer) answers;
	uint32_t stretches[KERNEL_STRETCH_SLOTS]; /* by address in the running kernel: the last of its answers + 1; 0: none */
};

/* 0 or -ENOMEM. */
int kernel_init(struct kernel *k, const struct syms_cfg *cfg, struct strpool *pool);
void kernel_free(struct kernel *k);

/* TASK_KSYM, or TASK_MMAP and TASK_BUILD_ID with kernel set. 0 or -ENOMEM. */
int kernel_task(struct kernel *k, const struct task_event *t);

/*
 * Name, module (KERNEL_OBJ or "[module]"; interned), start and end (may be NULL) of addr. False: no symbol; obj, which is set in any case, is NULL when a
 * recording does not show whose the address is.
 */
bool kernel_find(struct kernel *k, uint64_t time_ns, uint64_t addr, const char **ret_name, const char **ret_obj,
		 uint64_t *ret_start, uint64_t *ret_end);

/* How large the mapping at addr is that a recording has of its kernel or of a module; 0: it has none. */
uint64_t kernel_map_bytes(const struct kernel *k, uint64_t addr);

/* From an address of the recorded kernel to one of the running kernel. */
uint64_t kernel_slide(const struct kernel *k);

#endif
