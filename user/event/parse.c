/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The event list as perf's users type it (perf-list(1), tools/perf/util/parse-events.y):
 *	LIST     ITEM,...
 *	ITEM     EVENT, or {EVENT,...}:MODIFIERS, a group that is counted together or not at all
 *	EVENT    NAME:MODIFIERS, PMU/TERM,.../MODIFIERS, rHEX, SUBSYSTEM:TRACEPOINT, or a probe (event/probe.h)
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/event.h"
#include "event/names.h"
#include "event/pmu.h"
#include "event/probe.h"
#include "event/syscalls.h"
#include "event/tracepoints.h"
#include "util/near.h"

#define LISTED_MAX 8192 /* system calls on entry and exit of each ABI, for near names */
#define MODIFIERS "ukhGHIpPDeSW"

struct parser {
	const char *text;
	size_t at;
	struct event *events;
	int nr, max;
	bool has_args; /* those of probes are taken */
	struct err *err;
};

bool event_is_clock(const struct event *e)
{
	return e->kind == EVENT_COUNTER && e->type == PERF_TYPE_SOFTWARE &&
	       (e->config == PERF_COUNT_SW_CPU_CLOCK || e->config == PERF_COUNT_SW_TASK_CLOCK);
}

bool event_is_time(const struct event *e)
{
	return !strcmp(e->pmu_unit, "ns");
}

int event_set_mode(struct event *e, bool user, struct err *err)
{
	if (e->kind != EVENT_COUNTER || (user ? e->exclude_user : e->exclude_kernel))
		return err_exit(err, -EINVAL, EXIT_USAGE, "--all-%s leaves nothing of '%s'", user ? "user" : "kernel", e->name);
	e->exclude_kernel |= user;
	e->exclude_user |= !user;
	return 0;
}

/* The text of one event, or of a group, for a message; short. */
static int shown(const char *text)
{
	int n = strcspn(text, *text == '{' ? "" : ",}");

	return n < 64 ? n : 64;
}

static int bad(const struct parser *p, size_t event, size_t at, const char *why)
{
	err_exit(p->err, -EINVAL, EXIT_USAGE, "bad event '%.*s': %s", shown(p->text + event), p->text + event, why);
	err_caret(p->err, p->text, at);
	return -EINVAL;
}

static int too_many(const struct parser *p)
{
	return err_exit(p->err, -E2BIG, EXIT_USAGE, "too many events in '%.64s': at most %d", p->text, p->max);
}

/* What modifiers mean is in perf-list(1), EVENT MODIFIERS. */
struct modifiers {
	bool user, kernel, hv, guest, host, idle;
	bool precise_max, pinned, exclusive, weak, leader_samples;
	unsigned precise;
};

/* At p->at, to the first character that cannot be one. `event`: where it begins, for messages. */
static int parse_modifiers(struct parser *p, size_t event, bool of_group, struct modifiers *m)
{
	size_t begin = p->at;
	char why[96];

	for (;; p->at++) {
		switch (p->text[p->at]) {
		case 'u':
			m->user = true;
			break;
		case 'k':
			m->kernel = true;
			break;
		case 'h':
			m->hv = true;
			break;
		case 'G':
			m->guest = true;
			break;
		case 'H':
			m->host = true;
			break;
		case 'I':
			m->idle = true;
			break;
		case 'p':
			if (++m->precise > 3)
				return bad(p, event, p->at, "at most three p");
			break;
		case 'P':
			m->precise_max = true;
			break;
		case 'D':
			m->pinned = true;
			break;
		case 'e':
			m->exclusive = true;
			break;
		case 'S':
			m->leader_samples = true;
			break;
		case 'W':
			if (!of_group)
				return bad(p, event, p->at, "W needs a group: {a,b}:W");
			m->weak = true;
			break;
		case '\0':
		case ',':
		case '}':
			if (p->at == begin)
				return bad(p, event, p->at, "no modifier after the colon");
			return 0;
		default:
			snprintf(why, sizeof(why), "unknown modifier '%c' (expected u, k, h, p, P, G, H, I, D, e%s)",
				 p->text[p->at] >= ' ' && p->text[p->at] < 127 ? p->text[p->at] : '?', of_group ? ", W" : "");
			return bad(p, event, p->at, why);
		}
	}
}

