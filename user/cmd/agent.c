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
#include "cmd/cmd.h"
#include "cmd/live.h"
#include "cmd/offcpu.h"
#include "cmd/pprofout.h"
#include "cmd/restart.h"
#include "cmd/storespan.h"
#include "util/clock.h"
#include "util/interrupt.h"
#include "util/log.h"
#include "util/outfile.h"

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
#define PATH_BYTES 4096
#define CLOCK_SET_NS (2 * NS_PER_S) /* a clock that is slewed, and not set, differs by less in a minute (500 ppm) */
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

/* An event, and what of its samples is in segments already. */
struct agent_view {
	struct fold_view at;
	struct profile all;
	struct profile done; /* its kept, weight and losses */
	uint64_t wall_ns, begun_ns, boot_ns; /* when the segment that is being filled began: CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_BOOTTIME */
	bool failed; /* the last one could not be written */
};

struct agent {
	struct agent_options *o;
	struct picture *pic;
	struct session *session;
	struct store store;
	struct pprof_out out;
	struct agent_labels *labels;
	struct figures *figures; /* NULL: not wanted */
	struct agent_profiles *profiles; /* likewise, as the next */
	struct push *push;
	struct profile all; /* of the run */
	struct agent_view views[EVENTS_MAX];
	int nr_views;
	int clock; /* the first event that is one; -1: there is none */
	uint64_t started_ns, until_ns; /* until_ns 0: no end */
	double least_rate; /* since segments were written */
	uint64_t looked_ns; /* at its memory */
	bool is_taken; /* the store was removed, and is another agent's now */
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

/*
 * What came since the last segment of a view. ledger: what the run has lost so far, beside what names and stacks lack; that of all events
 * stands with the first.
 */
static void profile_since(const struct agent *a, const struct agent_view *v, const struct profile *ledger, struct profile *p)
{
	const struct event *e = &a->o->m.events[v - a->views];

	*p = (struct profile){ .title = command_line(), .event = e->name, .unit = e->unit, .kept = v->at.folded - v->done.kept,
			       .weight = v->all.weight - v->done.weight };
	p->duration_ns = now_ns() - v->begun_ns;
	for (int i = 0; i < LOSS_MAX; i++)
		p->losses[i] = v->all.losses[i] + (v == a->views ? ledger->losses[i] : 0) - v->done.losses[i];
}

static int write_file(struct agent *a, const struct agent_view *v, const struct profile *p, const char *path, struct err *err)
{
	struct outfile out;
	int64_t bytes;
	int ret = outfile_open(&out, path, err);

	if (ret)
		return ret;
	ret = pprof_out_write(&a->out, &v->at, p, v->wall_ns, out.stream);
	if (ret < 0 && !ferror(out.stream))
		bytes = err_set(err, ret, "cannot write '%s': %s", path, strerror(-ret));
	else if (!fflush(out.stream) && fdatasync(out.channel.fd)) /* its bytes are there before its name, also after a power cut */
		bytes = err_set(err, -errno, "cannot write '%s': %s", path, strerror(errno));
	else
		bytes = outfile_commit(&out, err); /* which says what could not be written */
	outfile_abort(&out);
	return bytes < 0 ? (int)bytes : 0;
}

/* The rate that it was sampled with, where that was not what was asked for: weights are right all the same. Readers of the store look for it. */
static void note_rate(const struct agent *a, struct profile *p)
{
	if (a->least_rate < 1)
		profile_note(p, STORE_RATE " %.3g %% of the rate that was asked for, at the least, to keep to --budget (%.2g %%)",
			     100 * a->least_rate, 100 * a->o->m.budget);
}

static void begin_segment(struct agent_view *v)
{
	v->wall_ns = clock_ns(CLOCK_REALTIME);
	v->begun_ns = now_ns();
	v->boot_ns = clock_ns(CLOCK_BOOTTIME);
}

/* By the clock, if it was not set meanwhile: else after the time that passed, that of a suspend included. */
static uint64_t ended_ns(const struct agent_view *v)
{
	uint64_t now = clock_ns(CLOCK_REALTIME), then = v->wall_ns + clock_ns(CLOCK_BOOTTIME) - v->boot_ns;

	return now < v->wall_ns || now > then + CLOCK_SET_NS || then > now + CLOCK_SET_NS ? then : now;
}

static void trim(struct agent *a)
{
	uint64_t now_s = clock_ns(CLOCK_REALTIME) / NS_PER_S, keep_s = a->o->keep_ns / NS_PER_S;
	int n = store_trim(&a->store, a->o->keep_kib << 10, now_s > keep_s ? now_s - keep_s : 0);

	if (n > 0)
		log_detail("deleted %d profiles that were too old, or too many", n);
	else if (n < 0)
		log_note("note: cannot delete old profiles: %s", strerror(-n));
}

/* The directory was removed, or another one has its name: its lock is no lock of what has the name now. */
static int open_again(struct agent *a, struct err *err)
{
	int ret;

	store_close(&a->store);
	ret = store_open(&a->store, a->store.path, true, err);
	if (!ret)
		log_note("note: the store '%s' was removed or replaced: what it had is not there any more", a->store.path);
	return ret;
}

/*
 * What cannot be written now, as when the disk is full, is part of the next segment: nothing is lost while there is memory. A store that
 * was removed is made again.
 */
static int write_view(struct agent *a, struct agent_view *v, const struct profile *ledger)
{
	char path[PATH_BYTES];
	struct segment seg;
	struct err err = { 0 };
	struct profile p;
	int ret;

	profile_since(a, v, ledger, &p);
	note_rate(a, &p);
	ret = store_is_there(&a->store) ? 0 : open_again(a, &err);
	if (ret == -EBUSY) { /* who has it now samples the same */
		a->is_taken = true;
		return -ECANCELED; /* the run ends, as by a signal */
	}
	if (!ret) {
		store_name(&a->store, &seg, v->wall_ns / NS_PER_S, ended_ns(v) / NS_PER_S, p.event);
		snprintf(path, sizeof(path), "%s/%s", a->store.path, seg.name);
		ret = write_file(a, v, &p, path, &err);
	}
	if (ret == -ENOMEM)
		return ret;
	if (ret) {
		log_note("note: %s: what was sampled stays in memory, for the next profile", err.text);
		v->failed = true;
		return 0;
	}
	if (v->failed)
		log_note("note: '%s' has what could not be written before", seg.name);
	v->failed = false;
	log_detail("wrote %s: %" PRIu64 " samples, %zu stacks", seg.name, p.kept, pprof_out_stacks(&a->out, &v->at));
	if (a->push)
		push_segment(a->push, &seg);
	pprof_out_forget(&a->out, &v->at);
	begin_segment(v);
	v->done.kept += p.kept;
	v->done.weight += p.weight;
	for (int i = 0; i < LOSS_MAX; i++)
		v->done.losses[i] += p.losses[i];
	return 0;
}

/* A profile for each event, also where nothing came: else a span without samples would look like one that was not watched. */
static int write_segments(struct agent *a, const struct profile *ledger)
{
	int ret = 0;

	for (int i = 0; i < a->nr_views && !ret; i++)
		ret = write_view(a, &a->views[i], ledger);
	if (!ret && a->store.dir >= 0)
		trim(a);
	return ret;
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

static int attach_figures(void *arg, struct err *err)
{
	struct agent *a = arg;

	return figures_attach(a->figures, a->session, err);
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
	struct profile ledger = { 0 }, rate = { 0 };
	struct profiled all[EVENTS_MAX];
	int ret;

	for (int i = 0; i < a->nr_views; i++)
		all[i] = (struct profiled){ &a->views[i].at, &a->o->m.events[i], a->views[i].all.weight, &a->views[i].all };
	session_profile(a->session, &ledger);
	note_rate(a, &rate);
	ret = agent_profiles_round(a->profiles, all, a->nr_views, &ledger, rate.notes[0]);
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
		n += a->views[i].at.folded - a->views[i].done.kept;
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
		begin_segment(&a->views[i]);
	}
	if (a->figures && !(a->profiles = agent_profiles_new(figures_http(a->figures), &a->out)))
		return err_set(err, -ENOMEM, "out of memory");
	if (a->figures) {
		pic->fold.also = take_figures; /* which pprof_out_begin() calls, too */
		pic->fold.also_arg = a;
		pic->names.sink.row = take_row;
		a->o->m.opened = attach_figures;
		a->o->m.opened_arg = a;
	}
	pprof_out_begin(&a->out, pic);
	a->out.label = agent_labels_of;
	a->out.label_arg = a->labels;
	a->tried_ns = clock_ns(CLOCK_REALTIME);
	log_note("note: profiles go to '%s', one for each %" PRIu64 " s", a->store.path, a->o->every_ns / NS_PER_S);
	ret = live_run(&a->o->m, &cfg, &syms_cfg, pic, status, err);
	a->session = NULL;
	ledger = a->all;
	if (!ret && unwritten(a) && !a->is_taken)
		ret = write_segments(a, &ledger);
	if ((!ret || ret == -ECANCELED) && a->is_taken)
		ret = err_set(err, -EBUSY, "the store '%s' was removed or replaced, and another skep agent writes to it now: this one ends", a->store.path);
	if (!ret && unwritten(a) && a->again)
		log_note("note: %" PRIu64 " samples are lost: they could not be written, and there is no memory for them", unwritten(a));
	else if (!ret && unwritten(a))
		ret = err_set(err, -EIO, "%" PRIu64 " samples could not be written", unwritten(a));
	add_losses(a, &a->all);
	return ret;
}

/*
 * CPU time of units is told by a clock, and not by cycles. Of page faults every so many are sampled: at a rate the kernel guesses how many
 * come in between, and is wrong by more than ten times where they come in bursts.
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
	if (!o->m.freq && !o->m.period)
		o->m.freq = FREQ;
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
	return ret ? ret : measure_check(&o->m, operands, err);
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
	a.store.dir = a.store.mark = -1;
	if (!ret)
		ret = store_open(&a.store, o->store, true, err);
	if (!ret && (!(a.pic = picture_new(NULL)) || !(a.labels = agent_labels_new(o->pids))))
		ret = err_set(err, -ENOMEM, "out of memory");
	if (!ret)
		ret = agent_push_open(&o->push, o->every_ns, &a.store, &a.push, err);
	o->figures.labels = a.labels;
	o->figures.push = a.push;
	if (!ret && o->figures.listen)
		ret = figures_open(&o->figures, &a.figures, err);
	if (!ret)
		ret = run(&a, &status, err);
	agent_push_end(a.push);
	if (!ret) {
		honesty_print(&o->h, &a.all);
		ret = honesty_exit(&o->h, &a.all, status, err);
	}
	pprof_out_free(&a.out);
	picture_free(a.pic);
	agent_profiles_free(a.profiles);
	figures_close(a.figures);
	agent_labels_free(a.labels);
	store_close(&a.store);
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
