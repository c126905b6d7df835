/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A stream prints each hit as it arrives; a table is printed at the end, or at each interval. */
#include "cmd/probe_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/byrows.h"
#include "cmd/probe_hits.h"
#include "cmd/run.h"
#include "cmd/stat_stack.h"
#include "render/events/hit.h"
#include "util/log.h"

struct probe_run {
	struct run base; /* first */
	const struct probe_run_cfg *cfg;
	struct run_cfg table;
	struct byrows_schema schema;
	struct probe_cfg probe;
	struct probe_hits hits;
	bool is_full; /* -n */
};

static int on_hit(struct sink *sink, const struct sample *s)
{
	struct probe_run *run = (struct probe_run *)sink;
	const struct row *row;
	int ret;

	if (run->is_full) /* the kernel saw more */
		return 0;
	row = probe_hits_row(&run->hits, s);
	ret = row ? sink->row(sink, row) : -ENOMEM;
	if (!ret && run->base.nr_rows == run->cfg->o->max_events) {
		run->is_full = true;
		ret = fflush(run->base.out.stream) ? -errno : -ECANCELED; /* detaching takes a while */
	}
	return ret;
}

/* -v: what a glob stands for and cannot be probed, a line each. */
static void note_refused(const struct probe_run *run)
{
	for (int i = 0; i < run->cfg->nr_probes; i++) {
		const struct site_list *l = &run->cfg->probes[i].sites;

		for (size_t k = 0; k < l->refused.n; k++)
			log_detail("not probed: %s: %s", l->refused.data[k].name, l->refused.data[k].why);
	}
}

static int explain_nothing(const struct probe_run *run, struct err *err)
{
	const struct probe_spec *s = &run->cfg->probes[0].spec;

	if (run->base.profile.seen) {
		err_set(err, -ENODATA, "no hits: all %llu were lost", (unsigned long long)run->base.profile.seen);
		return -ENODATA;
	}
	err_set(err, -ENODATA, "no hits in %.3f s: '%s' was not called in the target%s", run->base.profile.duration_ns / 1e9, s->name,
		s->filter || s->also ? ", or the filter was never true" : "");
	if (!run->cfg->o->target.all)
		err_hint(err, "use -a instead of COMMAND or -p to probe every process");
	return -ENODATA;
}

/* --strict: all that a glob stands for, or nothing. */
static int check_refused(const struct probe_run *run, struct err *err)
{
	for (int i = 0; i < run->cfg->nr_probes; i++) {
		const struct site_list *l = &run->cfg->probes[i].sites;

		if (l->refused.n && run->cfg->h->strict)
			return err_exit(err, -EINVAL, EXIT_FAILED, "%zu functions of '%s' cannot be probed; the first: %s: %s", l->refused.n,
					run->cfg->probes[i].spec.name, l->refused.data[0].name, l->refused.data[0].why);
	}
	return 0;
}

static int begin(void *arg, struct err *err)
{
	struct probe_run *run = arg;
	int ret = check_refused(run, err);

	if (ret)
		return ret;
	probe_hits_start(&run->hits, &run->base.view);
	stat_out_fresh(&run->base.out);
	return 0;
}

static int end(void *arg, const struct session *session)
{
	struct probe_run *run = arg;

	(void)session;
	if (run->is_full) /* hits after the last of -n do not count */
		run->base.profile.seen = run->base.profile.kept = run->base.nr_rows;
	return 0;
}

/* How value i of --by and --hist is shown at a site; -1: there is no such site. */
static int value_kind(const struct probe_run *run, uint32_t site, int i)
{
	const struct probe *p = NULL;
	const struct site *s = probe_site(run->cfg->probes, run->cfg->nr_probes, site, &p);

	return s ? s->bound.args[p->spec.nr_args + i].show : -1;
}

/* The kind of key i if all sites have the same one, else VALUE_TEXT. */
static enum value_kind key_kind(const struct probe_run *run, int i)
{
	int first = value_kind(run, 0, i), kind = first;

	for (uint32_t site = 1; kind >= 0 && kind == first; site++)
		kind = value_kind(run, site, i);
	return first >= 0 && kind < 0 ? first : VALUE_TEXT;
}

/* Is the histogram's value unsigned at all sites? */
static bool has_unsigned_value(const struct probe_run *run, int nr_keys)
{
	int kind;

	for (uint32_t site = 0; (kind = value_kind(run, site, nr_keys)) >= 0; site++)
		if (kind != VALUE_NUMBER && kind != VALUE_HEX && kind != VALUE_SYMBOL)
			return false;
	return true;
}

/* By its keys, or by what was hit. */
static void make_schema(struct probe_run *run)
{
	const struct probe_keys *k = run->cfg->keys;
	struct byrows_cfg cfg = { .count = "hits", .offered = k ? k->sums.by : BY_EVENT };

	if (k) {
		cfg.nr_fields = k->sums.nr_fields;
		cfg.values = probe_keys_values(k);
		cfg.axis = (struct hist_axis){ k->sums.linear, k->sums.linear, k->sums.low, k->sums.step };
	}
	for (int i = 0; i < cfg.nr_fields; i++) {
		cfg.fields[i] = k->names[i];
		cfg.kinds[i] = key_kind(run, i);
	}
	cfg.is_unsigned = run->probe.sums.is_unsigned = cfg.values == BYROWS_NUMBERS && has_unsigned_value(run, cfg.nr_fields);
	byrows_schema(&run->schema, &cfg);
	run->table = (struct run_cfg){ .schema = &run->schema.schema, .keys = byrows_keys(cfg.offered, cfg.nr_fields),
				       .sort = run->schema.schema.sort, .top = run->cfg->o->view.top, .draws = cfg.values };
	run->probe.sums.schema = &run->schema.schema;
}

