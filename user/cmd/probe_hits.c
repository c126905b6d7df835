/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/probe_hits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/printfmt.h"
#include "event/record.h"
#include "util/clock.h"

/* A site whose hits are shown. */
struct probe_hit_site {
	struct hit_site columns;
	const struct site *site;
	struct printfmt *print; /* of a tracepoint whose record is shown; NULL: its format is not understood */
	bool is_call;
};

int probe_hits_init(struct probe_hits *hits, struct probe *probes, int nr_probes)
{
	*hits = (struct probe_hits){ .probes = probes, .nr_probes = nr_probes, .pool = strpool_new() };
	hit_site_init(&hits->all, NULL);
	for (int i = 0; i < nr_probes; i++)
		hits->nr_sites += probes[i].sites.all.n;
	hits->sites = calloc(hits->nr_sites + 1, sizeof(*hits->sites));
	return hits->sites && hits->pool ? 0 : -ENOMEM;
}

static void free_site(struct probe_hit_site *site)
{
	if (site)
		printfmt_free(site->print);
	free(site);
}

void probe_hits_free(struct probe_hits *hits)
{
	for (uint32_t i = 0; hits->sites && i < hits->nr_sites; i++)
		free_site(hits->sites[i]);
	free(hits->sites);
	strpool_free(hits->pool);
	ksym_close(hits->ksym);
}

/* The next values of columns. 0 or -errno. */
static int add_values(struct probe_hits *hits, struct hit_site *columns, const struct site *s)
{
	int ret = 0;

	for (int i = 0; i < s->bound.nr_args && !ret; i++) {
		char name[sizeof(HIT_NAME) + BIND_NAME_MAX];
		const char *pooled;

		snprintf(name, sizeof(name), HIT_NAME "%s", s->bound.args[i].name);
		pooled = strpool_add(hits->pool, name);
		ret = pooled ? hit_site_add(columns, pooled, s->bound.args[i].show) : -ENOMEM;
	}
	return ret;
}

int probe_hits_share(struct probe_hits *hits, struct err *err)
{
	const struct site *s;
	int ret = 0;

	hits->is_shared = true;
	for (uint32_t i = 0; !ret && (s = probe_site(hits->probes, hits->nr_probes, i, NULL)); i++) {
		hits->all.nr_values = 0;
		ret = add_values(hits, &hits->all, s);
	}
	if (ret != -ENOSPC)
		return ret;
	err_exit(err, ret, EXIT_USAGE, "a row has room for %d values: these probes have more of different names", HIT_VALUES_MAX);
	err_hint(err, "use --format json without --fields, or choose values: PROBE(VALUE,...)");
	return ret;
}

/* A text of malloc() that is given to the pool. NULL without memory. */
static const char *pooled_text(struct probe_hits *hits, char *text)
{
	const char *pooled = text ? strpool_add(hits->pool, text) : NULL;

	free(text);
	return pooled;
}

static int make_site(struct probe_hits *hits, struct probe_hit_site *site, uint32_t i)
{
	const struct probe *p = NULL;
	const struct site *s = probe_site(hits->probes, hits->nr_probes, i, &p);
	size_t title_size = probe_title(&p->spec, s->name, NULL, 0) + 1;
	char *title = malloc(title_size), *call;

	if (title)
		probe_title(&p->spec, s->name, title, title_size);
	if (asprintf(&call, "%s%s", s->name, p->spec.is_return ? "%return" : "") < 0)
		call = NULL;
	hit_site_init(&site->columns, hits->is_shared ? &hits->all : NULL);
	site->site = s;
	site->columns.title = pooled_text(hits, title);
	site->columns.call = pooled_text(hits, call);
	if (!site->columns.title || !site->columns.call)
		return -ENOMEM;
	if (s->format && s->format->print && printfmt_parse(s->format->print, s->format, &site->print))
		site->print = NULL;
	site->is_call = !strncmp(s->name, "syscalls:", strlen("syscalls:"));
	return add_values(hits, &site->columns, s);
}

static struct probe_hit_site *site_of(struct probe_hits *hits, uint32_t i)
{
	struct probe_hit_site *site = hits->sites[i];

	if (site)
		return site;
	site = calloc(1, sizeof(*site));
	if (site && make_site(hits, site, i)) {
		free_site(site);
		return NULL;
	}
	return hits->sites[i] = site;
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
	struct probe_hits *hits = arg;

	return hits->ksym && !ksym_name(hits->ksym, addr, buf, size) ? buf : NULL;
}

static bool name_value(const struct rows_view *view, const struct row *row, size_t column, char *buf, size_t size)
{
	const struct probe_hits *hits = view->arg;
	uint64_t value = row->values[column].num;
	uint32_t i = 0;

	if (row->schema->columns[column].kind == VALUE_SYMBOL)
		return name_address(view->arg, value, buf, size);
	while (hits->now->columns.at[i] != column)
		i++;
	return enumerator_name(&hits->now->site->bound.args[i], value, buf, size);
}

static struct record record_of(const struct rows_view *view, const struct row *row, size_t column)
{
	const struct probe_hit_site *site = ((const struct probe_hits *)view->arg)->now;
	const struct sample_value *v = row->values[column].bytes;

	return (struct record){ site->site->format, v->bytes, v->nr_bytes, site->is_call };
}

static void record_as_text(const struct rows_view *view, const struct row *row, size_t column, char *buf, size_t size)
{
	const struct printfmt_names names = { name_address, view->arg };
	const struct probe_hits *hits = view->arg;
	const struct sample_value *v = row->values[column].bytes;
	struct record r = record_of(view, row, column);

	if (hits->now->print)
		printfmt_text(hits->now->print, v->bytes, v->nr_bytes, &names, buf, size);
	else
		record_text(&r, buf, size);
}

static void record_as_json(const struct rows_view *view, const struct row *row, size_t column, struct json *json)
{
	struct record r = record_of(view, row, column);

	record_json(&r, json);
}

static bool wants_symbols(const struct probe_hits *hits)
{
	const struct site *s;

	for (uint32_t i = 0; (s = probe_site(hits->probes, hits->nr_probes, i, NULL)); i++)
		for (int k = 0; k < s->bound.nr_args; k++)
			if (s->bound.args[k].show == VALUE_SYMBOL || (s->format && s->format->print && strstr(s->format->print, "%p")))
				return true;
	return false;
}

void probe_hits_start(struct probe_hits *hits, struct rows_view *view)
{
	hits->start_ns = now_ns();
	view->name = name_value;
	view->record_text = record_as_text;
	view->record_json = record_as_json;
	view->arg = hits;
	if (wants_symbols(hits) && ksym_open(&hits->ksym))
		hits->ksym = NULL;
}

const struct row *probe_hits_row(struct probe_hits *hits, const struct sample *s)
{
	hits->now = site_of(hits, s->site);
	if (!hits->now)
		return NULL;
	hit_row(&hits->now->columns, s, hits->start_ns, &hits->row);
	return &hits->row.row;
}

void probe_hits_field(void *arg, const struct site *site, int i, const struct sample_value *v, char *buf, size_t size)
{
	const struct bound_arg *a = &site->bound.args[i];

	if (v->text)
		snprintf(buf, size, "%s", v->text);
	else if (a->show == VALUE_SYMBOL && name_address(arg, v->num, buf, size))
		return;
	else if (!enumerator_name(a, v->num, buf, size))
		rows_number(buf, size, v->num, a->show);
}
