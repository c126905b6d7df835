/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Burns CPU in the C library's assembly: strings and blocks of all lengths. usage: strings SECONDS */
#include <string.h>

#include "work.h"

#define BYTES 20000

static char from[BYTES + 1], to[BYTES + 1];
static volatile size_t sink_of_work;

NOINLINE static void handle(size_t n)
{
	memset(to, 'x', n);
	to[n] = 0;
	memcpy(from, to, n + 1);
	memmove(to + n / 2, to, n / 2);
	sink_of_work += strlen(from) + (size_t)memcmp(from, to, n) + (size_t)strcmp(from, to) + (memchr(from, 'y', n) != NULL) +
			(strchr(from, 'y') != NULL) + (strrchr(from, 'y') != NULL) + (size_t)strncmp(from, to, n / 2) +
			(strstr(to, "xxy") != NULL) + strspn(from, "x");
}

int main(int argc, char **argv)
{
	double end = cpu_s() + (argc > 1 ? atof(argv[1]) : 1);
	unsigned long state = 1;

	while (cpu_s() < end) {
		for (int i = 0; i < 200; i++)
			handle((size_t)(uniform(&state) * 300));
		handle((size_t)(uniform(&state) * BYTES));
	}
	return 0;
}
