/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The common part of commands that sample: from options to a filled profile. */
#include "cmd/measure.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/features.h"
#include "capture/refusal.h"
#include "capture/session.h"
#include "capture/source/perf.h"
#include "cmd/offcpu.h"
#include "cmd/run.h"
#include "event/format.h"
#include "event/tracepoints.h"
#include "util/file.h"
#include "util/log.h"
#include "util/num.h"
#include "util/text.h"

#define SUMS_TICK_NS 1000000000 /* of a run whose sums stay in the kernel until they are shown: little comes in between */
#define FREQ_DEFAULT 999 /* not in step with timers that run at 1000 or 100 Hz */

/* They add up, as perf's. */
int measure_add_event(struct measure *m, const char *text, struct err *err)
{
	if (m->nr_event_texts == MEASURE_TEXTS_MAX)
		return err_exit(err, -E2BIG, EXIT_USAGE, "-e more than %d times", MEASURE_TEXTS_MAX);
	m->event_texts[m->nr_event_texts++] = text;
	m->event_text = m->event_texts[0];
	return 0;
}

static int add_text(void *base, const char *text, struct err *err)
{
	return measure_add_event(base, text, err);
}

#define RATE_FILE "/proc/sys/kernel/perf_event_max_sample_rate"
#define RATE_FILE_MAX 64
#define RATE_MAX 1000000

static int set_freq(void *base, const char *text, struct err *err)
{
	struct measure *m = base;
	char *line;
	size_t n;
	int ret;

	if (!strcmp(text, "max")) {
		ret = file_read(RATE_FILE, 0, RATE_FILE_MAX, &line, &n);
		if (!ret) {
			m->freq = strtoull(line, NULL, 10);
			ret = m->freq ? 0 : -EINVAL;
			free(line);
		}
		return ret < 0 ? err_exit(err, ret, EXIT_CANNOT, "cannot read the highest rate from " RATE_FILE ": %s", strerror(-ret)) : 0;
	}
	ret = num_u64(text, RATE_MAX, &m->freq);
	if (!ret && !m->freq)
		ret = -ERANGE;
	if (ret)
		return err_exit(err, ret, EXIT_USAGE, "bad value '%s' of '--freq': expected 1 to %d, or max", text, RATE_MAX);
	return 0;
}

static int add_filter(void *base, const char *text, struct err *err)
{
	struct measure *m = base;
	char *whole;
	int ret = probe_add_filter(m->nr_event_texts ? m->event_texts[m->nr_event_texts - 1] : NULL, text, &whole, err);

	if (ret)
		return ret;
	m->filters[m->nr_filters++] = whole;
	m->event_texts[m->nr_event_texts - 1] = whole;
	m->event_text = m->event_texts[0];
	return 0;
}

static int join_texts(struct measure *m)
{
	size_t size = 1, at = 0;

	for (size_t i = 0; i < m->nr_event_texts; i++)
		size += strlen(m->event_texts[i]) + 1;
	m->event_list = malloc(size);
	if (!m->event_list)
		return -ENOMEM;
	for (size_t i = 0; i < m->nr_event_texts; i++)
		at += snprintf(m->event_list + at, size - at, "%s%s", i ? "," : "", m->event_texts[i]);
	m->event_text = m->event_list;
	return 0;
}

static int set_budget(void *base, const char *text, struct err *err)
{
	struct measure *m = base;

	m->budget_bpf = true;
	return run_budget(text, &m->budget, err);
}

