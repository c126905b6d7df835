/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tables and rules of perf's names, as perf-list(1) has them. */
#include "event/names.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct named {
	const char *name, *alias;
	uint32_t type;
	uint64_t config;
	const char *unit;
};

#define HW(x) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##x
#define SW(x) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##x

static const struct named names[] = {
	{ "cycles", "cpu-cycles", HW(CPU_CYCLES), "cycles" },
	{ "instructions", NULL, HW(INSTRUCTIONS), "instructions" },
	{ "cache-references", NULL, HW(CACHE_REFERENCES), "events" },
	{ "cache-misses", NULL, HW(CACHE_MISSES), "events" },
	{ "branches", "branch-instructions", HW(BRANCH_INSTRUCTIONS), "events" },
	{ "branch-misses", NULL, HW(BRANCH_MISSES), "events" },
	{ "bus-cycles", NULL, HW(BUS_CYCLES), "cycles" },
	{ "stalled-cycles-frontend", "idle-cycles-frontend", HW(STALLED_CYCLES_FRONTEND), "cycles" },
	{ "stalled-cycles-backend", "idle-cycles-backend", HW(STALLED_CYCLES_BACKEND), "cycles" },
	{ "ref-cycles", NULL, HW(REF_CPU_CYCLES), "cycles" },
	{ "cpu-clock", NULL, SW(CPU_CLOCK), "ns" },
	{ "task-clock", NULL, SW(TASK_CLOCK), "ns" },
	{ "page-faults", "faults", SW(PAGE_FAULTS), "events" },
	{ "context-switches", "cs", SW(CONTEXT_SWITCHES), "events" },
	{ "cpu-migrations", "migrations", SW(CPU_MIGRATIONS), "events" },
	{ "minor-faults", NULL, SW(PAGE_FAULTS_MIN), "events" },
	{ "major-faults", NULL, SW(PAGE_FAULTS_MAJ), "events" },
	{ "alignment-faults", NULL, SW(ALIGNMENT_FAULTS), "events" },
	{ "emulation-faults", NULL, SW(EMULATION_FAULTS), "events" },
	{ "dummy", NULL, SW(DUMMY), "events" },
	{ "bpf-output", NULL, SW(BPF_OUTPUT), "events" },
	{ "cgroup-switches", NULL, SW(CGROUP_SWITCHES), "events" },
};

/* perf's "tool events", in the order of enum tool_time. */
static const char *const tool_times[] = { "duration_time", "user_time", "system_time" };

#define NR_NAMES (sizeof(names) / sizeof(names[0]))

/* perf's cache names: L1-dcache-load-misses = cache | op << 8 | result << 16. */
static const char *const caches[] = { "L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node" };
#define NR_CACHES (sizeof(caches) / sizeof(caches[0]))
static const char *const cache_ops[] = { "load", "store", "prefetch" };

static size_t cache_text(char *buf, size_t size, unsigned cache, unsigned op, unsigned miss)
{
	return snprintf(buf, size, "%s-%s%s", caches[cache], cache_ops[op], miss ? "-misses" : op == 2 ? "es" : "s");
}

static bool cache_name(const char *name, size_t len, uint64_t *ret_config)
{
	char text[64];

	for (unsigned c = 0; c < NR_CACHES; c++)
		for (unsigned op = 0; op < 3; op++)
			for (unsigned miss = 0; miss < 2; miss++) {
				size_t n = cache_text(text, sizeof(text), c, op, miss);

				if (n == len && !strncasecmp(text, name, len)) {
					*ret_config = c | op << 8 | miss << 16;
					return true;
				}
			}
	return false;
}

static bool same(const char *a, const char *name, size_t len)
{
	return a && strlen(a) == len && !strncmp(a, name, len);
}

static bool raw_name(const char *name, size_t len, uint64_t *ret_config)
{
	char hex[17];
	char *end;

	if (len < 2 || len > 17 || name[0] != 'r')
		return false;
	memcpy(hex, name + 1, len - 1);
	hex[len - 1] = '\0';
	if (strspn(hex, "0123456789abcdefABCDEF") != len - 1)
		return false;
	*ret_config = strtoull(hex, &end, 16);
	return true;
}

int name_event(const char *name, size_t len, struct event *e)
{
	for (size_t i = 0; i < NR_NAMES; i++)
		if (same(names[i].name, name, len) || same(names[i].alias, name, len)) {
			e->type = names[i].type;
			e->config = names[i].config;
			e->unit = names[i].unit;
			return 0;
		}
	for (size_t i = 0; i < sizeof(tool_times) / sizeof(tool_times[0]); i++)
		if (same(tool_times[i], name, len)) {
			e->kind = EVENT_TOOL;
			e->config = i;
			e->unit = "ns";
			snprintf(e->pmu_unit, sizeof(e->pmu_unit), "ns");
			return 0;
		}
	e->unit = "events";
	if (cache_name(name, len, &e->config)) {
		e->type = PERF_TYPE_HW_CACHE;
		return 0;
	}
	if (raw_name(name, len, &e->config)) {
		e->type = PERF_TYPE_RAW;
		return 0;
	}
	return -ENOENT;
}

bool event_kernel_only(const struct event *e)
{
	return e->type == PERF_TYPE_SOFTWARE && (e->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
						 e->config == PERF_COUNT_SW_CPU_MIGRATIONS || e->config == PERF_COUNT_SW_CGROUP_SWITCHES);
}

int event_each_name(int (*each)(void *arg, const struct event *e), void *arg)
{
	int ret = 0;

	for (size_t i = 0; i < NR_NAMES && !ret; i++) {
		struct event e = { .type = names[i].type, .config = names[i].config, .unit = names[i].unit };

		snprintf(e.name, sizeof(e.name), "%s", names[i].name);
		ret = each(arg, &e);
		if (ret || !names[i].alias)
			continue;
		snprintf(e.name, sizeof(e.name), "%s", names[i].alias);
		ret = each(arg, &e);
	}
	for (unsigned c = 0; c < NR_CACHES && !ret; c++)
		for (unsigned op = 0; op < 3 && !ret; op++)
			for (unsigned miss = 0; miss < 2 && !ret; miss++) {
				struct event e = { .type = PERF_TYPE_HW_CACHE, .config = c | op << 8 | miss << 16, .unit = "events" };

				cache_text(e.name, sizeof(e.name), c, op, miss);
				ret = each(arg, &e);
			}
	return ret;
}
