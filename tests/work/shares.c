/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * shares [SECONDS [PAUSE]]: burns SECONDS (default 2) of CPU, about 70 % in hot() and 30 % in cold(); prints what it really was. It
 * sleeps PAUSE microseconds (default none) after each call of both.
 */
#include <unistd.h>

#include "work.h"

NOINLINE void hot(long n)
{
	SPIN(n);
}

NOINLINE void cold(long n)
{
	SPIN(n);
}

int main(int argc, char **argv)
{
	double want = argc > 1 ? atof(argv[1]) : 2, in_hot = 0, in_cold = 0, t0, t1, t2;
	useconds_t pause_us = argc > 2 ? (useconds_t)atoi(argv[2]) : 0;
	struct steady steady = { 0 };
	unsigned long seed = 88172645463325252ul ^ (unsigned long)time(NULL);

	while (in_hot + in_cold < want) {
		long n = 20000 + uniform(&seed) * 400000;

		double began = wall_s();

		t0 = cpu_s();
		hot(n * 7 / 10);
		t1 = cpu_s();
		cold(n * 3 / 10);
		t2 = cpu_s();
		in_hot += t1 - t0;
		in_cold += t2 - t1;
		steady_add(&steady, n, wall_s() - began);
		if (pause_us)
			usleep(pause_us);
	}
	printf("share hot %.2f\nshare cold %.2f\n", 100 * in_hot / (in_hot + in_cold), 100 * in_cold / (in_hot + in_cold));
	steady_tell(&steady);
	return 0;
}
