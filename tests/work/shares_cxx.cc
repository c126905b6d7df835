// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// shares.c with names that need demangling.
#include "work.h"

namespace hive {
template <typename T> struct Comb {
	NOINLINE void hot(T n) { SPIN(n); }
	NOINLINE void cold(T n) { SPIN(n); }
};
}

int main(int argc, char **argv)
{
	double want = argc > 1 ? atof(argv[1]) : 2, in_hot = 0, in_cold = 0;
	unsigned long seed = 88172645463325252ul;
	hive::Comb<long> comb;
	struct steady steady = {};

	while (in_hot + in_cold < want) {
		long n = 20000 + uniform(&seed) * 400000;
		double began = wall_s(), t0 = cpu_s(), t1, t2;

		comb.hot(n * 7 / 10);
		t1 = cpu_s();
		comb.cold(n * 3 / 10);
		t2 = cpu_s();
		in_hot += t1 - t0;
		in_cold += t2 - t1;
		steady_add(&steady, n, wall_s() - began);
	}
	printf("share hive::Comb<long>::hot %.2f\nshare hive::Comb<long>::cold %.2f\n",
	       100 * in_hot / (in_hot + in_cold), 100 * in_cold / (in_hot + in_cold));
	steady_tell(&steady);
	return 0;
}
