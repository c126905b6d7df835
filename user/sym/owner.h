/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who a process is, for files that it wrote about itself: any user can put one where we look. */
#ifndef SKEP_SYM_OWNER_H
#define SKEP_SYM_OWNER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* The effective user of a process, and the number that it knows itself by. Those of a process that is gone are left as they are. */
void owner_read(const char *proc_root, uint32_t pid, uint32_t *ret_nspid, uid_t *ret_owner);

/* A plain file that owner (or root) wrote, and not one that another user planted? */
bool owner_wrote(uid_t owner, const struct stat *st);

#endif
