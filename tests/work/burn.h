/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is at the end of the stacks of stacks.c and strange.c. */
#ifndef SKEP_BURN_H
#define SKEP_BURN_H

#include "work.h"

static double slice;
static volatile int sink_of_work;

NOINLINE void burn(void)
{
	double end = cpu_s() + slice;

	do
		SPIN(20000);
	while (cpu_s() < end);
}

#endif
