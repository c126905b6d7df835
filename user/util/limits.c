/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* setrlimit(2), and back. */
#include "util/limits.h"

#include <sys/resource.h>

#define FILES_MANY 262144 /* before 5.18 each probed function is two */

static struct rlimit old_files, old_locked;

void limits_init(void)
{
	getrlimit(RLIMIT_NOFILE, &old_files);
	getrlimit(RLIMIT_MEMLOCK, &old_locked);
}

void limits_raise(void)
{
	struct rlimit most = { old_files.rlim_max, old_files.rlim_max }, more = { FILES_MANY, FILES_MANY };

	if (most.rlim_max >= FILES_MANY || setrlimit(RLIMIT_NOFILE, &more))
		setrlimit(RLIMIT_NOFILE, &most);
}

void limits_restore(void)
{
	setrlimit(RLIMIT_NOFILE, &old_files);
	setrlimit(RLIMIT_MEMLOCK, &old_locked);
}
