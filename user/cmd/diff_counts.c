/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What has changed between counts: lines of JSON of skep stat and perf stat, a row for each event. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/cost.h"
#include "cmd/diff.h"
#include "data/statjson.h"
#include "render/rows/rows.h"
#include "util/clock.h"
#include "util/text.h"

bool diff_is_counts(const struct diff *d)
{
	return statjson_is(d->paths[0]);
}

enum { EVENT, UNIT, BEFORE, AFTER, CHANGE, RATIO, P, Q, SIGNIFICANT, CHANGED, RANK, NR_COLUMNS };

static const struct column columns[NR_COLUMNS] = {
	[EVENT] = { "event", "Event", NULL, VALUE_TEXT, ROLE_KEY, IN_ALL },
	[UNIT] = { "unit", "Unit", NULL, VALUE_TEXT, ROLE_KEY, IN_ALL, .spare = 5 },
	[BEFORE] = { "before", "before", NULL, VALUE_COUNT, ROLE_INFO, IN_ALL, .spare = 2 },
	[AFTER] = { "after", "after", NULL, VALUE_COUNT, ROLE_INFO, IN_ALL, .spare = 1 },
	[CHANGE] = { "change_pct", "change %", NULL, VALUE_CHANGE, ROLE_INFO, IN_ALL, .decimals = 2 },
	[RATIO] = { "ratio", "ratio", NULL, VALUE_FIXED, ROLE_INFO, IN_ALL, .decimals = 3, .spare = 4 },
	[P] = { "p", "p", NULL, VALUE_FIXED, ROLE_INFO, IN_ALL, .decimals = 4, .spare = 3 },
	[Q] = { "q", NULL, NULL, VALUE_FIXED, ROLE_INFO, IN_CSV | IN_JSON, .decimals = 4 },
	[SIGNIFICANT] = { "significant", NULL, NULL, VALUE_FLAG, ROLE_INFO, IN_CSV | IN_JSON },
	[CHANGED] = { "changed", "changed", NULL, VALUE_TEXT, ROLE_INFO, IN_TEXT },
	[RANK] = { "rank", NULL, NULL, VALUE_NUMBER, ROLE_SUM, .in = 0 },
};

struct event_counts {
	const char *event, *unit; /* of the pool */
	double values[DIFF_FILES_MAX]; /* of each file; of its intervals and CPUs the sum */
	bool has[DIFF_FILES_MAX];
	struct diff_row row; /* before, after: the means of those that have it; p and q */
};

struct counts {
	struct diff *d;
	VEC(struct event_counts *) events;
};

static struct event_counts *find_event(struct counts *c, const char *event, const char *unit)
{
	struct event_counts *new;

	for (size_t i = 0; i < c->events.n; i++)
		if (!strcmp(c->events.data[i]->event, event) && !strcmp(c->events.data[i]->unit, unit))
			return c->events.data[i];
	if (vec_reserve(&c->events))
		return NULL;
	new = calloc(1, sizeof(*new));
	if (!new)
		return NULL;
	new->event = strpool_add(c->d->pool, event);
	new->unit = strpool_add(c->d->pool, unit);
	if (!new->event || !new->unit) {
		free(new);
		return NULL;
	}
	return c->events.data[c->events.n++] = new;
}

/* The file that is read. */
struct count_reading {
	struct counts *counts;
	uint32_t run;
};

static int take_count(void *arg, const char *event, const char *unit, double value)
{
	struct count_reading *r = arg;
	const char *wanted = r->counts->d->o->event;
	struct event_counts *e = wanted && strcmp(wanted, event) ? NULL : find_event(r->counts, event, unit);

	if (wanted && strcmp(wanted, event))
		return 0;
	if (!e)
		return -ENOMEM;
	e->values[r->run] += value;
	e->has[r->run] = true;
	return 0;
}

/* The mean of those files of a side that have it; *ret_nr: how many; values: what they have. */
static double mean(const struct event_counts *e, uint32_t from, uint32_t to, double *values, uint32_t *ret_nr)
{
	double sum = 0;

	*ret_nr = 0;
	for (uint32_t i = from; i < to; i++)
		if (e->has[i])
			sum += values[(*ret_nr)++] = e->values[i];
	return *ret_nr ? sum / *ret_nr : 0;
}

