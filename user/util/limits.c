/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* setrlimit(2) there and back. */
#include "util/limits.h"

#include <sys/resource.h>

static struct rlimit old_files, old_locked;

void limits_init(void)
{
	getrlimit(RLIMIT_NOFILE, &old_files);
	getrlimit(RLIMIT_MEMLOCK, &old_locked);
}

void limits_raise(void)
{
	struct rlimit r = { old_files.rlim_max, old_files.rlim_max };

	setrlimit(RLIMIT_NOFILE, &r);
}

void limits_restore(void)
{
	setrlimit(RLIMIT_NOFILE, &old_files);
	setrlimit(RLIMIT_MEMLOCK, &old_locked);
}
