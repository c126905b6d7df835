/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Writes an x from two functions deep, twice, half a second apart, and ends with 3: without frame pointers. */
#include <unistd.h>

#include "work.h"

static NOINLINE void inner(void)
{
	if (write(1, "x", 1) != 1)
		_exit(1);
	__asm__ volatile("");
}

static NOINLINE void outer(void)
{
	inner();
	__asm__ volatile("");
}

int main(void)
{
	outer();
	usleep(500000);
	outer();
	_exit(3);
}
