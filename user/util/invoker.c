/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who called sudo: the environment to numbers. */
#include "util/invoker.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/num.h"

int invoker_get(struct invoker *ret_invoker)
{
	const char *uid_text = getenv("SUDO_UID"), *gid_text = getenv("SUDO_GID");
	uint64_t uid, gid;

	if (geteuid() || (!uid_text && !gid_text))
		return -ENOENT;
	/* The largest number means "leave it" to chown(2) and setresuid(2). */
	if (!uid_text || !gid_text || num_u64(uid_text, UINT32_MAX - 1, &uid) || num_u64(gid_text, UINT32_MAX - 1, &gid))
		return -EINVAL;
	if (!uid)
		return -ENOENT;
	*ret_invoker = (struct invoker){ uid, gid, getenv("SUDO_USER") };
	return 0;
}

bool invoker_trusts(uid_t uid)
{
	struct invoker who;

	return !uid || uid == geteuid() || (!invoker_get(&who) && uid == who.uid);
}

void invoker_own(int fd)
{
	struct invoker who;

	if (!invoker_get(&who) && fchown(fd, who.uid, who.gid))
		return;
}