static int compare(struct counts *c)
{
	struct diff_row *rows = calloc(c->events.n + 1, sizeof(*rows));
	double values[2][DIFF_FILES_MAX];
	uint32_t nr[2];
	int ret;

	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < c->events.n; i++) {
		struct event_counts *e = c->events.data[i];

		rows[i].before = mean(e, 0, c->d->nr_before, values[0], &nr[0]);
		rows[i].after = mean(e, c->d->nr_before, c->d->nr_paths, values[1], &nr[1]);
		rows[i].before_count = nr[0];
		rows[i].after_count = nr[1];
		rows[i].few = nr[0] < 2 || nr[1] < 2;
		rows[i].p = rows[i].few ? 1 : diff_welch(values[0], nr[0], values[1], nr[1]);
	}
	ret = diff_adjust(rows, c->events.n);
	for (size_t i = 0; i < c->events.n; i++)
		c->events.data[i]->row = rows[i];
	free(rows);
	return ret;
}

static double rank(const struct counts *c, const struct event_counts *e)
{
	double times = diff_ratio(&e->row);

	if (!e->row.before_count || !e->row.after_count)
		return -2;
	if (c->d->o->order == DIFF_BY_CHANGE)
		return times > 0 ? fabs(log(times)) : e->row.after > 0 ? INFINITY : -1;
	return times > 0 || !(e->row.after > 0) ? times : INFINITY;
}

static int first_of(const void *a, const void *b, void *arg)
{
	double x = rank(arg, *(struct event_counts *const *)a), y = rank(arg, *(struct event_counts *const *)b);

	return x > y ? -1 : x < y;
}

static int deliver(void *arg, struct run *run, struct err *err)
{
	struct counts *c = arg;
	int ret = 0;

	for (size_t i = 0; i < c->events.n && !ret; i++) {
		const struct event_counts *e = c->events.data[i];
		const struct diff_row *r = &e->row;
		bool both = r->before_count && r->after_count && r->before > 0;
		struct value v[NR_COLUMNS] = { 0 };
		struct row row = { .schema = run->cfg->schema, .values = v };

		v[EVENT].text = e->event;
		v[UNIT].text = e->unit;
		v[BEFORE].real = r->before;
		v[AFTER].real = r->after;
		v[CHANGE].num = both ? diff_fixed(100 * (diff_ratio(r) - 1)) : 0;
		v[RATIO].num = both ? diff_fixed(diff_ratio(r)) : 0;
		v[P].num = diff_fixed(r->p);
		v[Q].num = diff_fixed(r->q);
		v[SIGNIFICANT].num = !r->few && r->q < DIFF_SIGNIFICANT;
		v[CHANGED].text = v[SIGNIFICANT].num ? "yes" : "";
		v[RANK].num = c->events.n - i;
		row.none = (r->before_count ? 0 : 1u << BEFORE) | (r->after_count ? 0 : 1u << AFTER);
		/* of what is more than nine million times as much the change has no place */
		if (!both || diff_ratio(r) * 100 * VALUE_ONE > DIFF_FIXED_MAX)
			row.none |= 1u << CHANGE | 1u << RATIO;
		if (r->few)
			row.none |= 1u << P | 1u << Q | 1u << SIGNIFICANT;
		ret = run->sink.row(&run->sink, &row);
	}
	run->profile = c->d->profile;
	return ret ? err_set(err, ret, "out of memory") : 0;
}

/* In percent; of 0 to something infinite. */
static double growth(const struct event_counts *e)
{
	if (e->row.before > 0)
		return 100 * (diff_ratio(&e->row) - 1);
	return e->row.after > 0 ? INFINITY : 0;
}

