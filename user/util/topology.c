/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "util/topology.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/cpus.h"

#define CPU_DIRECTORY "/sys/devices/system/cpu/cpu%u"

static int topology_number(uint32_t cpu, const char *file, int fallback)
{
	char path[128];
	int n = fallback;
	FILE *f;

	snprintf(path, sizeof(path), CPU_DIRECTORY "/topology/%s", cpu, file);
	f = fopen(path, "re");
	if (!f)
		return fallback;
	if (fscanf(f, "%d", &n) != 1)
		n = fallback;
	fclose(f);
	return n;
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

static struct cpu_group group_of(uint32_t cpu, enum cpu_level level)
{
	struct cpu_group g = { .socket = level == CPU_NODE ? node_of(cpu) : topology_number(cpu, "physical_package_id", -1) };

	if (level == CPU_DIE || level == CPU_CORE)
		g.die = topology_number(cpu, "die_id", 0); /* Linux 5.2 */
	if (level == CPU_CORE)
		g.core = topology_number(cpu, "core_id", -1);
	if (level == CPU_NODE)
		snprintf(g.name, sizeof(g.name), "N%d", g.socket);
	else if (level == CPU_SOCKET)
		snprintf(g.name, sizeof(g.name), "S%d", g.socket);
	else if (level == CPU_DIE)
		snprintf(g.name, sizeof(g.name), "S%d-D%d", g.socket, g.die);
	else
		snprintf(g.name, sizeof(g.name), "S%d-D%d-C%d", g.socket, g.die, g.core);
	return g;
}

static int compare(const struct cpu_group *a, const struct cpu_group *b)
{
	if (a->socket != b->socket)
		return a->socket < b->socket ? -1 : 1;
	if (a->die != b->die)
		return a->die < b->die ? -1 : 1;
	return a->core < b->core ? -1 : a->core > b->core;
}

static int add(struct cpu_groups *g, uint32_t cpu, enum cpu_level level)
{
	struct cpu_group group = group_of(cpu, level);
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

int cpu_groups_read(struct cpu_groups *g, enum cpu_level level)
{
	uint32_t *cpus = NULL;
	int n = cpus_online(&cpus), ret = n < 0 ? n : 0;

	g->level = level;
	for (int i = 0; i < n && !ret; i++)
		ret = add(g, cpus[i], level);
	free(cpus);
	return ret;
}

void cpu_groups_free(struct cpu_groups *g)
{
	vec_free(&g->groups);
	vec_free(&g->of);
}