/* Those of a group add to an event's own. */
static void apply_modifiers(const struct modifiers *m, struct event *e)
{
	if (m->user || m->kernel || m->hv) {
		bool all = !e->exclude_user && !e->exclude_kernel && !e->exclude_hv;

		e->exclude_user = (all || e->exclude_user) && !m->user;
		e->exclude_kernel = (all || e->exclude_kernel) && !m->kernel;
		e->exclude_hv = (all || e->exclude_hv) && !m->hv;
	}
	if (m->guest || m->host) {
		e->guest = m->guest;
		e->exclude_host = !m->host;
	}
	e->exclude_idle |= m->idle;
	e->precise += e->precise + m->precise > 3 ? 0 : m->precise;
	e->precise_max |= m->precise_max;
	e->pinned |= m->pinned;
	e->exclusive |= m->exclusive;
	e->weak |= m->weak;
	e->leader_samples |= m->leader_samples;
}

/* The name in the table is what was written, [from, to). */
static int set_name(const struct parser *p, size_t from, size_t to, struct event *e)
{
	if (e->name[0]) /* name= */
		return 0;
	if (to - from >= sizeof(e->name))
		return bad(p, from, from, "too long");
	memcpy(e->name, p->text + from, to - from);
	e->name[to - from] = '\0';
	return 0;
}

static int no_match(const struct parser *p, size_t at, size_t end, const char *what, const char *hint)
{
	err_exit(p->err, -EINVAL, EXIT_USAGE, "bad event '%.*s': no %s matches", (int)(end - at < 64 ? end - at : 64), p->text + at, what);
	err_caret(p->err, p->text, at);
	err_hint(p->err, "%s", hint);
	return -EINVAL;
}

static int offer_name(void *arg, const struct event *e)
{
	near_offer(arg, e->name, strlen(e->name));
	return 0;
}

static int offer_pmu_name(void *arg, const char *pmu, const char *event, const char *terms)
{
	(void)pmu;
	(void)terms;
	near_offer(arg, event, strlen(event));
	return 0;
}

static int offer_tracepoint(void *arg, const char *name)
{
	near_offer(arg, name, strlen(name));
	return 0;
}

static void offer_syscalls(struct near *near)
{
	struct event *listed = malloc(LISTED_MAX * sizeof(*listed));
	int n = listed ? syscall_events("syscalls:*", strlen("syscalls:*"), listed, LISTED_MAX) : 0;

	for (int i = 0; i < n; i++)
		near_offer(near, listed[i].name, strlen(listed[i].name));
	free(listed);
}

struct wanted {
	const char *name;
	size_t len;
	char found[EVENT_NAME_MAX];
};

static int match_tracepoint(void *arg, const char *name)
{
	struct wanted *w = arg;
	const char *own = strchr(name, ':');

	if (!own || strlen(own + 1) != w->len || memcmp(own + 1, w->name, w->len))
		return 0;
	snprintf(w->found, sizeof(w->found), "%s", name);
	return 1;
}

/* "openat" or "sched_switch" instead of a counter: the hint has the event's whole name. */
static bool hint_whole(const struct parser *p, size_t at, size_t end)
{
	struct wanted w = { .name = p->text + at, .len = end - at };

	for (uint32_t nr = 0; nr < SYSCALL_NR_MAX; nr++) {
		const char *name = syscall_name(SYSCALL_NATIVE, nr), *call = name ? syscall_call_name(SYSCALL_NATIVE, nr) : NULL;

		if (!name || ((strlen(name) != w.len || memcmp(name, w.name, w.len)) && (!call || strlen(call) != w.len || memcmp(call, w.name, w.len))))
			continue;
		err_hint(p->err, "for the system call: syscalls:sys_enter_%s", name);
		return true;
	}
	if (tracepoint_each(match_tracepoint, &w) != 1)
		return false;
	err_hint(p->err, "did you mean %s?", w.found);
	return true;
}

