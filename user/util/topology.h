/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which CPUs share a core, a cache, a cluster, a die, a socket or a memory node, from sysfs (Documentation/ABI/stable/sysfs-devices-system-cpu). */
#ifndef SKEP_UTIL_TOPOLOGY_H
#define SKEP_UTIL_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#include "util/vec.h"

enum cpu_level { CPU_SOCKET, CPU_DIE, CPU_CLUSTER, CPU_CACHE, CPU_CORE, CPU_NODE };

#define CPU_GROUP_NAME_MAX 48
struct cpu_group {
	char name[CPU_GROUP_NAME_MAX]; /* "S0-D0-C3", as perf stat names it; a number that the kernel does not say is -1 */
	int socket, die, part; /* part: the core, cluster or cache; of a node: its number is the socket's */
};

struct cpu_groups {
	enum cpu_level level;
	VEC(struct cpu_group) groups; /* by socket, die, core */
	VEC(uint32_t) of; /* index of the group, by CPU */
};

/* Of the CPUs that are online. cache: the level of CPU_CACHE, 0: the last. 0 or -errno; zeroed before. */
int cpu_groups_read(struct cpu_groups *g, enum cpu_level level, int cache);
void cpu_groups_free(struct cpu_groups *g);

/* UINT32_MAX: a CPU that came later. */
static inline uint32_t cpu_group_of(const struct cpu_groups *g, uint32_t cpu)
{
	return cpu < g->of.n ? g->of.data[cpu] : UINT32_MAX;
}

#endif