const struct opt measure_opts[] = {
	{ 'e', "event", "EVENT,...", OPT_CALL, 0, "what to sample, of skep flame one event (default: cycles, or cpu-clock without a PMU); modifiers :u :k :p", add_text,
	  true },
	{ 'F', "freq", "HZ", OPT_CALL, 0, "samples per second and CPU (default 999, of skep agent 19); max: as many as the kernel allows", set_freq },
	{ 'c', "count", "N", OPT_U64, offsetof(struct measure, period), "one sample per N events (ns for clocks)" },
	{ 0, "budget", "PERCENT", OPT_CALL, 0, "before the run takes more than this of all CPUs' time, such as 1%, lower the rate; of what has none leave a part out", set_budget },
	{ 0, "duration", "TIME", OPT_DURATION, offsetof(struct measure, duration_ns), "stop after TIME (10, 500ms, 2m), and stop COMMAND" },
	{ 0, "filter", "FILTER", OPT_CALL, 0, "of the tracepoint of the -e before it: only hits with FILTER, such as 'prev_pid == 1'", add_filter, true },
	{ 0, "all-user", NULL, OPT_FLAG, offsetof(struct measure, all_user), "only what happens in user space, as :u with each event" },
	{ 0, "all-kernel", NULL, OPT_FLAG, offsetof(struct measure, all_kernel), "only what happens in the kernel, as :k with each event" },
	{ 0, "idle", NULL, OPT_FLAG, offsetof(struct measure, idle), "sample the idle task too" },
	{ 0, "max-stack", "N", OPT_U64, offsetof(struct measure, walks.max_frames),
	  "at most N frames of a user stack, innermost first (default 127, up to 1023)" },
	{ 0, "no-kernel", NULL, OPT_FLAG, offsetof(struct measure, no_kernel), "leave out kernel frames" },
	{ 0, "no-user", NULL, OPT_FLAG, offsetof(struct measure, no_user), "leave out user frames" },
	{ 'm', "ring-size", "SIZE", OPT_KIB, offsetof(struct measure, ring_kb),
	  "ring buffer, a power of two of KiB or with K, M, G (record: of each CPU, default 512; flame: one, for stacks beyond --max-stacks)" },
	{ 0, "max-stacks", "N", OPT_U64, offsetof(struct measure, stacks_max),
	  "at most N distinct stacks summed in the kernel (flame, default 8192; top and agent, 1024 to 8192, as the rate needs); more go through the ring buffer" },
	{ 0 },
};

const struct opt_rule measure_rules[] = {
	{ "freq", .not_with = "count" },
	{ "budget", .not_with = "count", .why = "it lowers a rate" },
	{ "all-user", .not_with = "all-kernel" },
	{ "no-kernel", .not_with = "no-user", .why = "they leave nothing" },
	{ 0 },
};

int measure_check_ring(uint64_t ring_kb, struct err *err)
{
	if (ring_kb && (ring_kb < 4 || ring_kb > 1 << 20 || ring_kb & (ring_kb - 1)))
		return err_exit(err, -EINVAL, EXIT_USAGE,
				"bad ring size %llu: expected a power of two from 4 to 1048576 KiB", (unsigned long long)ring_kb);
	return 0;
}

static int check_numbers(const struct measure *m, struct err *err)
{
	if (measure_check_ring(m->ring_kb, err))
		return -EINVAL;
	if (m->stacks_max > 1 << 22)
		return err_exit(err, -ERANGE, EXIT_USAGE, "--max-stacks is at most %d", 1 << 22);
	return 0;
}

/* A tracepoint is taken every time, by its number in tracefs. */
static int sample_tracepoint(const struct measure *m, struct event *e, struct err *err)
{
	char name[EVENT_NAME_MAX];
	struct format format;
	int ret;

	if ((m->freq || m->period > 1) && !m->has_triggers)
		return err_exit(err, -EINVAL, EXIT_USAGE, "-F and -c work with counters only: '%s' is sampled every time it happens", e->name);
	if (!tracepoint_name(e, name, sizeof(name)))
		return err_exit(err, -EINVAL, EXIT_USAGE, "'%s' can be counted (skep stat), not sampled", e->name);
	ret = tracefs_path() ? format_read(name, &format) : -ENOTDIR;
	if (ret == -ENOTDIR || ret == -EACCES)
		return tracefs_refused(ret, name, strlen(name), err);
	e->type = PERF_TYPE_TRACEPOINT;
	e->config = format.id;
	e->unit = "hits";
	e->period_or_freq = 1;
	format_free(&format);
	return ret ? err_exit(err, ret, EXIT_CANNOT, "cannot read the format of '%s': %s", name, strerror(-ret)) : 0;
}