/* Sets the hint: the three nearest of counters, or of tracepoints and system calls for a name with a colon. */
static void hint_near(const struct parser *p, size_t at, size_t end)
{
	struct near near;

	if (!memchr(p->text + at, ':', end - at) && hint_whole(p, at, end))
		return;
	near_init(&near, p->text + at, end - at);
	if (memchr(p->text + at, ':', end - at)) {
		tracepoint_each(offer_tracepoint, &near);
		offer_syscalls(&near);
	} else {
		event_each_name(offer_name, &near);
		pmu_each_event(offer_pmu_name, &near);
	}
	if (near_is_close(&near))
		near_hint(&near, p->err);
	else
		err_hint(p->err, "skep list shows the names");
}

/* Is what follows the colon made of letters that are modifiers? */
static bool has_modifiers(const char *name, size_t len)
{
	const char *colon = memchr(name, ':', len);
	size_t n = colon ? strspn(colon + 1, MODIFIERS) : 0;

	return n && n >= (size_t)(name + len - colon - 1);
}

/*
 * Names that stand for a list: system calls and tracepoints. is_name: what is before the colon is a counter's name, and
 * the colon its modifiers'. Returns how many, 0 for neither, or -errno with err filled.
 */
static int parse_listed(const struct parser *p, size_t at, size_t end, bool is_name)
{
	const char *name = p->text + at, *second = memchr(name, ':', end - at);
	size_t len = end - at;
	bool is_glob = strcspn(name, "*?[") < len;
	int ret;

	second = second ? memchr(second + 1, ':', name + len - second - 1) : NULL;
	if (second && !is_name && strspn(second + 1, MODIFIERS) >= (size_t)(name + len - second - 1))
		return bad(p, at, second - p->text, "system calls and tracepoints have no modifiers");
	ret = syscall_events(name, len, p->events + p->nr, p->max - p->nr);

	if (ret < 0 && ret != -E2BIG) {
		no_match(p, at, end, "system call", "names are syscalls:sys_enter_NAME and syscalls:sys_exit_NAME, with * for any");
		if (!is_glob)
			hint_near(p, at, end);
		return -EINVAL;
	}
	if (!ret && !is_name && memchr(name, ':', len))
		ret = tracepoint_events(name, len, p->events + p->nr, p->max - p->nr);
	if (ret == -E2BIG)
		return too_many(p);
	if (ret < 0 && has_modifiers(name, len)) {
		const char *colon = memchr(name, ':', len);

		if (!memchr(colon + 1, ':', name + len - colon - 1))
			return 0; /* "mem-loads:u", "cyclse:u" */
	}
	if (ret == -ENOTDIR || ret == -EACCES)
		return tracefs_refused(ret, name, len, p->err);
	if (ret < 0) {
		no_match(p, at, end, "tracepoint", "ls /sys/kernel/tracing/events shows the subsystems");
		if (!is_glob && !probe_hint_perf(name, len, p->err))
			hint_near(p, at, end);
	}
	return ret;
}

/* How long the event at p->at is: a comma, or the brace of its group, ends it, but not inside of a PMU's slashes. */
static size_t event_end(const struct parser *p, bool in_group)
{
	const char *stop = in_group ? ",}/" : ",/", *name = p->text + p->at;
	size_t n = strcspn(name, stop);
	const char *slash;

	/* A path in a glob is no PMU */
	if (name[n] == '/') {
		slash = strchr(name + n + 1, '/');
		n = slash ? (size_t)(slash + 1 - name) : n + 1;
		n += strcspn(name + n, in_group ? ",}" : ",");
	}
	return p->at + n;
}

static int no_event(const struct parser *p, size_t at, size_t end, bool is_pmu)
{
	if (at == end)
		return bad(p, at, at, "empty name");
	bad(p, at, at, is_pmu ? "no such PMU" : "no such event");
	if (is_pmu)
		err_hint(p->err, "ls /sys/bus/event_source/devices shows the PMUs; the form is PMU/TERM=VALUE,.../");
	else
		hint_near(p, at, end);
	return -EINVAL;
}

