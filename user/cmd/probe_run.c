/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A stream prints each hit as it arrives; a table is printed at the end, or at each interval. */
#include "cmd/probe_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/byrows.h"
#include "capture/ksym.h"
#include "cmd/run.h"
#include "cmd/stat_stack.h"
#include "event/printfmt.h"
#include "event/record.h"
#include "model/hit.h"
#include "render/events/hit.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/strpool.h"

/* A site whose hits are shown. */
struct shown {
	struct hit_site hits;
	const struct site *site;
	struct printfmt *print; /* of a tracepoint whose record is shown; NULL: its format is not understood */
	bool is_call;
};

struct probe_run {
	struct run base; /* first */
	const struct probe_run_cfg *cfg;
	struct run_cfg table;
	struct byrows_schema schema;
	struct probe_cfg probe;
	struct hit_site all;   /* CSV: the columns of all sites */
	struct shown **shown;  /* made at a site's first hit */
	uint32_t nr_sites;
	const struct shown *now; /* whose hit is being printed */
	struct hit_row row;
	struct strpool *pool;  /* texts of hit_site */
	uint64_t start_ns;
	uint64_t nr_hits;
	bool is_full; /* -n */
	struct ksym_asker *ksym; /* names of kernel addresses; NULL: none is needed, or available */
};

/* 0 or -errno. */
static int add_values(struct probe_run *run, struct hit_site *hits, const struct site *s)
{
	int ret = 0;

	for (int i = 0; i < s->bound.nr_args && !ret; i++) {
		char name[sizeof(HIT_NAME) + BIND_NAME_MAX];
		const char *pooled;

		snprintf(name, sizeof(name), HIT_NAME "%s", s->bound.args[i].name);
		pooled = strpool_add(run->pool, name);
		ret = pooled ? hit_site_add(hits, pooled, s->bound.args[i].show) : -ENOMEM;
	}
	return ret;
}

/* One line of names is that of all sites. */
static int make_columns(struct probe_run *run, struct err *err)
{
	const struct site *s;
	int ret = 0;

	for (uint32_t i = 0; !ret && (s = probe_site(run->cfg->probes, run->cfg->nr_probes, i, NULL)); i++) {
		run->all.nr_values = 0;
		ret = add_values(run, &run->all, s);
	}
	if (ret != -ENOSPC)
		return ret;
	err_exit(err, ret, EXIT_USAGE, "--format csv has room for %d values: these probes have more of different names", HIT_VALUES_MAX);
	err_hint(err, "use --format json, or choose values: PROBE(VALUE,...)");
	return ret;
}

static const char *call_text(struct probe_run *run, const struct probe_spec *spec, const struct site *s)
{
	char *text = NULL;
	const char *pooled = asprintf(&text, "%s%s", s->name, spec->is_return ? "%return" : "") < 0 ? NULL : strpool_add(run->pool, text);

	free(text);
	return pooled;
}

static int make_shown(struct probe_run *run, struct shown *sh, uint32_t i)
{
	char title[PROBE_PATH_MAX + 2 * PROBE_NAME_MAX];
	const struct probe *p = NULL;
	const struct site *s = probe_site(run->cfg->probes, run->cfg->nr_probes, i, &p);

	hit_site_init(&sh->hits, run->all.schema.n > HIT_COLUMNS ? &run->all : NULL);
	probe_title(&p->spec, s->name, title, sizeof(title));
	sh->site = s;
	sh->hits.title = strpool_add(run->pool, title);
	sh->hits.call = call_text(run, &p->spec, s);
	if (!sh->hits.title || !sh->hits.call)
		return -ENOMEM;
	if (s->format && s->format->print && printfmt_parse(s->format->print, s->format, &sh->print))
		sh->print = NULL;
	sh->is_call = !strncmp(s->name, "syscalls:", strlen("syscalls:"));
	return add_values(run, &sh->hits, s);
}

static struct shown *shown_site(struct probe_run *run, uint32_t i)
{
	struct shown *sh = run->shown[i];

	if (sh)
		return sh;
	sh = calloc(1, sizeof(*sh));
	if (sh && make_shown(run, sh, i)) {
		printfmt_free(sh->print);
		free(sh);
		return NULL;
	}
	return run->shown[i] = sh;
}

