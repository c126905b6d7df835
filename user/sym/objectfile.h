/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where the file of an object is, and its debug file: through a process that has it mapped, at its path, or in caches. */
#ifndef SKEP_SYM_OBJECTFILE_H
#define SKEP_SYM_OBJECTFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "elf/elf.h"
#include "sym/object.h"

/* Length of a path of /proc/PID/maps without " (deleted)". */
size_t objectfile_path_bytes(const char *path);

/*
 * An fd of the file that was mapped at start..end by pid, 0: by no process that is known, and not of another one that took its name. Less than
 * 0: not to be had.
 */
int objectfile_open(const struct objects *objects, const struct object *obj, uint32_t pid, uint64_t start, uint64_t end);

/* Our own vDSO, which is that of every process of this kernel and word size. 0 or -errno. */
int objectfile_vdso(struct elf_file *ret_elf);

/* May its debug file be waited for now? In a live run only when the measuring is over. */
bool objectfile_may_wait(const struct objects *objects);

/* Opens the separate debug file of elf, which is obj's: its fd, which stays the caller's, or -errno as of debugfile_open(). */
int objectfile_debug(struct objects *objects, const struct object *obj, const struct elf_file *elf, uint32_t pid, struct elf_file *ret_debug);

#endif