/* Its record is its value. With a glob there are several kinds: then the event goes by its name. */
static int find_record(struct probe *p, struct event *e, const struct site_cfg *cfg, struct err *err)
{
	int ret = probe_add_record(&p->spec, err);

	if (!ret)
		ret = sites_find(&p->spec, cfg, &p->sites, err);
	if (!ret && p->sites.all.n == 1) {
		e->type = PERF_TYPE_TRACEPOINT;
		e->config = p->sites.all.data[0].tracepoint;
	}
	return ret;
}

static int add_tracepoint(struct probe *p, struct event *e, const struct site_cfg *cfg, struct err *err)
{
	size_t at = 0;
	int ret = probe_parse(e->name, &at, &p->spec, err);

	return ret ? ret : find_record(p, e, cfg, err);
}

/* Values of one event have one format. */
static int check_alike(const struct probe *p, struct err *err)
{
	const struct site *first = p->sites.all.data;

	for (size_t i = 1; i < p->sites.all.n; i++)
		for (int a = 0; a < first->bound.nr_args; a++) {
			const struct bound_arg *x = &first->bound.args[a], *y = &p->sites.all.data[i].bound.args[a];

			if (x->show == y->show && x->is_comm == y->is_comm)
				continue;
			return err_exit(err, -EINVAL, EXIT_USAGE, "'%s' is not of the same kind in '%s' and '%s': give each an -e of its own", x->name,
					first->name, p->sites.all.data[i].name);
		}
	return 0;
}

/* The event's probe: all of its sites are hits of event i. */
static int add_probe(struct measure *m, int i, struct err *err)
{
	const struct site_cfg cfg = { .pid = m->target.pids.n ? m->target.pids.data[0] : 0 };
	struct event *e = &m->events[i];
	struct probe *p = &m->probes[m->nr_probes++];
	struct site site = { .name = e->name, .tracepoint = e->config };
	int ret;

	if (m->target.cpus.n)
		return err_exit(err, -EINVAL, EXIT_USAGE, "-C works with counters only, not with '%s'", e->name);
	p->has_event = true;
	p->event = i;
	if (e->kind != EVENT_PROBE && m->records && probe_is_tracepoint(e->name))
		return add_tracepoint(p, e, &cfg, err);
	if (e->kind != EVENT_PROBE) {
		p->spec.kind = PROBE_TRACEPOINT;
		if (vec_reserve(&p->sites.all))
			return -ENOMEM;
		p->sites.all.data[p->sites.all.n++] = site;
		return 0;
	}
	if ((m->freq || m->period > 1) && !m->has_triggers)
		return err_exit(err, -EINVAL, EXIT_USAGE, "-F and -c work with counters only: '%s' is sampled every time it happens", e->name);
	e->unit = "hits";
	e->period_or_freq = 1;
	event_take_probe(e, &p->spec);
	if (m->records && p->spec.kind == PROBE_TRACEPOINT && !p->spec.has_brackets)
		return find_record(p, e, &cfg, err);
	p->spec.lasting_args = m->records && p->spec.lasting && !p->spec.has_brackets;
	if (p->spec.nr_args || p->spec.lasting_args) {
		e->type = PERF_TYPE_TRACEPOINT; /* of a recording, which has the format of these values */
		e->config = MEASURE_PROBE_IDS + i;
	}
	ret = sites_find(&p->spec, &cfg, &p->sites, err);
	return ret ? ret : check_alike(p, err);
}

void measure_free_probes(struct measure *m)
{
	for (int i = 0; i < m->nr_probes; i++) {
		probe_free(&m->probes[i].spec);
		sites_free(&m->probes[i].sites);
	}
	free(m->probes);
	m->probes = NULL;
	m->nr_probes = 0;
}

void measure_free(struct measure *m)
{
	measure_free_probes(m);
	events_free(m->events, m->nr_events);
	target_free(&m->target);
	free(m->event_list);
	m->event_list = NULL;
	for (size_t i = 0; i < m->nr_filters; i++)
		free(m->filters[i]);
	m->nr_filters = 0;
}