/* Events that grew by more than --fail-above percent, and not by chance where that is known. */
static int judge(const struct counts *c, struct err *err)
{
	const struct event_counts *worst = NULL;
	size_t nr = 0;
	char event[256];

	for (size_t i = 0; i < c->events.n; i++) {
		const struct event_counts *e = c->events.data[i];

		if (!e->row.before_count || !e->row.after_count || growth(e) <= c->d->o->fail_above || (!e->row.few && e->row.q >= DIFF_SIGNIFICANT))
			continue;
		nr++;
		if (!worst || growth(e) > growth(worst))
			worst = e;
	}
	if (!nr)
		return 0;
	text_escape(event, sizeof(event), worst->event);
	if (isinf(growth(worst)))
		return err_set(err, -EDOM, "%zu event%s grew by more than %g %%, most of all %s: from 0 to %.0f", nr, nr == 1 ? "" : "s",
			       c->d->o->fail_above, event, worst->row.after);
	return err_set(err, -EDOM, "%zu event%s grew by more than %g %%, most of all %s: by %.2f %%", nr, nr == 1 ? "" : "s", c->d->o->fail_above, event,
		       growth(worst));
}

static int print(struct counts *c, struct err *err)
{
	static const struct schema schema = { columns, NR_COLUMNS, -1, .sort = RANK };
	const struct view_options *o = &c->d->o->view;
	struct run_cfg cfg = { .schema = &schema, .keys = 1u << EVENT | 1u << UNIT, .sort = RANK, .format = c->d->rows_format,
			       .fields = o->fields, .filter = o->filter, .out = o->out ? o->out : "-", .top = o->top };
	struct run run = { 0 };
	int ret = run_open(&run, &cfg, err);

	run.view.sort = CHANGE; /* which a narrow terminal keeps */
	if (!ret)
		ret = run_file(&run, deliver, c, err);
	ret = run_close(&run, ret, err);
	return ret ? ret : run_end(&run, &c->d->o->h, 0, err);
}

/* What is of samples is refused: it would have no effect. */
static int check_options(const struct diff *d, struct err *err)
{
	const struct diff_options *o = d->o;
	const struct pick_options no_pick = { 0 };
	const struct symbol_options no_symbols = { 0 };
	const struct {
		const char *what;
		bool is_set;
	} options[] = {
		{ "--sort", o->request.sort }, { "--percentage", o->percentage }, { "--compute wdiff", o->order == DIFF_BY_WDIFF },
		{ "what chooses samples", memcmp(&o->pick, &no_pick, sizeof(no_pick)) },
		{ "what is about names", memcmp(&o->symbols, &no_symbols, sizeof(no_symbols)) },
	};

	if (d->picture)
		return err_exit(err, -EINVAL, EXIT_USAGE, "counts have no stacks to draw");
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].is_set)
			return err_exit(err, -EINVAL, EXIT_USAGE, "%s: '%s' has counts, and no samples", options[i].what, d->paths[0]);
	return 0;
}

int diff_counts(struct diff *d, struct err *err)
{
	struct counts c = { .d = d };
	uint64_t start_ns = now_ns();
	int ret = check_options(d, err);

	if (ret)
		return ret;
	for (uint32_t run = 0; run < d->nr_paths && !ret; run++) {
		struct count_reading reading = { &c, run };

		ret = statjson_read(d->paths[run], take_count, &reading, err);
	}
	if (!ret && d->o->event && !c.events.n) {
		ret = err_exit(err, -ENOENT, EXIT_FAILED, "no file has an event '%s'", d->o->event);
		err_hint(err, "skep diff without -e shows all events");
	}
	if (!ret && compare(&c))
		ret = err_set(err, -ENOMEM, "out of memory");
	if (!ret) {
		qsort_r(c.events.data, c.events.n, sizeof(*c.events.data), first_of, &c);
		d->profile.seen = d->profile.kept = c.events.n;
		if (d->nr_before < 2 || d->nr_paths - d->nr_before < 2)
			profile_note(&d->profile, "of one file on a side it is not known what is chance: give several, BEFORE... -- AFTER...");
		cost_since(start_ns, &d->profile.receipt);
		ret = print(&c, err);
	}
	if (!ret && d->o->fails)
		ret = judge(&c, err);
	for (size_t i = 0; i < c.events.n; i++)
		free(c.events.data[i]);
	vec_free(&c.events);
	return ret;
}
