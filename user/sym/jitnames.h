/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of a JIT's code from the dump that it writes, jit-PID.dump. It maps that file, so that who records mappings has its path; the code itself
 * runs in memory without a file. Dumps belong to struct syms, one for each file however many processes have it mapped.
 */
#ifndef SKEP_SYM_JITNAMES_H
#define SKEP_SYM_JITNAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "frame.h"

struct object;
struct space;
struct syms;

/* Is it the path of a dump? */
bool jitnames_is_dump(const char *path);

/* The space has mapped obj, whose path is that of a dump. 0 or -ENOMEM. */
int jitnames_note(struct syms *syms, struct space *space, const struct object *obj);

/* Reads what is new in the space's dumps, while its process lives. Since when code has taken the place of other code; 0: none has. */
uint64_t jitnames_pin(struct syms *syms, struct space *space);

/* Names the code at `at`; ip is shown. False: no dump has it. */
bool jitnames_find(struct syms *syms, struct space *space, uint64_t time_ns, uint64_t at, uint64_t ip, struct frame *ret_frame);

/* The time that a dump is asked for: of a recording that has another clock, the end, so that the last code wins. */
uint64_t jitnames_time(const struct syms *syms, uint64_t time_ns);

/* Does an address of the space have different names at different times? */
bool jitnames_by_time(struct syms *syms, struct space *space);

/* Frees dumps that no process has mapped: after objects got is_mapped. One that is mapped again is read anew. */
void jitnames_trim(struct syms *syms);
void jitnames_free(struct syms *syms);

#endif
