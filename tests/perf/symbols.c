/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Look-ups per second in a mapped object: first look-up of N addresses, then the same again. usage: symbols FILE */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sym/sym.h"

#define ADDRESSES 20000
#define TEXT_AT 0x10000000ull

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	struct task_event t = { .what = TASK_MMAP, .pid = 1u << 21, .addr = TEXT_AT, .prot = 5, .path = argv[1], .time_ns = 1 };
	struct syms_cfg cfg = { .offline = true };
	static uint64_t ips[ADDRESSES];
	struct frame frames[8];
	struct syms_stats stats;
	struct syms *syms;
	struct stat st;
	double start[3];

	if (argc != 2 || stat(argv[1], &st) || syms_new(&cfg, &syms, NULL))
		return 1;
	t.len = st.st_size;
	if (syms_task(syms, &t))
		return 1;
	srand(1);
	for (int i = 0; i < ADDRESSES; i++)
		ips[i] = TEXT_AT + ((uint64_t)rand() * RAND_MAX + rand()) % st.st_size;
	syms_resolve(syms, t.pid, 2, TEXT_AT, false, false, frames, 8); /* loads */
	for (int round = 0; round < 3; round++) {
		start[round] = now();
		if (round < 2)
			for (int i = 0; i < ADDRESSES; i++)
				syms_resolve(syms, t.pid, 2, ips[i], false, false, frames, 8);
	}
	syms_stats(syms, &stats);
	printf("  %-44s %7llu symbols: first look-up %6.0f ns, again %5.0f ns\n", argv[1], (unsigned long long)stats.symbols,
	       (start[1] - start[0]) / ADDRESSES * 1e9, (start[2] - start[1]) / ADDRESSES * 1e9);
	syms_free(syms);
	return 0;
}
