/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep agent: samples all CPUs for as long as it runs, and keeps sums of stacks in a store, one file for each span. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/session.h"
#include "cmd/agentlabels.h"
#include "cmd/cmd.h"
#include "cmd/live.h"
#include "cmd/pprofout.h"
#include "cmd/storespan.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/outfile.h"

#define NS_PER_S UINT64_C(1000000000)
#define EVERY_NS (60 * NS_PER_S)
#define EVERY_MIN_NS NS_PER_S
#define TAKE_NS (5 * NS_PER_S) /* sums are taken so often: names are found while processes live, or soon after */
#define KEEP_KIB (1u << 20)
#define KEEP_NS (7 * 24 * 3600 * NS_PER_S)
#define FREQ 19 /* a prime: in step with nothing */
#define PATH_BYTES 4096

struct agent_options {
	struct measure m;
	struct honesty h;
	const char *store;
	uint64_t every_ns, keep_kib, keep_ns;
};

struct agent {
	struct agent_options *o;
	struct picture *pic;
	struct session *session;
	struct store store;
	struct pprof_out out;
	struct agent_labels *labels;
	struct profile all;  /* of the run */
	struct profile done; /* what of that is in segments already */
	uint64_t wall_ns, begun_ns; /* when the segment that is being filled began: CLOCK_REALTIME, CLOCK_MONOTONIC */
	uint64_t nr_segments;
	bool failed; /* the last one could not be written */
};

static const struct opt agent_opts[] = {
	{ 0, "store", "DIR", OPT_TEXT, offsetof(struct agent_options, store), "directory of the profiles (default: " STORE_DEFAULT ")" },
	{ 0, "every", "TIME", OPT_DURATION, offsetof(struct agent_options, every_ns), "one profile for each TIME, as 10, 5m (default: 1m)" },
	{ 0, "keep", "SIZE", OPT_KIB, offsetof(struct agent_options, keep_kib), "delete the oldest when all have more than SIZE (default: 1G)" },
	{ 0, "keep-time", "TIME", OPT_DURATION, offsetof(struct agent_options, keep_ns), "delete those that are older than TIME (default: 168h)" },
	{ 0 },
};

static const struct opt_group agent_groups[] = {
	{ "Store", agent_opts, 0 },
	{ "Sampling", measure_opts, offsetof(struct agent_options, m), measure_rules },
	{ "Stacks", walk_opts, offsetof(struct agent_options, m.walks) },
	{ "Honesty", honesty_opts, offsetof(struct agent_options, h) },
	{ 0 },
};

/* What came since the last segment that was written. ledger: what the run has lost so far, beside what names and stacks lack. */
static void profile_since(const struct agent *a, const struct profile *ledger, struct profile *p)
{
	*p = (struct profile){ .title = command_line(), .event = a->o->m.events[0].name, .unit = a->o->m.events[0].unit };
	p->duration_ns = now_ns() - a->begun_ns;
	p->kept = a->pic->fold.view.folded - a->done.kept;
	p->weight = a->all.weight - a->done.weight;
	for (int i = 0; i < LOSS_MAX; i++)
		p->losses[i] = a->all.losses[i] + ledger->losses[i] - a->done.losses[i];
}

