/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep agent: samples all CPUs for as long as it runs, and keeps sums of stacks in a store, one file for each span. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/session.h"
#include "cmd/agentfigures.h"
#include "cmd/agentlabels.h"
#include "cmd/agentprofiles.h"
#include "cmd/agentpush.h"
#include "cmd/agentsegments.h"
#include "cmd/cmd.h"
#include "cmd/live.h"
#include "cmd/offcpu.h"
#include "cmd/restart.h"
#include "cmd/storespan.h"
#include "util/clock.h"
#include "util/interrupt.h"
#include "util/log.h"

#define EVERY_NS (60 * NS_PER_S)
#define EVERY_MIN_NS NS_PER_S
#define EVERY_MAX_NS (24 * 3600 * NS_PER_S)
#define TAKE_NS (5 * NS_PER_S) /* sums are taken so often: names are found while processes live, or soon after */
#define EXITED_KEPT_NS (12ull * TAKE_NS) /* so old is no sum that is taken */
#define EXITED_KEPT 16384u /* processes whose names are: 3,000 a second may end until sums are taken */
#define KEEP_KIB (1u << 20)
#define KEEP_NS (7 * 24 * 3600 * NS_PER_S)
#define BUDGET 0.01
#define FREQ_MAX 10000u /* more takes the machine: samples are taken in interrupts */
#define BUDGET_AFTER_NS (30 * NS_PER_S)
#define BUDGET_LEAST_RATE 0.25 /* what figures cost is no rate's: it does not take all samples */
#define MEMORY_KIB (256u << 10)
#define FREQ 19 /* a prime: in step with nothing */
#define LARGE_NS (60 * NS_PER_S)

struct agent_options {
	struct measure m;
	struct honesty h;
	const char *config, *store;
	uint64_t every_ns, keep_kib, keep_ns;
	bool off_cpu, faults, pids;
	uint64_t memory_kib;
	struct figures_cfg figures;
	struct agent_push_options push;
	struct offcpu_cfg off_cfg;
};

struct agent {
	struct agent_options *o;
	struct picture *pic;
	struct session *session;
	struct agent_segments segments;
	struct agent_labels *labels;
	struct figures *figures; /* NULL: not wanted */
	struct agent_profiles *profiles; /* likewise */
	struct profile all; /* of the run */
	struct agent_view views[EVENTS_MAX];
	int nr_views;
	int clock; /* the first event that is one; -1: there is none */
	uint64_t started_ns, until_ns; /* until_ns 0: no end */
	double least_rate; /* since segments were written */
	uint64_t looked_ns; /* at its memory */
	const char *again; /* why it is to start again; NULL: it is not */
	uint64_t tried_ns; /* when segments were written last, or could not be: CLOCK_REALTIME */
};

static const struct opt agent_opts[] = {
	{ 0, "off-cpu", NULL, OPT_FLAG, offsetof(struct agent_options, off_cpu), "also the time off the CPUs, in profiles of its own" },
	{ 0, "faults", NULL, OPT_FLAG, offsetof(struct agent_options, faults), "also page faults, one of each 1000, in profiles of their own" },
	{ 0, "pids", NULL, OPT_FLAG, offsetof(struct agent_options, pids), "also each process's number, as the label pid: larger profiles" },
	{ 0, "store", "DIR", OPT_TEXT, offsetof(struct agent_options, store), "directory of the profiles (default: " STORE_DEFAULT ")" },
	{ 0, "every", "TIME", OPT_DURATION, offsetof(struct agent_options, every_ns), "one profile for each TIME, as 10, 5m (default: 1m)" },
	{ 0, "keep", "SIZE", OPT_KIB, offsetof(struct agent_options, keep_kib), "delete the oldest when all have more than SIZE (default: 1G)" },
	{ 0, "config", "FILE", OPT_TEXT, offsetof(struct agent_options, config), "options from FILE, one a line, as 'every 10s'; SIGHUP reads it again" },
	{ 0, "keep-time", "TIME", OPT_DURATION, offsetof(struct agent_options, keep_ns), "delete those that are older than TIME (default: 168h)" },
	{ 0 },
};

