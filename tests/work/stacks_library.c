/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What stacks.c loads while it runs. */
#define NOINLINE __attribute__((noinline, noclone, noipa))

void way_library(void (*burn)(void));

static volatile int done;

NOINLINE static void inner(void (*burn)(void))
{
	burn();
	done++;
}

NOINLINE void way_library(void (*burn)(void))
{
	inner(burn);
	done++;
}