/* Names of enums; a number that has none stays one. */
static const char *enumerator_name(const struct bound_arg *a, uint64_t value, char *buf, size_t size)
{
	struct cenumerator e;

	if (a->show != VALUE_ENUM || !a->types)
		return NULL;
	for (uint32_t k = 0; !a->types->enumerator(a->types, a->enum_id, k, &e); k++)
		if ((uint64_t)e.value == value) {
			snprintf(buf, size, "%s", e.name);
			return buf;
		}
	return NULL;
}

static const char *name_address(void *arg, uint64_t addr, char *buf, size_t size)
{
	struct probe_run *run = arg;

	return run->ksym && !ksym_name(run->ksym, addr, buf, size) ? buf : NULL;
}

static bool name_value(const struct rows_view *view, const struct row *row, size_t column, char *buf, size_t size)
{
	const struct probe_run *run = view->arg;
	uint64_t value = row->values[column].num;
	uint32_t i = 0;

	if (row->schema->columns[column].kind == VALUE_SYMBOL)
		return name_address(view->arg, value, buf, size);
	while (run->now->hits.at[i] != column)
		i++;
	return enumerator_name(&run->now->site->bound.args[i], value, buf, size);
}

static struct record record_of(const struct rows_view *view, const struct row *row, size_t column)
{
	const struct shown *sh = ((const struct probe_run *)view->arg)->now;
	const struct sample_value *v = row->values[column].bytes;

	return (struct record){ sh->site->format, v->bytes, v->nr_bytes, sh->is_call };
}

static void record_as_text(const struct rows_view *view, const struct row *row, size_t column, char *buf, size_t size)
{
	const struct printfmt_names names = { name_address, view->arg };
	const struct probe_run *run = view->arg;
	const struct sample_value *v = row->values[column].bytes;
	struct record r = record_of(view, row, column);

	if (run->now->print)
		printfmt_text(run->now->print, v->bytes, v->nr_bytes, &names, buf, size);
	else
		record_text(&r, buf, size);
}

static void record_as_json(const struct rows_view *view, const struct row *row, size_t column, struct json *json)
{
	struct record r = record_of(view, row, column);

	record_json(&r, json);
}

static int on_hit(struct sink *sink, const struct sample *s)
{
	struct probe_run *run = (struct probe_run *)sink;
	int ret;

	if (run->is_full) /* the kernel saw more */
		return 0;
	run->now = shown_site(run, s->site);
	if (!run->now)
		return -ENOMEM;
	hit_row(&run->now->hits, s, run->start_ns, &run->row);
	ret = sink->row(sink, &run->row.row);
	if (!ret && ++run->nr_hits == run->cfg->o->max_events) {
		run->is_full = true;
		ret = fflush(run->base.out.stream) ? -errno : -ECANCELED; /* detaching takes a while */
	}
	return ret;
}

