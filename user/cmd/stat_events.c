/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/stat_events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/stat_rows.h"

static const char *const default_events[] = {
	"context-switches,cpu-migrations,page-faults,cycles,instructions,branches,branch-misses",
	"L1-dcache-loads,L1-dcache-load-misses,LLC-loads,LLC-load-misses",
	"L1-icache-loads,L1-icache-load-misses,dTLB-loads,dTLB-load-misses,iTLB-loads,iTLB-load-misses",
	"L1-dcache-prefetches,L1-dcache-prefetch-misses",
};

bool stat_is_by(const struct stat_options *o)
{
	return o->by || o->latency || o->stack;
}

static int add_events(struct stat_events *s, const char *text, struct err *err)
{
	int n = event_parse(text, s->all + s->n, STAT_EVENTS_MAX - s->n, err);

	s->n += n > 0 ? n : 0;
	return n < 0 ? n : 0;
}

/* Event e, a probe, becomes one for each of its sites. */
static int expand_probe(struct stat_events *s, const struct stat_options *o, int e, struct err *err)
{
	const struct site_cfg cfg = { .pid = o->target.pids.n ? o->target.pids.data[0] : 0 };
	struct probe *grown = realloc(s->probes, (s->nr_probes + 1) * sizeof(*grown)), *p;
	struct event model;
	size_t n;
	int ret;

	if (!grown)
		return -ENOMEM;
	s->probes = grown;
	p = &s->probes[s->nr_probes++];
	*p = (struct probe){ .event = e };
	event_take_probe(&s->all[e], &p->spec);
	model = s->all[e];
	ret = sites_find(&p->spec, &cfg, &p->sites, err);
	if (ret)
		return ret;
	n = p->sites.all.n;
	if (s->n + n - 1 > STAT_EVENTS_MAX)
		return err_exit(err, -E2BIG, EXIT_USAGE, "'%s' matches %zu functions: at most %d events can be counted", model.name, n, STAT_EVENTS_MAX);
	memmove(s->all + e + n, s->all + e + 1, (s->n - e - 1) * sizeof(*s->all));
	s->n += n - 1;
	model.from_glob = p->sites.is_glob;
	for (size_t i = 0; i < n; i++) {
		s->all[e + i] = model;
		probe_title(&p->spec, p->sites.all.data[i].name, s->all[e + i].name, sizeof(model.name));
	}
	return n;
}

int stat_events_expand(struct stat_events *s, const struct stat_options *o, struct err *err)
{
	for (int e = 0; e < s->n;) {
		int ret = s->all[e].kind == EVENT_PROBE ? expand_probe(s, o, e, err) : 1;

		if (ret < 0)
			return ret;
		e += ret;
	}
	return 0;
}

void stat_events_free(struct stat_events *s)
{
	for (int i = 0; i < s->nr_probes; i++) {
		probe_free(&s->probes[i].spec);
		sites_free(&s->probes[i].sites);
	}
	free(s->probes);
	events_free(s->all, s->n);
}

/* CPUs are idle too, which a task's clock does not know. */
static const char *clock_of(const struct stat_options *o)
{
	return target_is_command(&o->target) || o->target.pids.n || o->target.tids.n ? "task-clock" : "cpu-clock";
}

/* What is not among the events yet. */
static int add_new_events(struct stat_events *s, const char *text, struct err *err)
{
	int before = s->n, kept = before, ret = *text ? add_events(s, text, err) : 0;

	for (int i = before; i < s->n; i++) {
		const struct event *e = &s->all[i];
		int same = 0;

		while (same < kept && (s->all[same].kind != e->kind || s->all[same].type != e->type || s->all[same].config != e->config ||
				       s->all[same].exclude_user || s->all[same].exclude_kernel))
			same++;
		if (same == kept)
			s->all[kept++] = *e;
	}
	s->n = kept;
	return ret;
}

int stat_events_pick(struct stat_events *s, const struct stat_options *o, struct err *err)
{
	bool has_default = !o->nr_event_texts && !o->nr_metrics;
	int ret = 0;

	for (size_t i = 0; i < o->nr_event_texts && !ret; i++)
		ret = add_events(s, o->event_texts[i], err);
	if (!ret && stat_is_by(o) && !o->nr_event_texts)
		return add_events(s, "raw_syscalls:sys_enter", err);
	if (o->null)
		return 0;
	for (size_t i = 0; i < o->nr_metrics && !ret; i++) {
		ret = add_new_events(s, o->metrics[i]->events, err);
		if (!ret && o->metrics[i]->has_clock)
			ret = add_new_events(s, clock_of(o), err);
	}
	/* -d adds to -e, as in perf */
	if (!ret && has_default)
		ret = add_events(s, clock_of(o), err);
	for (uint64_t level = has_default ? 0 : 1; level <= (o->details < 3 ? o->details : 3) && !ret; level++)
		ret = add_events(s, default_events[level], err);
	return ret;
}

