// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Works in containers and algorithms for so many seconds of CPU time: most of its code is inlined templates.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>
#include <vector>

#define KEYS 4096
#define VALUES_MAX 500

int main(int argc, char **argv)
{
	clock_t end = clock() + (clock_t)((argc > 1 ? atof(argv[1]) : 1) * CLOCKS_PER_SEC);
	std::map<std::string, std::vector<int>> values;
	unsigned long seed = 1, sum = 0;

	while (clock() < end)
		for (int i = 0; i < 20000; i++) {
			seed = seed * 6364136223846793005ul + 1442695040888963407ul;
			auto &list = values[std::to_string(seed >> 40 & (KEYS - 1))];
			list.push_back((int)(seed >> 50));
			if (list.size() < VALUES_MAX)
				continue;
			std::sort(list.begin(), list.end());
			sum += (unsigned long)list[VALUES_MAX / 2];
			list.clear();
		}
	printf("%lu\n", sum);
	return 0;
}
