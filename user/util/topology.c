/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "util/topology.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/cpus.h"

#define CACHES_MAX 16
#define CPU_DIRECTORY "/sys/devices/system/cpu/cpu%u"

/* The first number in a file of the CPU's directory. */
static int number_of(uint32_t cpu, const char *file, int fallback)
{
	char path[128];
	int n = fallback;
	FILE *f;

	snprintf(path, sizeof(path), CPU_DIRECTORY "/%s", cpu, file);
	f = fopen(path, "re");
	if (!f)
		return fallback;
	if (fscanf(f, "%d", &n) != 1)
		n = fallback;
	fclose(f);
	return n;
}

/* The cache of a level, 0: of the highest: its level, and number in *ret_id; those of data and instructions of one level share their CPUs. */
static int cache_of(uint32_t cpu, int level, int *ret_id)
{
	int found = -1;
	char file[64];

	*ret_id = -1;
	for (int i = 0; i < CACHES_MAX; i++) {
		int at;

		snprintf(file, sizeof(file), "cache/index%d/level", i);
		at = number_of(cpu, file, -1);
		if (at < 0 || (level ? at != level : at <= found))
			continue;
		found = at;
		snprintf(file, sizeof(file), "cache/index%d/id", i);
		*ret_id = number_of(cpu, file, -1);
	}
	return found;
}

/* Its directory has a link "node0". */
static int node_of(uint32_t cpu)
{
	char path[128];
	struct dirent *e;
	int node = 0; /* a kernel without NUMA has one */
	DIR *d;

	snprintf(path, sizeof(path), CPU_DIRECTORY, cpu);
	d = opendir(path);
	while (d && (e = readdir(d)))
		if (sscanf(e->d_name, "node%d", &node) == 1)
			break;
	if (d)
		closedir(d);
	return node;
}

static struct cpu_group group_of(uint32_t cpu, enum cpu_level level, int cache)
{
	struct cpu_group g = { .socket = number_of(cpu, "topology/physical_package_id", -1), .die = number_of(cpu, "topology/die_id", 0) };

	switch (level) {
	case CPU_NODE:
		g = (struct cpu_group){ .socket = node_of(cpu) };
		snprintf(g.name, sizeof(g.name), "N%d", g.socket);
		break;
	case CPU_SOCKET:
		g.die = 0;
		snprintf(g.name, sizeof(g.name), "S%d", g.socket);
		break;
	case CPU_DIE:
		snprintf(g.name, sizeof(g.name), "S%d-D%d", g.socket, g.die);
		break;
	case CPU_CLUSTER:
		g.part = number_of(cpu, "topology/cluster_id", -1); /* Linux 5.16 */
		snprintf(g.name, sizeof(g.name), "S%d-D%d-CLS%d", g.socket, g.die, g.part);
		break;
	case CPU_CACHE:
		cache = cache_of(cpu, cache, &g.part);
		snprintf(g.name, sizeof(g.name), "S%d-D%d-L%d-ID%d", g.socket, g.die, cache, g.part);
		break;
	case CPU_CORE:
		g.part = number_of(cpu, "topology/core_id", -1);
		snprintf(g.name, sizeof(g.name), "S%d-D%d-C%d", g.socket, g.die, g.part);
		break;
	}
	return g;
}

static int compare(const struct cpu_group *a, const struct cpu_group *b)
{
	if (a->socket != b->socket)
		return a->socket < b->socket ? -1 : 1;
	if (a->die != b->die)
		return a->die < b->die ? -1 : 1;
	return a->part < b->part ? -1 : a->part > b->part;
}

static int add(struct cpu_groups *g, uint32_t cpu, int cache)
{
	struct cpu_group group = group_of(cpu, g->level, cache);
	uint32_t at = 0;

	while (at < g->groups.n && compare(&g->groups.data[at], &group) < 0)
		at++;
	if (at == g->groups.n || compare(&g->groups.data[at], &group)) {
		if (vec_reserve(&g->groups))
			return -ENOMEM;
		memmove(g->groups.data + at + 1, g->groups.data + at, (g->groups.n - at) * sizeof(group));
		g->groups.data[at] = group;
		g->groups.n++;
		for (size_t i = 0; i < g->of.n; i++)
			g->of.data[i] += g->of.data[i] != UINT32_MAX && g->of.data[i] >= at;
	}
	while (g->of.n <= cpu) {
		if (vec_reserve(&g->of))
			return -ENOMEM;
		g->of.data[g->of.n++] = UINT32_MAX;
	}
	g->of.data[cpu] = at;
	return 0;
}

int cpu_groups_read(struct cpu_groups *g, enum cpu_level level, int cache)
{
	uint32_t *cpus = NULL;
	int n = cpus_online(&cpus), ret = n < 0 ? n : 0;

	g->level = level;
	for (int i = 0; i < n && !ret; i++)
		ret = add(g, cpus[i], cache);
	free(cpus);
	return ret;
}

void cpu_groups_free(struct cpu_groups *g)
{
	vec_free(&g->groups);
	vec_free(&g->of);
}
