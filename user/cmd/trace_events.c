/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/trace_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "render/events/hit.h"

bool trace_events_is(const char *text)
{
	const char *colon = strchr(text, ':');

	return colon && memchr(text, '=', colon - text) == NULL;
}

/* Outside of brackets and quotes: "a,b:c" has a word without a colon. */
static bool has_call(const char *text)
{
	bool has_colon = false, is_word = false;
	int depth = 0;

	for (;; text++) {
		depth += *text == '(' || *text == '{' ? 1 : *text == ')' || *text == '}' ? -1 : 0;
		if (!*text || (*text == ',' && depth <= 0)) {
			if (is_word && !has_colon)
				return true;
			has_colon = is_word = false;
		} else {
			is_word = true;
			has_colon |= *text == ':';
		}
		if (!*text)
			return false;
	}
}

int trace_events_add(struct trace_events *e, const char *text, struct err *err)
{
	if (e->nr_texts == TRACE_EVENTS_MAX)
		return err_exit(err, -EINVAL, EXIT_USAGE, "too many events: at most %d", TRACE_EVENTS_MAX);
	if (has_call(text)) {
		err_exit(err, -EINVAL, EXIT_USAGE, "bad -e '%s': calls and other events need an -e each", text);
		err_hint(err, "-e openat -e sched:sched_switch");
		return -EINVAL;
	}
	e->texts[e->nr_texts++] = text;
	return 0;
}

static int open_probe(struct probe *p, const char *text, size_t *at, const struct site_cfg *sites, struct err *err)
{
	int ret = probe_parse(text, at, &p->spec, err);

	if (!ret && p->spec.kind == PROBE_TRACEPOINT && !p->spec.has_brackets)
		ret = probe_add_record(&p->spec, err);
	p->spec.lasting_args = p->spec.lasting && !p->spec.has_brackets;
	return ret ? ret : sites_find(&p->spec, sites, &p->sites, err);
}

int trace_events_open(struct trace_events *e, const struct target *target, const struct trace_cfg *calls, struct err *err)
{
	struct site_cfg sites = { .pid = target->pids.n ? target->pids.data[0] : 0 };
	int ret = 0;

	e->cfg = (struct probe_cfg){ .probes = e->probes, .mode = PROBE_MODE_STREAM, .bpf_stats = calls->bpf_stats, .keeps_budget = calls->keeps_budget };
	for (int i = 0; i < e->nr_texts && !ret; i++)
		for (size_t at = 0; !ret && e->texts[i][at]; at += e->texts[i][at] == ',') {
			if (e->cfg.nr_probes == TRACE_EVENTS_MAX)
				return err_exit(err, -EINVAL, EXIT_USAGE, "too many events: at most %d", TRACE_EVENTS_MAX);
			ret = open_probe(&e->probes[e->cfg.nr_probes++], e->texts[i], &at, &sites, err);
		}
	return ret ? ret : probe_hits_init(&e->hits, e->probes, e->cfg.nr_probes);
}

static void free_hit(struct trace_hit *h)
{
	free(h->call);
	free(h->values);
}

void trace_events_free(struct trace_events *e)
{
	for (size_t i = 0; i < e->waiting.n; i++)
		free_hit(&e->waiting.data[i]);
	vec_free(&e->waiting);
	probe_hits_free(&e->hits);
	for (int i = 0; i < e->cfg.nr_probes; i++) {
		probe_free(&e->probes[i].spec);
		sites_free(&e->probes[i].sites);
	}
}

void trace_events_start(struct trace_events *e)
{
	probe_hits_start(&e->hits, &e->view);
}

/* Where it stands among those that wait; mostly it is the last. */
static size_t place_of(const struct trace_events *e, uint64_t time_ns)
{
	size_t at = e->waiting.n;

	while (at > e->nr_shown && e->waiting.data[at - 1].at.time_ns > time_ns)
		at--;
	return at;
}

/* Those that were shown make room. */
static void drop_shown(struct trace_events *e)
{
	size_t left = e->waiting.n - e->nr_shown;

	if (!e->nr_shown || left > e->nr_shown)
		return;
	for (size_t i = 0; i < e->nr_shown; i++)
		free_hit(&e->waiting.data[i]);
	memmove(e->waiting.data, e->waiting.data + e->nr_shown, left * sizeof(*e->waiting.data));
	e->waiting.n = left;
	e->nr_shown = 0;
}

int trace_events_take(struct trace_events *e, const struct sample *s)
{
	const struct row *row = probe_hits_row(&e->hits, s);
	struct trace_hit hit = { .at = *s }, *to;
	size_t at, size;
	FILE *f;

	f = row ? open_memstream(&hit.values, &size) : NULL;
	if (!f)
		return -ENOMEM;
	hit_values(f, row, &e->view);
	if (fclose(f))
		return -ENOMEM;
	hit.call = strdup(hit_call(row));
	drop_shown(e);
	at = place_of(e, s->time_ns);
	to = hit.call ? vec_take(&e->waiting, 1) : NULL;
	if (!to) {
		free_hit(&hit);
		return -ENOMEM;
	}
	snprintf(hit.comm, sizeof(hit.comm), "%s", s->comm ? s->comm : "");
	hit.at.values = NULL;
	hit.at.nr_values = 0;
	memmove(e->waiting.data + at + 1, e->waiting.data + at, (e->waiting.n - 1 - at) * sizeof(hit));
	e->waiting.data[at] = hit;
	e->waiting.data[at].at.comm = NULL;
	return 0;
}

const struct trace_hit *trace_events_next(struct trace_events *e, uint64_t until_ns)
{
	struct trace_hit *h = e->nr_shown < e->waiting.n ? &e->waiting.data[e->nr_shown] : NULL;

	if (!h || h->at.time_ns > until_ns)
		return NULL;
	e->nr_shown++;
	return h;
}
