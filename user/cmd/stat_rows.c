/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* -A, --per-core and the like: what the rows of counts are. */
#include "cmd/stat_rows.h"

#include <stddef.h>
#include <string.h>

/* What -A is for CPUs. */
static const struct cpu_option {
	const char *option;
	size_t flag; /* in the options */
	enum cpu_level level;
} cpu_options[] = {
	{ "--per-core", offsetof(struct stat_options, per_core), CPU_CORE },
	{ "--per-cache", offsetof(struct stat_options, per_cache), CPU_CACHE },
	{ "--per-cluster", offsetof(struct stat_options, per_cluster), CPU_CLUSTER },
	{ "--per-die", offsetof(struct stat_options, per_die), CPU_DIE },
	{ "--per-socket", offsetof(struct stat_options, per_socket), CPU_SOCKET },
	{ "--per-node", offsetof(struct stat_options, per_node), CPU_NODE },
};

static const struct cpu_option *cpu_option_of(const struct stat_options *o)
{
	for (size_t i = 0; i < sizeof(cpu_options) / sizeof(cpu_options[0]); i++)
		if (*(const bool *)((const char *)o + cpu_options[i].flag))
			return &cpu_options[i];
	return NULL;
}

const char *stat_group_option(const struct stat_options *o)
{
	const struct cpu_option *group = cpu_option_of(o);

	return group ? group->option : NULL;
}

int stat_rows_init(const struct stat_options *o, const struct event *events, int nr_events, struct counts *ret_counts, struct err *err)
{
	const struct cpu_option *group = cpu_option_of(o);
	int ret;

	if (group)
		ret = counts_init_groups(ret_counts, events, nr_events, group->level, o->cache_level);
	else
		ret = counts_init(ret_counts, events, nr_events, o->per_cpu ? COUNT_BY_CPU : o->per_thread ? COUNT_BY_THREAD : COUNT_BY_NOTHING);
	return ret ? err_set(err, ret, "cannot read which CPUs there are: %s", strerror(-ret)) : 0;
}
