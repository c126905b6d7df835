/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The figures and their names are perf stat's (tools/perf/Documentation/perf-stat.txt), so that scripts find them. */
#include "model/derived.h"

#include <linux/perf_event.h>
#include <stdio.h>

#define HW(x) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##x
#define CACHE(c, miss) PERF_TYPE_HW_CACHE, (PERF_COUNT_HW_CACHE_##c | PERF_COUNT_HW_CACHE_OP_READ << 8 | (miss) << 16)

/* What is a part of what. */
static const struct ratio {
	uint32_t type;
	uint64_t config;
	uint32_t of_type;
	uint64_t of_config;
	const char *unit;
	int is_percent;
} ratios[] = {
	{ HW(INSTRUCTIONS), HW(CPU_CYCLES), "insn per cycle", 0 },
	{ HW(BRANCH_MISSES), HW(BRANCH_INSTRUCTIONS), "of all branches", 1 },
	{ HW(CACHE_MISSES), HW(CACHE_REFERENCES), "of all cache refs", 1 },
	{ HW(STALLED_CYCLES_FRONTEND), HW(CPU_CYCLES), "frontend cycles idle", 1 },
	{ HW(STALLED_CYCLES_BACKEND), HW(CPU_CYCLES), "backend cycles idle", 1 },
	{ CACHE(L1D, 1), CACHE(L1D, 0), "of all L1-dcache accesses", 1 },
	{ CACHE(L1I, 1), CACHE(L1I, 0), "of all L1-icache accesses", 1 },
	{ CACHE(DTLB, 1), CACHE(DTLB, 0), "of all dTLB cache accesses", 1 },
	{ CACHE(ITLB, 1), CACHE(ITLB, 0), "of all iTLB cache accesses", 1 },
	{ CACHE(LL, 1), CACHE(LL, 0), "of all LL-cache accesses", 1 },
};

static int is(const struct event *e, uint32_t type, uint64_t config)
{
	return e->kind == EVENT_COUNTER && e->type == type && e->config == config;
}

/* The value of an event with the same modifiers, or -1. */
static double value_of(const struct derive_row *row, uint32_t type, uint64_t config, const struct event *like)
{
	for (int i = 0; i < row->nr_events; i++) {
		const struct event *e = &row->events[i];

		if (is(e, type, config) && e->exclude_user == like->exclude_user && e->exclude_kernel == like->exclude_kernel)
			return row->values[i];
	}
	return -1;
}

/* CPU time of the row, or -1. */
static double clock_of(const struct derive_row *row)
{
	for (int i = 0; i < row->nr_events; i++)
		if (event_is_clock(&row->events[i]))
			return row->values[i];
	return -1;
}

static void set(struct derived *d, double value, int width, int decimals, const char *percent, const char *unit)
{
	d->value = value;
	d->width = width;
	d->decimals = decimals;
	d->percent = percent;
	snprintf(d->unit, sizeof(d->unit), "%s", unit);
}

static void set_rate(struct derived *d, double per_s)
{
	static const char prefixes[] = "KMG";
	char unit[8] = "/sec";

	for (int i = 0; per_s >= 1000 && i < 3; i++) {
		per_s /= 1000;
		snprintf(unit, sizeof(unit), "%c/sec", prefixes[i]);
	}
	set(d, per_s, 8, 3, "", unit);
}

void derive(const struct derive_row *row, int event, struct derived *d)
{
	const struct event *e = &row->events[event];
	double value = row->values[event], of, clock = clock_of(row);

	set(d, 0, 0, 0, "", "");
	if (value < 0)
		return;
	if (event_is_clock(e)) {
		if (row->wall_ns > 0)
			set(d, value / row->wall_ns, 8, 3, "", "CPUs utilized");
		return;
	}
	if (is(e, HW(CPU_CYCLES)) && clock > 0) {
		set(d, value / clock, 8, 3, "", "GHz");
		return;
	}
	for (size_t i = 0; i < sizeof(ratios) / sizeof(*ratios); i++) {
		const struct ratio *r = &ratios[i];

		if (!is(e, r->type, r->config))
			continue;
		of = value_of(row, r->of_type, r->of_config, e);
		if (of > 0) {
			set(d, r->is_percent ? 100 * value / of : value / of, 7, 2, r->is_percent ? "%" : "", r->unit);
			return;
		}
	}
	if (clock > 0)
		set_rate(d, value * 1e9 / clock);
}