int measure_events(struct measure *m, struct err *err)
{
	m->probes = calloc(m->nr_events + 1, sizeof(*m->probes));
	if (!m->probes)
		return -ENOMEM;
	for (int i = 0; i < m->nr_events; i++) {
		struct event *e = &m->events[i];
		int ret = e->kind == EVENT_TOOL || e->kind == EVENT_COUNTER || e->kind == EVENT_PROBE ? 0 : sample_tracepoint(m, e, err);

		if (e->kind == EVENT_TOOL)
			return err_exit(err, -EINVAL, EXIT_USAGE, "'%s' has no samples: it works in skep stat only", e->name);
		if (!ret && e->kind != EVENT_COUNTER)
			ret = add_probe(m, i, err);
		if (ret)
			return ret;
		e->has_addr = m->has_addr;
		if ((m->all_user || m->all_kernel) && (ret = event_set_mode(e, m->all_user, err)))
			return ret;
		if (e->kind == EVENT_COUNTER && (e->pinned || e->exclusive))
			return err_exit(err, -EINVAL, EXIT_USAGE, "'%s': the modifiers D and e work in skep stat only", e->name);
		if (e->leader_samples && e->group_pos) {
			err_exit(err, -EINVAL, EXIT_USAGE, "'%s': the modifier S needs counters of the target alone: skep's are of a CPU, whose samples it filters",
				 e->name);
			err_hint(err, "without S each event of the group is sampled; perf record :S, whose file skep reads");
			return -EINVAL;
		}
		if (e->kind != EVENT_COUNTER)
			continue;
		if (!e->period_or_freq) { /* else period= */
			e->freq = !m->period;
			e->period_or_freq = m->period ? m->period : m->freq ? m->freq : m->freq_default ? m->freq_default : FREQ_DEFAULT;
		}
		e->exclude_idle = !m->idle;
	}
	return 0;
}

/* Stacks are walked in one way for all events. */
static int take_stack_terms(struct measure *m, struct err *err)
{
	for (int i = 0; i < m->nr_events; i++) {
		const struct event *e = &m->events[i];
		int ret = 0;

		if (!e->call_graph[0] && !e->max_stack)
			continue;
		if (strcmp(e->call_graph, m->events[0].call_graph) != 0 || e->max_stack != m->events[0].max_stack) {
			err_exit(err, -EINVAL, EXIT_USAGE, "'%s': stacks of all events are walked alike", e->name);
			err_hint(err, "--call-graph MODE, --max-stack N, for all");
			return -EINVAL;
		}
		if (e->call_graph[0])
			ret = walk_set_call_graph(&m->walks, e->call_graph, err);
		if (ret)
			return ret;
		/* perf's own few: ours are whole up to that */
		if (e->max_stack > STACK_MAX_FRAMES)
			m->walks.max_frames = e->max_stack;
	}
	return 0;
}

int measure_check(struct measure *m, char **operands, struct err *err)
{
	int n, ret;

	m->target.argv = operands[0] ? operands : NULL;
	ret = check_numbers(m, err);
	if (ret)
		return ret;
	if (m->nr_event_texts > 1 && !m->event_list) {
		ret = join_texts(m);
		if (ret)
			return ret;
	}
	n = m->no_samples ? 0 : (m->records ? event_parse_args : event_parse)(m->event_text ? m->event_text : "cycles", m->events, EVENTS_MAX - !!m->offcpu, err);
	if (n < 0)
		return n;
	m->nr_events = n;
	ret = take_stack_terms(m, err);
	if (ret)
		return ret;
	ret = target_check(&m->target, err);
	if (!ret)
		ret = measure_events(m, err);
	if (!ret)
		ret = walk_check(&m->walks, err);
	if (ret || !m->offcpu)
		return ret;
	m->offcpu->event = m->nr_events;
	m->events[m->nr_events] = offcpu_event();
	m->events[m->nr_events++].has_addr = m->has_addr;
	return 0;
}