static int write_file(struct agent *a, const struct profile *p, const char *path, struct err *err)
{
	struct pprof_head head = { .time_ns = a->wall_ns, .period = p->kept ? p->weight / p->kept : 0 };
	struct outfile out;
	int64_t bytes;
	int ret = outfile_open(&out, path, err);

	if (ret)
		return ret;
	ret = pprof_out_write(&a->out, &a->pic->fold.view, p, &head, out.stream);
	bytes = ret < 0 && !ferror(out.stream) ? err_set(err, ret, "cannot write '%s': %s", path, strerror(-ret)) : outfile_commit(&out, err);
	outfile_abort(&out);
	return bytes < 0 ? (int)bytes : 0;
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

/*
 * What cannot be written now, as when the disk is full, is part of the next segment: nothing is lost while there is memory. A store that
 * was removed is made again.
 */
static int write_segment(struct agent *a, const struct profile *ledger)
{
	char path[PATH_BYTES];
	struct segment seg;
	struct err err = { 0 };
	struct profile p;
	int ret;

	profile_since(a, ledger, &p);
	store_name(&a->store, &seg, a->wall_ns / NS_PER_S, clock_ns(CLOCK_REALTIME) / NS_PER_S, p.event);
	snprintf(path, sizeof(path), "%s/%s", a->store.path, seg.name);
	ret = write_file(a, &p, path, &err);
	if (ret == -ENOENT) {
		store_close(&a->store);
		ret = store_open(&a->store, a->store.path, true, &err);
		ret = ret ? ret : write_file(a, &p, path, &err);
	}
	if (ret == -ENOMEM)
		return ret;
	if (ret) {
		log_note("note: %s: what was sampled stays in memory, for the next profile", err.text);
		a->failed = true;
		return 0;
	}
	if (a->failed)
		log_note("note: '%s' has what could not be written before", seg.name);
	a->failed = false;
	a->nr_segments++;
	log_detail("wrote %s: %" PRIu64 " samples, %zu stacks", seg.name, p.kept, pprof_out_stacks(&a->out, &a->pic->fold.view));
	pprof_out_free(&a->out);
	a->done.kept += p.kept;
	a->done.weight += p.weight;
	for (int i = 0; i < LOSS_MAX; i++)
		a->done.losses[i] += p.losses[i];
	a->wall_ns = clock_ns(CLOCK_REALTIME);
	a->begun_ns = now_ns();
	trim(a);
	return 0;
}

/* Segments end with the minute, or what --every is, so that those of several machines have the same spans; and where the clock was set back. */
static int at_interval(void *arg, uint64_t since_start_ns)
{
	struct agent *a = arg;
	uint64_t every = a->o->every_ns, now = clock_ns(CLOCK_REALTIME);
	struct profile ledger = { .receipt.is_not_wanted = true };

	(void)since_start_ns;
	agent_labels_round(a->labels);
	if (now >= a->wall_ns && now / every == a->wall_ns / every)
		return 0;
	session_profile(a->session, &ledger);
	return write_segment(a, &ledger);
}

static int run(struct agent *a, int *status, struct err *err)
{
	static const struct profile none;
	struct syms_cfg syms_cfg = { .build_ids = true };
	struct sample_cfg cfg = { .aggregate = true, .bpf_stats = a->o->h.receipt };
	struct picture *pic = a->pic;
	int ret;

	a->o->m.ret_session = &a->session;
	a->o->m.interval_ns = a->o->every_ns < TAKE_NS ? a->o->every_ns : TAKE_NS;
	a->o->m.has_cgroup = a->o->m.empties = true;
	pic->names.interval = at_interval;
	pic->names.interval_arg = a;
	pic->fold.view = (struct fold_view){ .profile = &a->all };
	pic->fold.root = ROOT_NONE;
	pprof_out_begin(&a->out, pic);
	a->out.label = agent_labels_of;
	a->out.label_arg = a->labels;
	a->wall_ns = clock_ns(CLOCK_REALTIME);
	a->begun_ns = now_ns();
	log_note("note: profiles go to '%s', one for each %" PRIu64 " s", a->store.path, a->o->every_ns / NS_PER_S);
	ret = live_run(&a->o->m, &cfg, &syms_cfg, pic, status, err);
	a->session = NULL;
	if (!ret && pic->fold.view.folded != a->done.kept)
		ret = write_segment(a, &none); /* all has what the run has lost by now */
	if (!ret && a->failed)
		ret = err_set(err, -EIO, "%" PRIu64 " samples could not be written", pic->fold.view.folded - a->done.kept);
	return ret;
}

static int check(struct agent_options *o, char **operands, struct err *err)
{
	if (operands[0])
		return err_exit(err, -EINVAL, EXIT_USAGE, "unexpected '%s': skep agent measures the whole machine", operands[0]);
	o->store = o->store ? o->store : STORE_DEFAULT;
	o->every_ns = o->every_ns ? o->every_ns : EVERY_NS;
	o->keep_kib = o->keep_kib ? o->keep_kib : KEEP_KIB;
	o->keep_ns = o->keep_ns ? o->keep_ns : KEEP_NS;
	if (o->every_ns < EVERY_MIN_NS)
		return err_exit(err, -ERANGE, EXIT_USAGE, "bad value of '--every': 1 s or more");
	if (!o->m.freq && !o->m.period)
		o->m.freq = FREQ;
	o->m.target.all = true;
	return measure_check(&o->m, operands, err);
}

static int agent_run(void *cfg, char **operands, struct err *err)
{
	struct agent_options *o = cfg;
	struct agent a = { .o = o, .store = { .dir = -1, .mark = -1 } };
	int status = 0, ret = check(o, operands, err);

	if (!ret && o->m.nr_events > 1)
		ret = err_exit(err, -EINVAL, EXIT_USAGE, "skep agent samples one event, not %d", o->m.nr_events);
	if (!ret)
		ret = store_open(&a.store, o->store, true, err);
	if (!ret && (!(a.pic = picture_new(NULL)) || !(a.labels = agent_labels_new())))
		ret = err_set(err, -ENOMEM, "out of memory");
	if (!ret)
		ret = run(&a, &status, err);
	if (!ret) {
		honesty_print(&o->h, &a.all);
		ret = honesty_exit(&o->h, &a.all, status, err);
	}
	pprof_out_free(&a.out);
	picture_free(a.pic);
	agent_labels_free(a.labels);
	store_close(&a.store);
	measure_free(&o->m);
	return ret;
}

const struct cmd cmd_agent = {
	.name = "agent",
	.summary = "sample the whole machine for as long as it runs, into a store of profiles",
	.operands = "",
	.groups = agent_groups,
	.cfg_size = sizeof(struct agent_options),
	.examples = "skep agent                                 19 times a second, a profile each minute\n"
		    "skep agent --store here --every 10 -F 49   49 times, each ten seconds, in a directory of one's own\n"
		    "skep flame --store here --since 10m        the last ten minutes\n"
		    "skep report --store here --since 14:03 --until 14:05 -s comm\n",
	.run = agent_run,
};
