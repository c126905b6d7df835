/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How far the clock of our time namespace is from the kernel's (time_namespaces(7), 5.6). */
#include "util/clock.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int64_t clock_shift_ns;

/* The file is of the namespace that our children get. Before 6.3 it may not be ours: unshare(2) without a fork. */
static bool is_own(void)
{
	char own[64], next[64];
	ssize_t n = readlink("/proc/self/ns/time", own, sizeof(own));

	return n > 0 && readlink("/proc/self/ns/time_for_children", next, sizeof(next)) == n && !memcmp(own, next, n);
}

void clock_init(void)
{
	long long s, ns;
	char name[16];
	FILE *f = is_own() ? fopen("/proc/self/timens_offsets", "re") : NULL;

	while (f && fscanf(f, "%15s %lld %lld", name, &s, &ns) == 3)
		if (!strcmp(name, "monotonic"))
			clock_shift_ns = s * 1000000000ll + ns;
	if (f)
		fclose(f);
}