/* A counter of one name, its modifiers included. `end`: after them. */
static int parse_counter(struct parser *p, size_t end, struct event *e)
{
	size_t at = p->at, name_end = at;
	bool is_pmu = false;
	int ret;

	while (name_end < end && p->text[name_end] != ':' && p->text[name_end] != '/')
		name_end++;
	if (name_end < end && p->text[name_end] == '/') {
		const char *slash = memchr(p->text + name_end + 1, '/', end - name_end - 1);

		is_pmu = true;
		if (!slash)
			return bad(p, at, end, "no slash after the PMU's terms");
		ret = pmu_event(p->text, at, slash + 1 - p->text, e, p->err);
		if (ret == -ENOENT && !name_event(p->text + at, name_end - at, e))
			ret = event_terms(p->text, at, name_end + 1, slash - p->text, e, p->err);
		/* "cpu/cycles/" in a virtual machine without counters is as unsupported there as cycles is, not unknown */
		else if (ret == -ENOENT && name_end - at == 3 && !memcmp(p->text + at, "cpu", 3))
			ret = name_event(p->text + name_end + 1, slash - p->text - name_end - 1, e);
		name_end = slash + 1 - p->text;
	} else {
		ret = name_event(p->text + at, name_end - at, e);
		if (ret == -ENOENT)
			ret = pmu_named_event(p->text, at, name_end, e, p->err);
	}
	if (ret == -ENOENT)
		return no_event(p, at, name_end, is_pmu);
	if (ret)
		return ret;
	p->at = name_end;
	if (p->at < end) {
		struct modifiers m = { 0 };

		/* "cpu/.../u" needs no colon */
		if (p->text[p->at] == ':')
			p->at++;
		ret = parse_modifiers(p, at, false, &m);
		if (ret)
			return ret;
		if (p->at != end)
			return bad(p, at, p->at, "a brace that closes no group");
		apply_modifiers(&m, e);
	}
	return set_name(p, at, end, e);
}

static int add_probe(struct parser *p, bool in_group)
{
	struct event *e = &p->events[p->nr];
	int ret;

	if (in_group)
		return bad(p, p->at, p->at, "probes are counted by BPF, which has no groups");
	*e = (struct event){ .kind = EVENT_PROBE, .probe = malloc(sizeof(*e->probe)) };
	if (!e->probe)
		return -ENOMEM;
	p->nr++;
	ret = probe_parse(p->text, &p->at, e->probe, p->err);
	if (ret)
		return ret;
	probe_title(e->probe, NULL, e->name, sizeof(e->name));
	if (e->probe->nr_args && !p->has_args)
		return err_exit(p->err, -EINVAL, EXIT_USAGE, "'%s': arguments work only in a filter here (if ...); skep probe prints them", e->name);
	return 0;
}

void event_take_probe(struct event *e, struct probe_spec *ret_spec)
{
	*ret_spec = *e->probe;
	free(e->probe);
	e->probe = NULL;
}

void events_free(struct event *events, int nr_events)
{
	for (int i = 0; i < nr_events; i++) {
		if (events[i].probe)
			probe_free(events[i].probe);
		free(events[i].probe);
		events[i].probe = NULL;
	}
}

/* A tracepoint that is a probe of tracefs. 0 or -errno. */
static int take_lasting(struct parser *p, struct event *e)
{
	struct probe_spec *spec;
	int ret;

	if (e->kind != EVENT_TRACEPOINT)
		return 0;
	spec = malloc(sizeof(*spec));
	if (!spec)
		return -ENOMEM;
	ret = probe_lasting(e->name, spec, p->err);
	if (ret > 0) {
		e->kind = EVENT_PROBE;
		e->probe = spec;
		return 0;
	}
	probe_free(spec);
	free(spec);
	return ret;
}

/* Where the terms of a tracepoint begin, "sched:sched_switch/call-graph=fp/"; 0: it has none. */
static size_t terms_of(const struct parser *p, size_t at, size_t end)
{
	const char *slash = memchr(p->text + at, '/', end - at);

	if (!slash || p->text[end - 1] != '/' || slash == p->text + end - 1 || !memchr(p->text + at, ':', slash - p->text - at))
		return 0;
	return slash + 1 - p->text;
}

