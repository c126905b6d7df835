/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The event list: names and modifiers as perf's users type them. Hardware, cache, software and raw
 * events; numbers are those of uapi/linux/perf_event.h.
 */
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/event.h"
#include "event/syscalls.h"
#include "event/tracepoints.h"

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

#define NR_NAMES (sizeof(names) / sizeof(names[0]))

/* perf's cache names: L1-dcache-load-misses = cache | op << 8 | result << 16. */
static const char *const caches[] = { "L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node" };
static const char *const cache_ops[] = { "load", "store", "prefetch" };

static bool cache_name(const char *name, size_t len, uint64_t *ret_config)
{
	char text[64];

	for (unsigned c = 0; c < 7; c++)
		for (unsigned op = 0; op < 3; op++)
			for (unsigned miss = 0; miss < 2; miss++) {
				int n = snprintf(text, sizeof(text), "%s-%s%s", caches[c], cache_ops[op],
						 miss ? "-misses" : op == 2 ? "es" : "s");

				if ((size_t)n == len && !strncasecmp(text, name, len)) {
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

static int find_name(const char *name, size_t len, struct event *e)
{
	for (size_t i = 0; i < NR_NAMES; i++)
		if (same(names[i].name, name, len) || same(names[i].alias, name, len)) {
			e->type = names[i].type;
			e->config = names[i].config;
			e->unit = names[i].unit;
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

/* Levenshtein distance of two short names: two rows of the table. */
static unsigned distance(const char *a, size_t la, const char *b, size_t lb)
{
	unsigned row[65], diag, above;

	if (la > 64 || lb > 64)
		return 64;
	for (size_t j = 0; j <= lb; j++)
		row[j] = j;
	for (size_t i = 1; i <= la; i++) {
		diag = row[0];
		row[0] = i;
		for (size_t j = 1; j <= lb; j++) {
			unsigned best = diag + (a[i - 1] != b[j - 1]);

			above = row[j];
			if (above + 1 < best)
				best = above + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
			diag = above;
		}
	}
	return row[lb];
}

static void hint_near(const char *name, size_t len, struct err *err)
{
	const char *near[3] = {};
	unsigned score[3] = { UINT_MAX, UINT_MAX, UINT_MAX };

	for (size_t i = 0; i < NR_NAMES; i++) {
		unsigned d = distance(name, len, names[i].name, strlen(names[i].name));

		for (int k = 0; k < 3; k++)
			if (d < score[k]) {
				memmove(&score[k + 1], &score[k], (2 - k) * sizeof(score[0]));
				memmove(&near[k + 1], &near[k], (2 - k) * sizeof(near[0]));
				score[k] = d;
				near[k] = names[i].name;
				break;
			}
	}
	err_hint(err, "similar: %s, %s, %s", near[0], near[1], near[2]);
}

static int parse_modifiers(const char *text, const char *mod, const char *end, struct event *e, struct err *err)
{
	bool user = false, kernel = false, hv = false;

	for (const char *m = mod; m < end; m++) {
		switch (*m) {
		case 'u':
			user = true;
			break;
		case 'k':
			kernel = true;
			break;
		case 'h':
			hv = true;
			break;
		case 'p':
			if (++e->precise <= 3)
				break;
			err_exit(err, -EINVAL, EXIT_USAGE, "bad event '%.*s': at most three p", (int)(end - text), text);
			err_caret(err, text, m - text);
			return -EINVAL;
		default:
			err_exit(err, -EINVAL, EXIT_USAGE, "bad event '%.*s': unknown modifier '%c' (expected u, k, h, p)",
				 (int)(end - text), text, *m);
			err_caret(err, text, m - text);
			return -EINVAL;
		}
	}
	if (user || kernel || hv) {
		e->exclude_user = !user;
		e->exclude_kernel = !kernel;
		e->exclude_hv = !hv;
	}
	return 0;
}

bool event_is_clock(const struct event *e)
{
	return e->kind == EVENT_COUNTER && e->type == PERF_TYPE_SOFTWARE &&
	       (e->config == PERF_COUNT_SW_CPU_CLOCK || e->config == PERF_COUNT_SW_TASK_CLOCK);
}

static int too_many(const char *text, int max, struct err *err)
{
	return err_exit(err, -E2BIG, EXIT_USAGE, "too many events in '%s': at most %d", text, max);
}

static int no_match(const char *text, const char *at, const char *end, const char *what, const char *hint, struct err *err)
{
	err_exit(err, -EINVAL, EXIT_USAGE, "bad event '%.*s': no %s matches", (int)(end - at), at, what);
	err_caret(err, text, at - text);
	err_hint(err, "%s", hint);
	return -EINVAL;
}

/*
 * Names that stand for a list: system calls and tracepoints. is_name: what is before the colon is a counter's name, and
 * the colon its modifiers'. Returns how many, 0 for neither, or -errno with err filled.
 */
static int parse_listed(const char *text, const char *at, const char *end, bool is_name, struct event *ret_events, int room, int max,
			struct err *err)
{
	int ret = syscall_events(at, end - at, ret_events, room);

	if (ret < 0 && ret != -E2BIG)
		return no_match(text, at, end, "system call",
				"names are syscalls:sys_enter_NAME and syscalls:sys_exit_NAME, with * for any", err);
	if (!ret && !is_name && memchr(at, ':', end - at))
		ret = tracepoint_events(at, end - at, ret_events, room);
	if (ret == -E2BIG)
		return too_many(text, max, err);
	if (ret == -ENOTDIR || ret == -EACCES) {
		err_exit(err, ret, EXIT_CANNOT, "cannot list the tracepoints of '%.*s': tracefs is %s", (int)(end - at), at,
			 ret == -EACCES ? "only for root" : "not mounted");
		err_hint(err, ret == -EACCES ? "sudo mount -o remount,mode=755 /sys/kernel/tracing" :
					       "mount -t tracefs tracefs /sys/kernel/tracing");
		return ret;
	}
	return ret < 0 ? no_match(text, at, end, "tracepoint", "ls /sys/kernel/tracing/events shows the subsystems", err) : ret;
}

int event_parse(const char *text, struct event *ret_events, int max, struct err *err)
{
	int nr = 0, ret;

	for (const char *at = text;; at++) {
		const char *end = at + strcspn(at, ",");
		const char *colon = memchr(at, ':', end - at);
		struct event e = {};
		size_t len = (colon ? colon : end) - at;
		bool is_name;

		if (nr >= max)
			return too_many(text, max, err);
		is_name = len && !find_name(at, len, &e);
		ret = parse_listed(text, at, end, is_name, ret_events + nr, max - nr, max, err);
		if (ret < 0)
			return ret;
		if (ret > 0) {
			nr += ret;
			at = end;
			if (!*at)
				return nr;
			continue;
		}
		if (!is_name || (size_t)(end - at) >= sizeof(e.name)) {
			err_exit(err, -EINVAL, EXIT_USAGE, "bad event '%.*s': %s", (int)(end - at < 64 ? end - at : 64), at,
				 len ? "no such event" : "empty name");
			err_caret(err, text, at - text);
			if (len)
				hint_near(at, len, err);
			return -EINVAL;
		}
		if (colon && colon + 1 == end) {
			err_exit(err, -EINVAL, EXIT_USAGE, "bad event '%.*s': no modifier behind the colon", (int)(end - at), at);
			return -EINVAL;
		}
		if (colon) {
			ret = parse_modifiers(at, colon + 1, end, &e, err);
			if (ret < 0)
				return ret;
		}
		memcpy(e.name, at, end - at);
		ret_events[nr++] = e;
		at = end;
		if (!*at)
			return nr;
	}
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
	for (unsigned c = 0; c < 7; c++)
		for (unsigned op = 0; op < 3; op++)
			for (unsigned miss = 0; miss < 2 && !ret; miss++) {
				struct event e = { .type = PERF_TYPE_HW_CACHE, .config = c | op << 8 | miss << 16, .unit = "events" };

				snprintf(e.name, sizeof(e.name), "%s-%s%s", caches[c], cache_ops[op],
					 miss ? "-misses" : op == 2 ? "es" : "s");
				ret = each(arg, &e);
			}
	return ret;
}
