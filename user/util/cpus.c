/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's list of CPUs. */
#include "util/cpus.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/num.h"
#include "util/vec.h"

struct cpu_vec {
	VEC(uint32_t) v;
};

static int add_cpu(void *arg, uint64_t cpu)
{
	struct cpu_vec *list = arg;

	if (vec_reserve(&list->v))
		return -ENOMEM;
	list->v.data[list->v.n++] = cpu;
	return 0;
}

int cpus_online(uint32_t **ret_cpus)
{
	struct cpu_vec list = {};
	char text[4096] = "";
	FILE *f = fopen("/sys/devices/system/cpu/online", "re");
	int ret = 0;

	if (f && fgets(text, sizeof(text), f)) {
		text[strcspn(text, "\n")] = '\0';
		ret = num_list(text, CPU_LIMIT, add_cpu, &list);
	} else {
		long n = sysconf(_SC_NPROCESSORS_ONLN);

		for (long cpu = 0; cpu < n && !ret; cpu++)
			ret = add_cpu(&list, cpu);
	}
	if (f)
		fclose(f);
	if (ret) {
		vec_free(&list.v);
		return ret;
	}
	*ret_cpus = list.v.data;
	return list.v.n;
}