/* One event, or those of a name that stands for many; p->at is after it then. */
static int parse_event(struct parser *p, bool in_group)
{
	size_t at = p->at, end = event_end(p, in_group), terms = terms_of(p, at, end), listed_end = terms ? terms - 1 : end, name_end = at + strcspn(p->text + at, ":,}");
	struct event e = { 0 };
	int ret;

	if (p->nr >= p->max)
		return too_many(p);
	if (probe_begins(p->text + p->at))
		return add_probe(p, in_group);
	ret = parse_listed(p, at, listed_end,
			   memchr(p->text + at, '/', listed_end - at) || (name_end <= end && !name_event(p->text + at, name_end - at, &e)));
	if (ret < 0)
		return ret;
	if (ret > 0 && in_group)
		return bad(p, at, at, "system calls and tracepoints are counted by BPF, which has no groups");
	if (!ret) {
		e = (struct event){ 0 };
		ret = parse_counter(p, end, &e);
		if (ret)
			return ret;
		p->events[p->nr] = e;
		ret = 1;
	}
	for (int i = 0; i < ret; i++) {
		struct event *listed = &p->events[p->nr];
		int failed = terms ? event_terms(p->text, at, terms, end - 1, listed, p->err) : 0;

		if (!failed && !p->has_args && (listed->call_graph[0] || listed->max_stack))
			failed = bad(p, at, terms, "how stacks are walked is not available for one event here");
		if (failed)
			return failed;
		failed = take_lasting(p, &p->events[p->nr++]);

		if (failed)
			return failed;
	}
	p->at = end;
	return 0;
}

/* After the brace of its beginning. */
static int parse_group(struct parser *p)
{
	size_t open = p->at++, from, n;
	struct modifiers m = { 0 };
	int first = p->nr, ret;

	for (;; p->at++) {
		ret = parse_event(p, true);
		if (ret)
			return ret;
		if (p->text[p->at] == '}')
			break;
		if (p->text[p->at] != ',')
			return bad(p, open, open, "a group without its closing brace");
	}
	p->at++;
	from = p->at;
	if (p->text[p->at] == ':') {
		p->at++;
		ret = parse_modifiers(p, open, true, &m);
		if (ret)
			return ret;
	}
	if (p->text[p->at] && p->text[p->at] != ',')
		return bad(p, open, p->at, "expected a comma or the group's modifiers");
	for (int i = first; i < p->nr; i++) {
		struct event *e = &p->events[i];

		/* perf shows a group's modifiers with each of its events */
		size_t own = p->at > from && strchr(e->name, ':'); /* it has a colon already */

		if (e->kind == EVENT_TOOL)
			return bad(p, open, open, "the times of the run are no counters, which alone have groups");
		apply_modifiers(&m, e);
		e->group_pos = i - first + 1;
		n = strlen(e->name);
		if (p->at > from)
			snprintf(e->name + n, sizeof(e->name) - n, "%.*s", (int)(p->at - from - own), p->text + from + own);
	}
	return 0;
}

static int parse_list(struct parser *p)
{
	int ret;

	for (const char *c = p->text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			return err_exit(p->err, -EINVAL, EXIT_USAGE, "bad event list: a control character at byte %zu", (size_t)(c - p->text));
	for (;; p->at++) {
		ret = p->text[p->at] == '{' ? parse_group(p) : parse_event(p, false);
		if (ret)
			return ret;
		if (!p->text[p->at])
			return p->nr;
		if (p->text[p->at] != ',')
			return bad(p, p->at, p->at, "expected a comma");
	}
}

static int parse_all(struct parser *p)
{
	int ret = parse_list(p);

	if (ret < 0)
		events_free(p->events, p->nr);
	return ret;
}

int event_parse(const char *text, struct event *ret_events, int max, struct err *err)
{
	struct parser p = { .text = text, .events = ret_events, .max = max, .err = err };

	return parse_all(&p);
}

int event_parse_args(const char *text, struct event *ret_events, int max, struct err *err)
{
	struct parser p = { .text = text, .events = ret_events, .max = max, .err = err, .has_args = true };

	return parse_all(&p);
}
