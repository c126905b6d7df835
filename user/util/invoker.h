/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The user behind sudo(8), who owns what we write and is who COMMAND runs as. Read from SUDO_UID,
 * SUDO_GID and SUDO_USER, which only count when we are root.
 */
#ifndef SKEP_UTIL_INVOKER_H
#define SKEP_UTIL_INVOKER_H

#include <stdbool.h>
#include <sys/types.h>

struct invoker {
	uid_t uid;
	gid_t gid;
	const char *user; /* for initgroups(3), in the environment; NULL: not known */
};

/* 0; -ENOENT: we were not called through sudo, or by root; -EINVAL: the numbers are none. */
int invoker_get(struct invoker *ret_invoker);

/* May a file of this user be written, or be given what we write? It is ours, root's or theirs. */
bool invoker_trusts(uid_t uid);

/* Gives them an open file. A failure leaves it ours: it is whole either way. */
void invoker_own(int fd);

#endif