/* Processes whose mappings may not be read. */
struct unreadable {
	uint32_t pid, n; /* the first of them, and how many */
};

/* 0, or what the sink returned: a process that has ended, or is refused, does not end the rest. */
static int scan_one(uint32_t pid, bool names, struct sink *sink, struct unreadable *none)
{
	int ret = (names ? proc_scan : proc_scan_maps)(NULL, pid, sink);

	if (ret != -EACCES && ret != -EPERM)
		return ret == -ESRCH ? 0 : ret;
	if (!none->n++)
		none->pid = pid;
	return 0;
}

static int scan_all(bool names, struct sink *sink, struct unreadable *none)
{
	DIR *dir = opendir("/proc");
	struct dirent *d;
	int ret = 0;

	if (!dir)
		return -errno;
	while (!ret && (d = readdir(dir)))
		if (isdigit((unsigned char)d->d_name[0]))
			ret = scan_one(strtoul(d->d_name, NULL, 10), names, sink, none);
	closedir(dir);
	return ret;
}

static int scan_targets(const struct target *t, bool names, struct sink *sink, struct unreadable *none)
{
	int ret = 0;

	if (!t->pids.n && !t->tids.n)
		return scan_all(names, sink, none);
	/* Twice costs twice, and a list of threads is mostly of one process: both lists are in order. */
	for (size_t i = 0, last = 0; i < t->pids.n + t->tids.n && !ret; i++) {
		uint32_t pid = i < t->pids.n ? t->pids.data[i] : target_process(t->tids.data[i - t->pids.n]);

		if (pid && pid != last)
			ret = scan_one(pid, names, sink, none);
		last = pid;
	}
	return ret;
}

static void note_unreadable(const struct unreadable *r, struct profile *p)
{
	char comm[COMM_FILE_LEN], text[sizeof(comm)], others[48] = "";

	if (!r->n)
		return;
	file_comm(r->pid, comm, sizeof(comm));
	text_escape(text, sizeof(text), *comm ? comm : "process");
	if (r->n > 1)
		snprintf(others, sizeof(others), " and %u other process%s", r->n - 1, r->n > 2 ? "es" : "");
	profile_note(p, "no names for the functions of %.64s (%u)%s: /proc/%u/maps cannot be read (needs CAP_SYS_PTRACE)", text, r->pid, others,
		     r->pid);
}

int measure_scan(const struct target *t, bool names, struct sink *sink, struct profile *p, struct err *err)
{
	struct unreadable none = { 0 };
	int ret = sink->task && !target_is_command(t) ? scan_targets(t, names, sink, &none) : 0;

	note_unreadable(&none, p);
	return ret && !err->text[0] ? err_set(err, ret, "cannot read the processes in /proc: %s", strerror(-ret)) : ret;
}

int measure_scan_again(struct sink *sink)
{
	struct unreadable none = { 0 };

	return scan_all(true, sink, &none);
}

/* Samples a second and CPU of the most frequent event, 0: an event comes when it comes. */
static uint64_t highest_freq(const struct measure *m)
{
	uint64_t freq = 0;

	for (int i = 0; i < m->nr_events; i++) {
		if (!m->events[i].freq)
			return 0;
		if (freq < m->events[i].period_or_freq)
			freq = m->events[i].period_or_freq;
	}
	return freq;
}

/* Of all events together; 0 where one comes when it comes. */
static uint64_t all_freqs(const struct measure *m)
{
	uint64_t all = 0;

	for (int i = 0; i < m->nr_events; i++)
		all += m->events[i].period_or_freq;
	return highest_freq(m) ? all : 0;
}

