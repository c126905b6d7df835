/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The figures and their names are perf stat's (tools/perf/Documentation/perf-stat.txt), so that scripts find them. */
#include "model/derived.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>

#define HW(x) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##x
#define SW(x) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##x
#define CACHE(c, miss) PERF_TYPE_HW_CACHE, (PERF_COUNT_HW_CACHE_##c | PERF_COUNT_HW_CACHE_OP_READ << 8 | (miss) << 16)
#define PREFETCHES(miss) PERF_TYPE_HW_CACHE, (PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_OP_PREFETCH << 8 | (miss) << 16)

/* What is a part of what. */
static const struct ratio {
	uint32_t type;
	uint64_t config;
	uint32_t of_type;
	uint64_t of_config;
	const char *unit;
	bool is_percent;
	struct metric metric;
} ratios[] = {
	{ HW(INSTRUCTIONS), HW(CPU_CYCLES), "insn per cycle", false, { "insn_per_cycle", "instructions", 2, "instructions,cycles" } },
	{ HW(BRANCH_MISSES), HW(BRANCH_INSTRUCTIONS), "of all branches", true, { "branch_miss_rate", "%", 1, "branch-misses,branches" } },
	{ HW(CACHE_MISSES), HW(CACHE_REFERENCES), "of all cache refs", true, { "cache_miss_rate", "%", 1, "cache-misses,cache-references" } },
	{ HW(STALLED_CYCLES_FRONTEND), HW(CPU_CYCLES), "frontend cycles idle", true,
	  { "frontend_cycles_idle", "%", 1, "stalled-cycles-frontend,cycles" } },
	{ HW(STALLED_CYCLES_BACKEND), HW(CPU_CYCLES), "backend cycles idle", true,
	  { "backend_cycles_idle", "%", 1, "stalled-cycles-backend,cycles" } },
	{ CACHE(L1D, 1), CACHE(L1D, 0), "of all L1-dcache accesses", true, { "l1d_miss_rate", "%", 1, "L1-dcache-load-misses,L1-dcache-loads" } },
	{ CACHE(L1I, 1), CACHE(L1I, 0), "of all L1-icache accesses", true, { "l1i_miss_rate", "%", 1, "L1-icache-load-misses,L1-icache-loads" } },
	{ CACHE(DTLB, 1), CACHE(DTLB, 0), "of all dTLB cache accesses", true, { "dtlb_miss_rate", "%", 1, "dTLB-load-misses,dTLB-loads" } },
	{ CACHE(ITLB, 1), CACHE(ITLB, 0), "of all iTLB cache accesses", true, { "itlb_miss_rate", "%", 1, "iTLB-load-misses,iTLB-loads" } },
	{ CACHE(LL, 1), CACHE(LL, 0), "of all LL-cache accesses", true, { "llc_miss_rate", "%", 1, "LLC-load-misses,LLC-loads" } },
	{ PREFETCHES(1), PREFETCHES(0), "of all L1-dcache prefetches", true,
	  { "l1_prefetch_miss_rate", "%", 1, "L1-dcache-prefetch-misses,L1-dcache-prefetches" } },
};

/* What happens so often in the time of the clock: the plain value is per nanosecond times scale. Others have rates without a name. */
static const struct rate {
	uint32_t type;
	uint64_t config;
	double scale;
	const char *noun;
	struct metric metric;
} rates[] = {
	{ SW(CONTEXT_SWITCHES), 1e9, "cs", { "cs_per_second", "cs/sec", 1, "context-switches", true } },
	{ SW(CPU_MIGRATIONS), 1e9, "migrations", { "migrations_per_second", "migrations/sec", 1, "cpu-migrations", true } },
	{ SW(PAGE_FAULTS), 1e9, "faults", { "page_faults_per_second", "faults/sec", 1, "page-faults", true } },
	{ HW(BRANCH_INSTRUCTIONS), 1e3, "", { "branch_frequency", "M/sec", 1, "branches", true } },
};

static const struct metric cpus_utilized = { "CPUs_utilized", "CPUs", 1, "", true };
static const struct metric cycles_frequency = { "cycles_frequency", "GHz", 2, "cycles", true };

#define NR(array) (int)(sizeof(array) / sizeof(*(array)))

const struct metric *metric_at(int index)
{
	if (index < 2)
		return index ? &cycles_frequency : &cpus_utilized;
	index -= 2;
	if (index < NR(rates))
		return &rates[index].metric;
	index -= NR(rates);
	return index < NR(ratios) ? &ratios[index].metric : NULL;
}

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

static void set_metric(struct derived *d, const struct metric *metric, double plain)
{
	d->metric = metric;
	d->plain = plain;
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

static bool derive_ratio(const struct derive_row *row, int event, struct derived *d)
{
	const struct event *e = &row->events[event];

	for (int i = 0; i < NR(ratios); i++) {
		const struct ratio *r = &ratios[i];
		double of = is(e, r->type, r->config) ? value_of(row, r->of_type, r->of_config, e) : 0, part;

		if (of <= 0)
			continue;
		part = (r->is_percent ? 100 : 1) * row->values[event] / of;
		set(d, part, 7, 2, r->is_percent ? "%" : "", r->unit);
		set_metric(d, &r->metric, part);
		return true;
	}
	return false;
}

void derive(const struct derive_row *row, int event, struct derived *d)
{
	const struct event *e = &row->events[event];
	double value = row->values[event], clock = clock_of(row);

	*d = (struct derived){ .percent = "", .noun = "" };
	if (value < 0)
		return;
	if (event_is_clock(e)) {
		if (row->wall_ns <= 0)
			return;
		set(d, value / row->wall_ns, 8, 3, "", "CPUs utilized");
		set_metric(d, &cpus_utilized, d->value);
		return;
	}
	if (is(e, HW(CPU_CYCLES)) && clock > 0) {
		set(d, value / clock, 8, 3, "", "GHz");
		set_metric(d, &cycles_frequency, d->value);
		return;
	}
	if (derive_ratio(row, event, d) || clock <= 0 || event_is_time(e))
		return;
	set_rate(d, value * 1e9 / clock);
	for (int i = 0; i < NR(rates); i++) {
		if (!is(e, rates[i].type, rates[i].config))
			continue;
		d->noun = rates[i].noun;
		set_metric(d, &rates[i].metric, rates[i].scale * value / clock);
	}
}