static const struct opt limit_opts[] = {
	{ 0, "memory", "SIZE", OPT_KIB, offsetof(struct agent_options, memory_kib), "start again when the agent and its maps have more than SIZE (default: 256M)" },
	{ 0 },
};

static const struct opt figure_opts[] = {
	{ 0, "listen", "ADDRESS:PORT", OPT_TEXT, offsetof(struct agent_options, figures.listen), "serve figures at http://127.0.0.1:PORT/metrics, for Prometheus" },
	{ 0, "sched", NULL, OPT_FLAG, offsetof(struct agent_options, figures.sched), "also serve run time and run-queue delay, by unit" },
	{ 0, "calls", NULL, OPT_FLAG, offsetof(struct agent_options, figures.calls), "also system calls, by name and error, and how long they took" },
	{ 0, "net", NULL, OPT_FLAG, offsetof(struct agent_options, figures.net), "also packets, bytes, retransmits and drops, by unit" },
	{ 0, "max-series", "N", OPT_U64, offsetof(struct agent_options, figures.max_series), "serve at most N series, and the rest as 'other' (default: 10000)" },
	{ 0 },
};

static const struct opt_rule figure_rules[] = {
	{ "sched", .needs = "listen" },
	{ "calls", .needs = "listen" },
	{ "net", .needs = "listen" },
	{ "max-series", .needs = "listen" },
	{ 0 },
};

static const struct opt_group agent_groups[] = {
	{ "Store", agent_opts, 0 },
	{ "Servers", agent_push_opts, offsetof(struct agent_options, push), agent_push_rules },
	{ "Limits", limit_opts, 0 },
	{ "Figures", figure_opts, 0, figure_rules },
	{ "Sampling", measure_opts, offsetof(struct agent_options, m), measure_rules },
	{ "Stacks", walk_opts, offsetof(struct agent_options, m.walks) },
	{ "Honesty", honesty_opts, offsetof(struct agent_options, h) },
	{ 0 },
};

/* The note of the rate that was sampled with, where that was not what was asked for: weights are right all the same. Readers of the store look for it. */
static const char *rate_note(const struct agent *a, char buf[NOTE_BYTES])
{
	buf[0] = '\0';
	if (a->least_rate < 1)
		snprintf(buf, NOTE_BYTES, STORE_RATE " %.3g %% of the rate that was asked for, at the least, to keep to --budget (%.2g %%)", 100 * a->least_rate,
			 100 * a->o->m.budget);
	return buf;
}

static int write_segments(struct agent *a, const struct profile *ledger)
{
	char rate[NOTE_BYTES];

	return agent_segments_write(&a->segments, a->views, a->nr_views, ledger, rate_note(a, rate));
}

static int choose(void *arg, uint32_t event, struct fold_view **ret_view)
{
	struct agent *a = arg;

	*ret_view = event < (uint32_t)a->nr_views ? &a->views[event].at : NULL;
	return 0;
}

static int take_figures(void *arg, const struct fold_view *view, const struct named *named)
{
	struct agent *a = arg;
	const struct agent_view *v = (const struct agent_view *)view; /* its first member */
	int ret = agent_profiles_add(a->profiles, view, named);

	return ret ? ret : figures_sample(a->figures, &a->o->m.events[v - a->views], v - a->views == a->clock, named);
}

static int take_row(struct sink *sink, const struct row *row)
{
	return figures_row(((struct agent *)((struct names *)sink)->interval_arg)->figures, row);
}

/* What has one name in the store is one view there: their sums would be mixed. Names as events have them when they are open. */
static int check_views(const struct agent_options *o, struct err *err)
{
	char view[STORE_VIEW_BYTES], other[STORE_VIEW_BYTES];

	for (int i = 0; i < o->m.nr_events; i++) {
		store_view(view, o->m.events[i].name);
		for (int k = 0; k < i; k++) {
			store_view(other, o->m.events[k].name);
			if (!strcmp(view, other))
				return err_exit(err, -EEXIST, EXIT_USAGE, "'%s' and '%s' have the same name in the store, '%s': their sums would be mixed", o->m.events[k].name,
						o->m.events[i].name, view);
		}
	}
	return 0;
}