bool stat_events_have(const struct stat_events *s, enum event_kind kind)
{
	for (int e = 0; e < s->n; e++)
		if (s->all[e].kind == kind)
			return true;
	return false;
}

/* --by and --latency: what goes with them. */
static int check_by(const struct stat_events *s, const struct stat_options *o, struct err *err)
{
	if (!stat_is_by(o))
		return 0;
	if (o->record)
		return err_exit(err, -EINVAL, EXIT_USAGE, "--by, --latency and --stack have no place in a file of counts: leave out 'record'");
	if (stat_events_have(s, EVENT_COUNTER) || stat_events_have(s, EVENT_TOOL))
		return err_exit(err, -EINVAL, EXIT_USAGE, "--by, --latency and --stack need system calls or tracepoints, such as -e 'syscalls:*'");
	if (!o->stack && stat_events_have(s, EVENT_PROBE))
		return err_exit(err, -EINVAL, EXIT_USAGE, "--by and --latency do not work with probes here: use skep probe --by, --hist or --latency");
	if (o->stack && o->separator && strcmp(o->separator, ","))
		return err_exit(err, -EINVAL, EXIT_USAGE, "--stack prints commas between fields: use -x,");
	if (o->runs > 1)
		return err_exit(err, -EINVAL, EXIT_USAGE, "--by, --latency and --stack cannot be combined with -r");
	if (o->rows_max > 1 << 22)
		return err_exit(err, -ERANGE, EXIT_USAGE, "--max-keys is at most %d", 1 << 22);
	return 0;
}

static int check_counts(const struct stat_events *s, const struct stat_options *o, struct err *err)
{
	const struct target *t = &o->target;
	const char *group = stat_group_option(o);
	bool threads = t->pids.n || t->tids.n, counters = stat_events_have(s, EVENT_COUNTER);

	if (o->runs > 1 && !t->argv)
		return err_exit(err, -EINVAL, EXIT_USAGE, "-r needs a COMMAND to repeat");
	if (counters && (t->uids.n || t->comms.n))
		return err_exit(err, -EINVAL, EXIT_USAGE, "-u and --comm do not work with counters: use -p, -t or -G");
	if (counters && threads && (t->cpus.n || t->cgroups.n))
		return err_exit(err, -EINVAL, EXIT_USAGE, "-p and -t cannot be combined with -C or -G: threads are counted on every CPU");
	if (counters && (o->per_cpu || group) && (threads || target_is_command(t)))
		return err_exit(err, -EINVAL, EXIT_USAGE, "%s needs -a, -C or -G: threads are counted on every CPU", group ? group : "-A");
	if (o->per_thread && (stat_events_have(s, EVENT_SYSCALL) || stat_events_have(s, EVENT_TRACEPOINT) || stat_events_have(s, EVENT_PROBE)))
		return err_exit(err, -EINVAL, EXIT_USAGE, "--per-thread works with counters only, not with system calls, tracepoints or probes");
	if (o->interval_ms && o->runs > 1)
		return err_exit(err, -EINVAL, EXIT_USAGE, "-I and -r exclude each other");
	if (o->separator && !*o->separator)
		return err_exit(err, -EINVAL, EXIT_USAGE, "-x needs a separator");
	if (o->interval_ms > UINT32_MAX || o->timeout_ms > UINT32_MAX || o->runs > UINT32_MAX)
		return err_exit(err, -ERANGE, EXIT_USAGE, "a number of -I, -r or --timeout is too large");
	return 0;
}

int stat_events_check(const struct stat_events *s, const struct stat_options *o, struct err *err)
{
	int ret = check_counts(s, o, err);

	return ret ? ret : check_by(s, o, err);
}

/* --all-user and --all-kernel, as their modifiers do. */
int stat_events_set_mode(struct stat_events *s, const struct stat_options *o, struct err *err)
{
	for (int i = 0; i < s->n; i++) {
		struct event *e = &s->all[i];
		size_t n = strlen(e->name);

		bool has_mode = e->exclude_user || e->exclude_kernel;
		int ret = e->kind == EVENT_TOOL ? 0 : event_set_mode(e, o->all_user, err);

		if (ret)
			return ret;
		e->exclude_hv |= o->all_user;
		if (!has_mode && e->kind != EVENT_TOOL)
			snprintf(e->name + n, sizeof(e->name) - n, "%s%c", strchr(e->name, ':') ? "" : ":", o->all_user ? 'u' : 'k');
	}
	return 0;
}