/* What it measures with, as the options say. */
static void make_sources(struct measure *m, struct sample_cfg *cfg, struct session_cfg *run)
{
	struct offcpu_cfg *off = m->offcpu;
	const char *missing;

	cfg->events = m->events;
	cfg->nr_events = m->nr_events - !!m->offcpu;
	cfg->probes = m->probes;
	cfg->nr_probes = m->nr_probes;
	cfg->records = m->records;
	cfg->keeps_self = m->keeps_self;
	cfg->has_cgroup = m->has_cgroup;
	cfg->no_kernel_stack = m->no_kernel;
	cfg->no_user_stack = m->no_user;
	cfg->ring_bytes = m->ring_kb << 10;
	cfg->stacks_max = m->stacks_max;
	cfg->interval_ns = m->interval_ns;
	if (!m->no_samples && !off && !kernel_may_load(&missing) && src_perf_can(cfg, &m->target)) {
		m->plain = run->unwind;
		run->unwind.guide = NULL; /* whose tables would be the kernel's */
		run->sources[run->nr_sources++] = src_perf_new(cfg, &m->plain);
	} else if (!m->no_samples) {
		run->sources[run->nr_sources++] = src_sample_new(cfg);
	}
	if (off) {
		off->aggregate = cfg->aggregate;
		off->by_tid = cfg->by_tid || !cfg->aggregate;
		off->has_cgroup = m->has_cgroup;
		off->bpf_stats = cfg->bpf_stats;
		off->no_kernel_stack = m->no_kernel;
		off->no_user_stack = m->no_user;
		off->stacks_max = m->stacks_max;
		off->ring_bytes = m->ring_kb << 10;
		run->sources[run->nr_sources++] = src_offcpu_new(off);
	}
}

struct measured {
	struct measure *m;
	const struct session_cfg *session;
	struct sink *sink;
	struct profile *profile;
	bool names; /* of threads are reported, too */
	int (*before)(struct sink *sink, struct err *err);
};

static int at_start(void *arg, struct err *err)
{
	const struct measured *run = arg;
	const char *note = run->session->sources[0]->note;
	int ret;

	if (note) {
		profile_note(run->profile, "%s", note);
		/* Who named another event reads it; who named none may ask. */
		if (!run->m->event_text) {
			run->profile->nr_details = run->profile->nr_notes;
			log_detail("%s", note);
		}
	}
	ret = run->before ? run->before(run->sink, err) : 0;
	if (!ret && run->m->opened)
		ret = run->m->opened(run->m->opened_arg, err);
	return ret ? ret : measure_scan(&run->m->target, run->names, run->sink, run->profile, err);
}

int measure_run(struct measure *m, struct sample_cfg *cfg, struct sink *sink, int (*before)(struct sink *sink, struct err *err),
		struct profile *p, int *ret_status, struct err *err)
{
	static const struct run_hooks hooks = { .at_start = at_start };
	struct session_cfg session = { .target = &m->target, .output = m->output, .input_fd = STDIN_FILENO, .input = m->input, .input_arg = m->input_arg,
				       .control = m->control, .has_switches = m->has_switches,
				       .has_namespaces = m->has_namespaces, .has_cgroups = m->has_cgroup, .starts_off = m->starts_off, .interval_ns = m->interval_ns, .interval_by_clock = m->interval_by_clock,
				       .ret_session = m->ret_session, .delay_ns = m->delay_ns, .turns = &m->turns, .budget = m->budget, .budget_after_ns = m->budget_after_ns, .budget_least_rate = m->budget_least_rate, .duration_ns = m->duration_ns, .unwind = walk_cfg(&m->walks, m->guide) };
	/* Sums carry the names of their threads; a stream, which may go to a file, does not. */
	struct measured run = { m, &session, sink, p, !cfg->aggregate, before };
	int ret;

	cfg->bpf_stats |= m->budget_bpf;
	cfg->keeps_budget = m->budget_bpf && !m->has_triggers; /* each of these counts */

	session.has_progress = !m->interval_ns;
	session.tick_ns = m->interval_ns ? SUMS_TICK_NS : 0;
	session.freq = highest_freq(m);
	session.unwind.rate = all_freqs(m);
	make_sources(m, cfg, &session);
	ret = run_sink(sink, &session, &hooks, &run, p, ret_status, err);
	p->event = m->title ? m->title : m->events[0].name;
	p->unit = m->events[0].unit;
	p->is_time = m->offcpu && m->title;
	return ret;
}
