/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Names of events that a recording does not name: by their attributes, as perf does, and tracepoints by the formats that the recording
 * carries (tools/perf/util/trace-event-read.c). Streams of perf before Linux 4.9 need both.
 */
#include <stdio.h>
#include <stdlib.h>

#include "data/reader.h"
#include "data/span.h"

#define HARDWARE_MASK 0xffffffffull /* PERF_HW_EVENT_MASK: above it is the PMU, where CPUs have several */
#define UNNAMED_TRACEPOINT "type-2:"
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Names of uapi/linux/perf_event.h's PERF_COUNT_*, as perf list shows them. */
static const char *const hardware[] = {
	"cycles", "instructions", "cache-references", "cache-misses", "branches", "branch-misses",
	"bus-cycles", "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles",
};
static const char *const software[] = {
	"cpu-clock", "task-clock", "page-faults", "context-switches", "cpu-migrations", "minor-faults",
	"major-faults", "alignment-faults", "emulation-faults", "dummy", "bpf-output", "cgroup-switches",
};
static const char *const cache[] = { "L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node" };
static const char *const cache_op[] = { "load", "store", "prefetch" };
static const char *const cache_ops[] = { "loads", "stores", "prefetches" };

static int cache_name(char *buf, size_t size, uint64_t config)
{
	uint64_t type = config & 0xff, op = config >> 8 & 0xff, result = config >> 16 & 0xff;

	if (type >= COUNT(cache) || op >= COUNT(cache_op) || result > 1)
		return -1;
	return snprintf(buf, size, "%s-%s%s", cache[type], result ? cache_op[op] : cache_ops[op], result ? "-misses" : "");
}

/* evsel__add_modifiers(), tools/perf/util/evsel.c: what is not as it is by default. */
static void add_modifiers(char *buf, size_t size, const struct perf_event_attr *a)
{
	char text[16];
	size_t n = 0;
	bool some = a->exclude_kernel || a->exclude_user || a->exclude_hv, guest_default = some || a->precise_ip;

	text[n++] = ':';
	if (some && !a->exclude_kernel)
		text[n++] = 'k';
	if (some && !a->exclude_user)
		text[n++] = 'u';
	if (some && !a->exclude_hv)
		text[n++] = 'h';
	for (unsigned i = 0; i < a->precise_ip; i++)
		text[n++] = 'p';
	if (a->exclude_host || a->exclude_guest == guest_default) {
		if (!a->exclude_host)
			text[n++] = 'H';
		if (!a->exclude_guest)
			text[n++] = 'G';
	}
	text[n] = '\0';
	if (n > 1)
		snprintf(buf, size, "%s", text);
}

void event_name(struct event *e, const struct perf_event_attr *a)
{
	uint64_t kind = a->config & HARDWARE_MASK;
	size_t size = sizeof(e->name);
	int n = -1;

	if (a->type == PERF_TYPE_HARDWARE && kind < COUNT(hardware))
		n = snprintf(e->name, size, "%s", hardware[kind]);
	else if (a->type == PERF_TYPE_SOFTWARE && a->config < COUNT(software))
		n = snprintf(e->name, size, "%s", software[a->config]);
	else if (a->type == PERF_TYPE_HW_CACHE)
		n = cache_name(e->name, size, kind);
	else if (a->type == PERF_TYPE_RAW)
		n = snprintf(e->name, size, "raw 0x%llx", (unsigned long long)a->config);
	if (n < 0)
		snprintf(e->name, size, "type-%u:%#llx", a->type, (unsigned long long)a->config);
	else
		add_modifiers(e->name + n, size - (size_t)n, a);
}

/* A size, and so many bytes. */
static bool take_sized(struct span *s, struct span *ret)
{
	uint64_t n;

	if (!take_u64(s, &n) || n > s->n)
		return false;
	ret->n = (size_t)n;
	return take(s, ret->n, &ret->p);
}

/* Of events of the file alone: perf stores those of the whole subsystem. */
static void keep_format(struct data_reader *r, uint64_t id, struct span format)
{
	struct tracing_format *f;
	char *text;

	for (size_t i = 0; i < r->formats.n; i++)
		if (r->formats.data[i].id == id)
			return;
	text = malloc(format.n);
	f = text ? vec_take(&r->formats, 1) : NULL;
	if (!f) {
		free(text);
		return;
	}
	memcpy(text, format.p, format.n);
	*f = (struct tracing_format){ id, text, format.n };
}

void tracing_free(struct data_reader *r)
{
	for (size_t i = 0; i < r->formats.n; i++)
		free((char *)r->formats.data[i].text);
	vec_free(&r->formats);
}

/* "name: sched_switch\nID: 315\nformat: ..." */
static void name_tracepoint(struct data_reader *r, const char *system, struct span format)
{
	char head[256], name[EVENT_NAME_MAX];
	unsigned long long id;
	size_t n = format.n < sizeof(head) - 1 ? format.n : sizeof(head) - 1;

	memcpy(head, format.p, n);
	head[n] = '\0';
	if (sscanf(head, "name: %127s\nID: %llu", name, &id) != 2)
		return;
	for (size_t i = 0; i < r->events.n; i++) {
		struct event *e = &r->events.data[i];

		if (e->type != PERF_TYPE_TRACEPOINT || e->config != id)
			continue;
		keep_format(r, id, format);
		if (!strncmp(e->name, UNNAMED_TRACEPOINT, strlen(UNNAMED_TRACEPOINT)))
			snprintf(e->name, sizeof(e->name), "%.60s:%.60s", system, name);
	}
}

void tracing_read(struct data_reader *r, const uint8_t *bytes, size_t n)
{
	static const char *const headers[] = { "header_page", "header_event" };
	struct span t = { bytes, n, r->in.stream.is_swapped }, body;
	const char *text, *system;
	const uint8_t *p;
	uint32_t nr, formats;

	if (!take(&t, strlen(TRACING_MAGIC), &p) || memcmp(p, TRACING_MAGIC, strlen(TRACING_MAGIC)) != 0 || !take_cstring(&t, &text) ||
	    !take(&t, 1 + 1 + sizeof(uint32_t), &p)) /* byte order, size of long, of a page */
		return;
	for (size_t i = 0; i < COUNT(headers); i++)
		if (!take_cstring(&t, &text) || strcmp(text, headers[i]) != 0 || !take_sized(&t, &body))
			return;
	if (!take_u32(&t, &nr))
		return;
	while (nr--) /* of ftrace itself */
		if (!take_sized(&t, &body))
			return;
	if (!take_u32(&t, &nr))
		return;
	while (nr--) {
		if (!take_cstring(&t, &system) || !take_u32(&t, &formats))
			return;
		while (formats--) {
			if (!take_sized(&t, &body))
				return;
			name_tracepoint(r, system, body);
		}
	}
}