static int opened(void *arg, struct err *err)
{
	struct agent *a = arg;
	int ret = check_views(a->o, err); /* cycles may be cpu-clock by now */

	return ret || !a->figures ? ret : figures_attach(a->figures, a->session, err);
}

/* What names and stacks of the views lack, beside what the run has lost. */
static void add_losses(const struct agent *a, struct profile *ledger)
{
	for (int i = 0; i < a->nr_views; i++)
		for (int k = 0; k < LOSS_MAX; k++)
			ledger->losses[k] += a->views[i].all.losses[k];
}

static int round_figures(const struct agent *a)
{
	struct profile ledger = { 0 };
	char rate[NOTE_BYTES];
	int ret;

	session_profile(a->session, &ledger);
	ret = agent_profiles_round(a->profiles, a->views, a->nr_views, &ledger, rate_note(a, rate));
	if (ret)
		return ret;
	add_losses(a, &ledger);
	return figures_round(a->figures, &ledger);
}

static uint64_t resident_bytes(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (f && fscanf(f, "%*u %lu", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Names and sums grow with what was seen. What they need at first is what it takes: a run that has just begun goes on. */
static const char *why_again(struct agent *a, uint64_t now)
{
	struct profile p = { 0 };

	if (now - a->looked_ns < LARGE_NS)
		return NULL;
	a->looked_ns = now;
	session_profile(a->session, &p);
	if (resident_bytes() + p.receipt.map_bytes > a->o->memory_kib << 10)
		return "more memory is in use than --memory allows: the agent starts again";
	return NULL;
}

/* Segments end with the minute, or what --every is, so that those of several machines have the same spans; and where the clock was set back. */
static int at_interval(void *arg, uint64_t since_start_ns)
{
	struct agent *a = arg;
	uint64_t every = a->o->every_ns, now = clock_ns(CLOCK_REALTIME);
	struct profile ledger = { .receipt.is_not_wanted = true };
	double least = session_least_rate(a->session);
	bool failed = false;
	int ret;

	(void)since_start_ns;
	a->least_rate = least < a->least_rate ? least : a->least_rate;
	ret = a->figures ? round_figures(a) : 0;
	if (ret)
		return ret;
	agent_labels_round(a->labels);
	if ((a->again = why_again(a, now_ns())))
		return -ECANCELED; /* the run ends, as by a signal */
	if (now >= a->tried_ns && now / every == a->tried_ns / every)
		return 0;
	a->tried_ns = now;
	session_profile(a->session, &ledger);
	ret = write_segments(a, &ledger);
	for (int i = 0; i < a->nr_views; i++)
		failed |= a->views[i].failed;
	if (!failed) /* the next segments begin with that of now */
		a->least_rate = session_least_rate(a->session);
	return ret;
}

/* Samples that are in no segment. */
static uint64_t unwritten(const struct agent *a)
{
	uint64_t n = 0;

	for (int i = 0; i < a->nr_views; i++)
		n += a->views[i].at.folded - a->views[i].segment.folded;
	return n;
}

static int run(struct agent *a, int *status, struct err *err)
{
	struct profile ledger;
	struct syms_cfg syms_cfg = { .build_ids = true, .exited_max = EXITED_KEPT, .exited_ns = EXITED_KEPT_NS, .servers = SERVERS_ASK };
	struct sample_cfg cfg = { .aggregate = true, .bpf_stats = a->o->h.receipt || a->figures };
	struct picture *pic = a->pic;
	int ret;

	a->o->m.ret_session = &a->session;
	a->o->m.interval_ns = a->o->every_ns < TAKE_NS ? a->o->every_ns : TAKE_NS;
	a->o->m.interval_by_clock = true;
	a->o->m.has_cgroup = true;
	pic->names.interval = at_interval;
	pic->names.interval_arg = a;
	pic->fold.view = (struct fold_view){ .profile = &a->all };
	pic->fold.choose = choose;
	pic->fold.choose_arg = a;
	pic->fold.root = ROOT_NONE;
	a->started_ns = a->looked_ns = now_ns();
	a->until_ns = restart_until(a->started_ns, &a->o->m.duration_ns);
	a->least_rate = 1;
	a->nr_views = a->o->m.nr_events;
	a->clock = -1;
	for (int i = 0; i < a->nr_views; i++) {
		if (a->clock < 0 && event_is_clock(&a->o->m.events[i]))
			a->clock = i;
		a->views[i].at.profile = &a->views[i].all;
		a->views[i].event = &a->o->m.events[i];
		agent_mark_set(&a->views[i].segment, &a->views[i], NULL);
	}
	if (a->figures && !(a->profiles = agent_profiles_new(figures_http(a->figures), &a->segments.out)))
		return err_set(err, -ENOMEM, "out of memory");
	if (a->figures) {
		pic->fold.also = take_figures; /* which pprof_out_begin() calls, too */
		pic->fold.also_arg = a;
		pic->names.sink.row = take_row;
	}
	a->o->m.opened = opened;
	a->o->m.opened_arg = a;
	pprof_out_begin(&a->segments.out, pic);
	a->segments.out.label = agent_labels_of;
	a->segments.out.label_arg = a->labels;
	a->tried_ns = clock_ns(CLOCK_REALTIME);
	log_note("note: profiles go to '%s', one for each %" PRIu64 " s", a->segments.store.path, a->o->every_ns / NS_PER_S);
	ret = live_run(&a->o->m, &cfg, &syms_cfg, pic, status, err);
	a->session = NULL;
	ledger = a->all;
	if (!ret && unwritten(a) && !a->segments.is_taken)
		ret = write_segments(a, &ledger);
	if ((!ret || ret == -ECANCELED) && a->segments.is_taken)
		ret = err_set(err, -EBUSY, "the store '%s' was removed or replaced, and another skep agent writes to it now: this one ends", a->segments.store.path);
	if (!ret && unwritten(a) && a->again)
		log_note("note: %" PRIu64 " samples are lost: they could not be written, and there is no memory for them", unwritten(a));
	else if (!ret && unwritten(a))
		ret = err_set(err, -EIO, "%" PRIu64 " samples could not be written", unwritten(a));
	add_losses(a, &a->all);
	return ret;
}

/*
 * CPU time of units is measured with a clock, not in cycles. Page faults are sampled by a fixed period: with a rate the kernel estimates how many
 * lie between two samples, and is wrong by more than ten times where they come in bursts.
 */
static int add_events(struct agent_options *o, struct err *err)
{
	int ret = 0;

	if (!o->m.nr_event_texts && (o->figures.listen || o->faults))
		ret = measure_add_event(&o->m, "cpu-clock", err);
	return ret || !o->faults ? ret : measure_add_event(&o->m, FAULTS_EVENT "/period=1000,name=" FAULTS_EVENT "/", err);
}

static int check(struct agent_options *o, char **operands, struct err *err)
{
	int ret;

	if (operands[0])
		return err_exit(err, -EINVAL, EXIT_USAGE, "unexpected '%s': skep agent measures the whole machine", operands[0]);
	if (o->store && strstr(o->store, "://"))
		return err_exit(err, -EINVAL, EXIT_USAGE, "--store is a directory here; --push sends profiles to a server");
	o->store = o->store ? o->store : STORE_DEFAULT;
	o->every_ns = o->every_ns ? o->every_ns : EVERY_NS;
	o->memory_kib = o->memory_kib ? o->memory_kib : MEMORY_KIB;
	o->keep_kib = o->keep_kib ? o->keep_kib : KEEP_KIB;
	o->keep_ns = o->keep_ns ? o->keep_ns : KEEP_NS;
	if (o->every_ns < EVERY_MIN_NS || o->every_ns > EVERY_MAX_NS)
		return err_exit(err, -ERANGE, EXIT_USAGE, "bad value of '--every': 1 s to 24 h");
	if (o->every_ns % NS_PER_S)
		return err_exit(err, -EINVAL, EXIT_USAGE, "bad value of '--every': expected whole seconds");
	if (o->push.cfg.host && (!*o->push.cfg.host || strpbrk(o->push.cfg.host, "\r\n\t")))
		return err_exit(err, -EINVAL, EXIT_USAGE, "bad value of '--host': expected a name, without line ends");
	if (o->m.freq > FREQ_MAX)
		return err_exit(err, -ERANGE, EXIT_USAGE, "bad value of '--freq': an agent samples at most %u times a second", FREQ_MAX);
	o->m.freq_default = FREQ;
	if (!o->m.budget && !o->m.period) {
		o->m.budget = BUDGET;
		o->m.budget_after_ns = BUDGET_AFTER_NS;
		o->m.budget_least_rate = BUDGET_LEAST_RATE;
	}
	if (o->off_cpu) {
		o->off_cfg = (struct offcpu_cfg){ .aggregate = true, .empties = true, .parts = OFFCPU_PART_ALL };
		o->m.offcpu = &o->off_cfg;
	}
	o->m.target.all = true;
	ret = add_events(o, err);
	ret = ret ? ret : measure_check(&o->m, operands, err);
	return ret ? ret : check_views(o, err);
}

static int agent_run(void *cfg, char **operands, struct err *err)
{
	bool reloads = ((struct agent_options *)cfg)->config || !restart_has_terminal();
	struct agent_options *o = cfg;
	static struct agent a; /* large */
	int status = 0, ret;

	if (o->push.schema) {
		clickhouse_schema(stdout, o->push.cluster);
		return 0;
	}
	if (reloads)
		interrupts_patient(SIGHUP);
	ret = check(o, operands, err);
	a.o = o;
	a.segments.store.dir = a.segments.store.mark = -1;
	a.segments.keep_kib = o->keep_kib;
	a.segments.keep_ns = o->keep_ns;
	if (!ret)
		ret = store_open(&a.segments.store, o->store, true, err);
	if (!ret && (!(a.pic = picture_new(NULL)) || !(a.labels = agent_labels_new(o->pids, &a.pic->names))))
		ret = err_set(err, -ENOMEM, "out of memory");
	if (!ret)
		ret = agent_push_open(&o->push, o->every_ns, &a.segments.store, &a.segments.push, err);
	o->figures.labels = a.labels;
	o->figures.push = a.segments.push;
	if (!ret && o->figures.listen)
		ret = figures_open(&o->figures, &a.figures, err);
	if (!ret)
		ret = run(&a, &status, err);
	agent_push_end(a.segments.push);
	if (!ret) {
		honesty_print(&o->h, &a.all);
		ret = honesty_exit(&o->h, &a.all, status, err);
	}
	pprof_out_free(&a.segments.out);
	picture_free(a.pic);
	agent_profiles_free(a.profiles);
	figures_close(a.figures);
	agent_labels_free(a.labels);
	store_close(&a.segments.store);
	measure_free(&o->m);
	if (reloads && ret == -EINTR && interrupts_last() == SIGHUP) /* before it began to measure */
		ret = 0;
	if (ret >= 0 && a.again && !interrupts_count())
		return restart(a.again, a.until_ns, err);
	return ret >= 0 && reloads && interrupts_last() == SIGHUP ? restart("SIGHUP: the options are read again", a.until_ns, err) : ret;
}

const struct cmd cmd_agent = {
	.name = "agent",
	.summary = "sample the whole machine for as long as it runs, into a store of profiles",
	.operands = "",
	.groups = agent_groups,
	.cfg_size = sizeof(struct agent_options),
	.examples = "skep agent                                 19 times a second, a profile each minute\n"
		    "skep agent --store here --every 10 -F 49   49 times, each ten seconds, in a directory of one's own\n"
		    "skep agent --store here --listen 9099 --calls   also figures for Prometheus: system calls by error\n"
		    "skep flame --store here --since 10m        the last ten minutes\n"
		    "skep report --store here --since 14:03 --until 14:05 -s comm\n",
	.run = agent_run,
	.has_config = true,
};
