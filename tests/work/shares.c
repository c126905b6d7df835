/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* shares [SECONDS [PAUSE]]: burns SECONDS (2) of CPU, 70 % in hot(), 30 % in cold(), sleeps PAUSE us (0) after both; prints its shares. */
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
	long pause_us = argc > 2 ? atol(argv[2]) : 0;
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
			nanosleep(&(struct timespec){ .tv_nsec = pause_us * 1000 }, NULL);
	}
	printf("share hot %.2f\nshare cold %.2f\n", 100 * in_hot / (in_hot + in_cold), 100 * in_cold / (in_hot + in_cold));
	steady_tell(&steady);
	return 0;
}