/* A number of a key as text. */
static void field_text(void *arg, const struct site *site, int i, const struct sample_value *v, char *buf, size_t size)
{
	const struct bound_arg *a = &site->bound.args[i];

	if (v->text)
		snprintf(buf, size, "%s", v->text);
	else if (a->show == VALUE_SYMBOL && name_address(arg, v->num, buf, size))
		return;
	else if (!enumerator_name(a, v->num, buf, size))
		rows_number(buf, size, v->num, a->show);
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

static bool wants_symbols(const struct probe_run *run)
{
	const struct site *s;

	for (uint32_t i = 0; (s = probe_site(run->cfg->probes, run->cfg->nr_probes, i, NULL)); i++)
		for (int k = 0; k < s->bound.nr_args; k++)
			if (s->bound.args[k].show == VALUE_SYMBOL || (s->format && s->format->print && strstr(s->format->print, "%p")))
				return true;
	return false;
}

static int begin(void *arg, struct err *err)
{
	struct probe_run *run = arg;
	int ret = check_refused(run, err);

	if (ret)
		return ret;
	run->start_ns = now_ns();
	stat_out_fresh(&run->base.out);
	if (wants_symbols(run) && ksym_open(&run->ksym))
		run->ksym = NULL;
	return 0;
}

static int end(void *arg, const struct session *session)
{
	struct probe_run *run = arg;

	(void)session;
	if (run->is_full) /* hits after the last of -n do not count */
		run->base.profile.seen = run->base.profile.kept = run->nr_hits;
	return 0;
}

/* By its keys, or by what was hit. */
static void make_schema(struct probe_run *run)
{
	const struct probe_keys *k = run->cfg->keys;
	struct byrows_cfg cfg = { .count = "hits", .offered = k ? k->sums.by : BY_EVENT };

	if (k) {
		cfg.nr_fields = k->sums.nr_fields;
		cfg.values = !k->sums.has_value ? BYROWS_NOTHING : k->is_duration ? BYROWS_DURATIONS : BYROWS_NUMBERS;
		cfg.axis = (struct hist_axis){ k->sums.linear, k->sums.linear, k->sums.low, k->sums.step };
	}
	for (int i = 0; i < cfg.nr_fields; i++)
		cfg.fields[i] = k->names[i];
	byrows_schema(&run->schema, &cfg);
	run->table = (struct run_cfg){ .schema = &run->schema.schema, .keys = byrows_keys(cfg.offered, cfg.nr_fields),
				       .sort = cfg.values == BYROWS_DURATIONS ? BYROWS_TOTAL : BYROWS_COUNT,
				       .top = run->cfg->o->view.top, .interval_ns = run->cfg->o->view.interval_ms * 1000000, .draws = cfg.values };
	run->probe.sums.schema = &run->schema.schema;
}

/* Each hit, or a table. */
static int make_view(struct probe_run *run, struct err *err)
{
	const struct probe_options *o = run->cfg->o;
	bool is_csv = o->view.format && !strcmp(o->view.format, "csv");
	int ret = 0;

	if (run->probe.mode == PROBE_MODE_STREAM) {
		hit_site_init(&run->all, NULL);
		ret = is_csv ? make_columns(run, err) : 0;
		run->table = (struct run_cfg){ .schema = &run->all.schema, .is_stream = true, .text = &hit_text };
	} else {
		make_schema(run);
	}
	run->table.format = o->view.format;
	run->table.out = o->view.out ? o->view.out : "-";
	run->table.duration_ns = o->view.duration_ns;
	run->table.is_live = true;
	return ret ? ret : run_open(&run->base, &run->table, err);
}

static int run_with(struct probe_run *run, int *ret_status, struct err *err)
{
	static const struct run_hooks hooks = { begin, end };
	struct session_cfg cfg = { .target = &run->cfg->o->target, .nr_sources = 1 };
	int ret = make_view(run, err), status = 0;

	run->base.view.name = name_value;
	run->base.view.record_text = record_as_text;
	run->base.view.record_json = record_as_json;
	run->base.view.arg = run;
	cfg.sources[0] = ret ? NULL : src_probe_new(&run->probe);
	ret = ret ? ret : run_session(&run->base, &cfg, &hooks, &status, err);
	ksym_close(run->ksym);
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
	const struct stat_stack stack = { .keys = o->view.by, .out = o->view.out ? o->view.out : "-", .top = o->view.top, .duration_ns = o->view.duration_ns,
					  .json = o->view.format && !strcmp(o->view.format, "json"), .csv = o->view.format && !strcmp(o->view.format, "csv"),
					  .folded = o->view.format && !strcmp(o->view.format, "folded"), .walks = o->walks };
	struct profile profile = { .title = command_line() };
	struct measure *m = calloc(1, sizeof(*m));
	int status = 0, ret;

	if (!m)
		return -ENOMEM;
	m->target = o->target;
	m->duration_ns = o->view.duration_ns;
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
		.probe = { .probes = cfg->probes, .nr_probes = cfg->nr_probes, .mode = cfg->keys ? PROBE_MODE_SUM : cfg->o->count ? PROBE_MODE_COUNT : PROBE_MODE_STREAM,
			   .ring_bytes = cfg->o->ring_kb << 10, .text_bytes = cfg->o->text_bytes, .bpf_stats = cfg->h->receipt },
	};
	int ret;

	if (cfg->o->stacks)
		return run_stacks(cfg, ret_status, err);
	if (cfg->keys) {
		run.probe.sums = cfg->keys->sums;
		run.probe.sums.field_text = field_text;
		run.probe.sums.arg = &run;
	}
	for (int i = 0; i < cfg->nr_probes; i++)
		run.nr_sites += cfg->probes[i].sites.all.n;
	run.shown = calloc(run.nr_sites + 1, sizeof(*run.shown));
	run.base.profile = (struct profile){ .event = cfg->probes[0].spec.name, .unit = "hits" };
	run.pool = strpool_new();
	ret = run.shown && run.pool ? run_with(&run, ret_status, err) : -ENOMEM;
	for (uint32_t i = 0; run.shown && i < run.nr_sites; i++)
		if (run.shown[i]) {
			printfmt_free(run.shown[i]->print);
			free(run.shown[i]);
		}
	free(run.shown);
	strpool_free(run.pool);
	return ret;
}