/* Each hit, or a table. */
static int make_view(struct probe_run *run, struct err *err)
{
	const struct probe_options *o = run->cfg->o;
	bool is_csv = o->view.format && !strcmp(o->view.format, "csv");
	int ret = 0;

	if (run->probe.mode == PROBE_MODE_STREAM) {
		ret = is_csv || o->view.fields ? probe_hits_share(&run->hits, err) : 0;
		run->table = (struct run_cfg){ .schema = &run->hits.all.schema, .is_stream = true, .text = &hit_text };
	} else {
		make_schema(run);
		ret = run_interval(o->view.interval_ms, &run->table.interval_ns, err);
	}
	run->table.format = o->view.format;
	run->table.fields = o->view.fields;
	run->table.out = o->view.out ? o->view.out : "-";
	run->table.duration_ns = o->view.duration_ns;
	run->table.budget = o->view.budget;
	run->table.is_live = true;
	return ret ? ret : run_open(&run->base, &run->table, err);
}

static int run_with(struct probe_run *run, int *ret_status, struct err *err)
{
	static const struct run_hooks hooks = { begin, end };
	struct session_cfg cfg = { .target = &run->cfg->o->target, .nr_sources = 1 };
	int ret = make_view(run, err), status = 0;

	cfg.sources[0] = ret ? NULL : src_probe_new(&run->probe);
	ret = ret ? ret : run_session(&run->base, &cfg, &hooks, &status, err);
	ret = run_close(&run->base, ret, err);
	if (ret)
		return ret;
	note_refused(run);
	if (run->base.profile.kept) {
		*ret_status = run_end(&run->base, run->cfg->h, status, err);
		return *ret_status < 0 ? *ret_status : 0;
	}
	honesty_print(run->cfg->h, &run->base.profile);
	return explain_nothing(run, err);
}

/* -g: the sites of a probe are one event each. */
static int run_stacks(const struct probe_run_cfg *cfg, int *ret_status, struct err *err)
{
	const struct probe_options *o = cfg->o;
	const char *format = o->view.format ? o->view.format : "text";
	const struct stat_stack stack = { .keys = o->view.by, .out = o->view.out ? o->view.out : "-", .top = o->view.top,
					  .duration_ns = o->view.duration_ns, .json = !strcmp(format, "json"),
					  .csv = !strcmp(format, "csv"), .folded = !strcmp(format, "folded"), .walks = o->walks };
	struct profile profile = { .title = command_line() };
	struct measure *m = calloc(1, sizeof(*m));
	int status = 0, ret;

	if (!m)
		return -ENOMEM;
	m->target = o->target;
	m->duration_ns = o->view.duration_ns;
	m->budget = o->view.budget;
	m->budget_bpf = o->view.budget;
	m->event_text = "";
	m->ring_kb = o->ring_kb;
	m->probes = cfg->probes;
	m->nr_probes = m->nr_events = cfg->nr_probes;
	for (int i = 0; i < cfg->nr_probes; i++) {
		m->events[i] = (struct event){ .kind = EVENT_PROBE, .unit = "hits", .period_or_freq = 1 };
		probe_title(&cfg->probes[i].spec, NULL, m->events[i].name, sizeof(m->events[i].name));
		cfg->probes[i].has_event = true;
		cfg->probes[i].event = i;
	}
	ret = stat_stack_measure(&stack, m, &profile, &status, err);
	if (!ret) {
		honesty_print(cfg->h, &profile);
		if (!profile.kept)
			ret = err_set(err, -ENODATA, "no hits in %.3f s: '%s' was not called in the target", profile.duration_ns / 1e9, m->events[0].name);
	}
	if (!ret) {
		*ret_status = honesty_exit(cfg->h, &profile, status, err);
		ret = *ret_status < 0 ? *ret_status : 0;
	}
	free(m);
	return ret;
}

int probe_run(const struct probe_run_cfg *cfg, int *ret_status, struct err *err)
{
	struct probe_run run = {
		.base = { .sink = { .sample = on_hit } },
		.cfg = cfg,
		.probe = { .probes = cfg->probes, .nr_probes = cfg->nr_probes,
			   .mode = cfg->keys ? PROBE_MODE_SUM : cfg->o->count ? PROBE_MODE_COUNT : PROBE_MODE_STREAM,
			   .ring_bytes = cfg->o->ring_kb << 10, .text_bytes = cfg->o->text_bytes, .bpf_stats = cfg->h->receipt || cfg->o->view.budget, .keeps_budget = cfg->o->view.budget },
	};
	int ret;

	if (cfg->o->stacks)
		return run_stacks(cfg, ret_status, err);
	if (cfg->keys) {
		run.probe.sums = cfg->keys->sums;
		run.probe.sums.field_text = probe_hits_field;
		run.probe.sums.arg = &run.hits;
	}
	run.base.profile = (struct profile){ .event = cfg->probes[0].spec.name, .unit = "hits" };
	ret = probe_hits_init(&run.hits, cfg->probes, cfg->nr_probes);
	ret = ret ? ret : run_with(&run, ret_status, err);
	probe_hits_free(&run.hits);
	return ret;
}
