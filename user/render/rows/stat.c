/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Columns and fields of perf stat: perf-stat(1), "CSV FORMAT" and "JSON FORMAT", and what perf 6.1 prints. Clocks are shown in
 * msec there, all other values are plain counts. Text that comes from outside is escaped; lines have no blanks at their end.
 */
#include "render/rows/stat.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/rows/statparts.h"
#include "util/json.h"
#include "util/text.h"

#define VALUE_WIDTH 18
#define NAME_WIDTH 32
#define LINE_BYTES 1280

/* One cell, ready to be printed. */
struct shown {
	const char *missing; /* instead of a value, or NULL */
	double value;	     /* in unit */
	const char *unit;    /* "msec", a PMU's or "" */
	int decimals;
	const struct event *event;
	double running_ns, percent; /* how long and which part of the time it was counting */
	double spread;
	struct derived derived;
};

struct numbers numbers_of_user(const struct stat_cfg *cfg)
{
	struct numbers n = { (locale_t)0, (locale_t)0 };

	if (!cfg->json && !cfg->separator)
		n.user = newlocale(LC_NUMERIC_MASK, "", (locale_t)0);
	if (n.user)
		n.before = uselocale(n.user);
	return n;
}

void numbers_back(const struct numbers *n)
{
	if (!n->user)
		return;
	uselocale(n->before);
	freelocale(n->user);
}

void trim_right(char *text)
{
	size_t n = strlen(text);

	while (n && text[n - 1] == ' ')
		text[--n] = '\0';
}

static const char *group_name(const struct counts *c, const struct count_key *key)
{
	return key->cpu < c->groups.groups.n ? c->groups.groups.data[key->cpu].name : "new";
}

int stat_group_width(const struct counts *c, const char **ret_word)
{
	static const struct {
		const char *word;
		int width;
	} levels[] = { [CPU_SOCKET] = { "socket", 6 }, [CPU_DIE] = { "die", 12 }, [CPU_CLUSTER] = { "cluster", 20 },
		      [CPU_CACHE] = { "cache", 22 }, [CPU_CORE] = { "core", 15 }, [CPU_NODE] = { "node", 6 } };

	*ret_word = levels[c->groups.level].word;
	return levels[c->groups.level].width;
}

static void key_text(char *buf, size_t size, const struct counts *c, const struct count_key *key)
{
	char name[COMM_LEN * 4];

	buf[0] = '\0';
	if (c->by == COUNT_BY_CPU)
		snprintf(buf, size, "CPU%u", key->cpu);
	if (c->by == COUNT_BY_GROUP)
		snprintf(buf, size, "%s", group_name(c, key));
	if (c->by == COUNT_BY_THREAD) {
		text_escape(name, sizeof(name), key->comm);
		snprintf(buf, size, "%s-%u", name, key->tid);
	}
}

size_t stat_prefix_text(char *buf, size_t size, const struct counts *c, const struct stat_cfg *cfg, const struct count_key *key, double since_s)
{
	const char *word;
	char label[96];
	size_t n = 0;

	key_text(label, sizeof(label), c, key);
	buf[0] = '\0';
	if (cfg->intervals)
		n += snprintf(buf + n, size - n, "%16.9f ", since_s);
	if (c->by == COUNT_BY_CPU)
		n += snprintf(buf + n, size - n, "%-10s ", label);
	else if (c->by == COUNT_BY_GROUP)
		n += snprintf(buf + n, size - n, "%-*s %4u ", stat_group_width(c, &word), label, key->nr_cpus);
	else if (c->by == COUNT_BY_THREAD)
		n += snprintf(buf + n, size - n, "%20s ", label);
	return n;
}

/* "16.143 K faults/sec  page_faults_per_second": the value as perf 6 has it, then the name that -M takes, as perf 7 has it. */
static void print_derived(const struct derived *d, bool with_name, char *cell, size_t size)
{
	const char *name = d->metric && with_name ? d->metric->name : NULL;
	size_t at = strcspn(d->unit, "/");

	snprintf(cell, size, "%*.*f%s %.*s%s%s%s%s%s", d->width, d->decimals, d->value, d->percent, (int)at, d->unit, *d->noun && at ? " " : "",
		 d->noun, d->unit + at, name ? "  " : "", name ? name : "");
}

/* What lines of a table give away, one after the other, until they are no longer than the terminal. */
enum narrow { NARROW_NOT, NARROW_METRICS, NARROW_NAMES, NARROW_VALUES, NARROW_DERIVED };

/* Widths of a table's columns. */
struct widths {
	enum narrow narrow;
	int value, name;
};

static void make_line(char line[LINE_BYTES], const struct counts *c, const struct stat_cfg *cfg, const struct count_key *key, const struct shown *s, double since_s,
		      const struct widths *w)
{
	char number[64], cell[128], name[4 * EVENT_NAME_MAX], unit[64];
	size_t n = stat_prefix_text(line, LINE_BYTES, c, cfg, key, since_s);

	text_escape(name, sizeof(name), s->event->name); /* maybe of a file */
	text_escape(unit, sizeof(unit), s->unit);
	snprintf(number, sizeof(number), cfg->plain ? "%.*f" : "%'.*f", s->decimals, s->value);
	n += snprintf(line + n, LINE_BYTES - n, "%*s %-4s %-*s", w->value, s->missing ? s->missing : number, unit, w->name, name);
	if (s->derived.unit[0] && w->narrow < NARROW_DERIVED) {
		print_derived(&s->derived, w->narrow < NARROW_METRICS, cell, sizeof(cell));
		n += snprintf(line + n, LINE_BYTES - n, " # %-36s", cell);
	}
	if (cfg->runs > 1 && !s->missing && s->spread > 0)
		n += snprintf(line + n, LINE_BYTES - n, "  ( +-%6.2f%% )", s->spread);
	if (s->percent < 99.995 && !s->missing)
		snprintf(line + n, LINE_BYTES - n, "  (%.2f%%)", s->percent);
	trim_right(line);
}

void stat_prefix_csv(FILE *out, const struct counts *c, const struct stat_cfg *cfg, const struct count_key *key, double since_s)
{
	const char *sep = cfg->separator;
	char label[96];

	key_text(label, sizeof(label), c, key);
	if (cfg->intervals)
		fprintf(out, "%16.9f%s", since_s, sep);
	if (cfg->is_summary)
		fprintf(out, "%16s%s", "summary", sep);
	if (label[0]) { /* a thread's name may be anything */
		text_print_csv(out, label, sep);
		fputs(sep, out);
	}
	if (c->by == COUNT_BY_GROUP)
		fprintf(out, "%u%s", key->nr_cpus, sep);
}

static void print_csv(FILE *out, const struct counts *c, const struct stat_cfg *cfg, const struct count_key *key,
		      const struct shown *s, double since_s)
{
	const char *sep = cfg->separator;

	stat_prefix_csv(out, c, cfg, key, since_s);
	if (s->missing)
		fprintf(out, "%s%s", s->missing, sep);
	else
		fprintf(out, "%.*f%s", s->decimals, s->value, sep);
	text_print_csv(out, s->unit, sep);
	fputs(sep, out);
	text_print_csv(out, s->event->name, sep); /* which may be PMU/TERM,TERM/ */
	fputs(sep, out);
	if (cfg->runs > 1)
		fprintf(out, "%.2f%%%s", s->spread, sep);
	fprintf(out, "%.0f%s%.2f%s", s->running_ns, sep, s->percent, sep);
	if (s->derived.unit[0])
		fprintf(out, "%.*f%s%s%s\n", s->derived.decimals, s->derived.value, sep, s->derived.percent[0] ? s->derived.percent : "",
			s->derived.unit);
	else
		fprintf(out, "%s\n", sep);
}

static void put_json(FILE *out, const char *text)
{
	struct json j;

	json_begin(&j, out);
	json_text(&j, text);
}

void stat_prefix_json(FILE *out, const struct counts *c, const struct stat_cfg *cfg, const struct count_key *key, double since_s)
{
	const char *word;

	if (cfg->intervals)
		fprintf(out, "\"interval\" : %.9f, ", since_s);
	if (c->by == COUNT_BY_CPU)
		fprintf(out, "\"cpu\" : \"%u\", ", key->cpu);
	if (c->by == COUNT_BY_GROUP) {
		stat_group_width(c, &word);
		fprintf(out, "\"%s\" : \"%s\", \"aggregate-number\" : %u, ", word, group_name(c, key), key->nr_cpus);
	}
	if (c->by == COUNT_BY_THREAD) {
		char name[COMM_LEN + 16];

		snprintf(name, sizeof(name), "%s-%u", key->comm, key->tid);
		fputs("\"thread\" : ", out);
		put_json(out, name);
		fputs(", ", out);
	}
}

/* perf's own spacing; one object per line. */
static void print_json(FILE *out, const struct counts *c, const struct stat_cfg *cfg, const struct count_key *key,
		       const struct shown *s, double since_s)
{
	putc('{', out);
	stat_prefix_json(out, c, cfg, key, since_s);
	if (s->missing)
		fprintf(out, "\"counter-value\" : \"%s\", ", s->missing);
	else
		fprintf(out, "\"counter-value\" : \"%f\", ", s->value);
	fputs("\"unit\" : ", out);
	put_json(out, s->unit);
	fputs(", \"event\" : ", out);
	put_json(out, s->event->name);
	fputs(", ", out);
	if (cfg->runs > 1)
		fprintf(out, "\"variance\" : %.2f, ", s->spread);
	fprintf(out, "\"event-runtime\" : %.0f, \"pcnt-running\" : %.2f, \"metric-value\" : %f, \"metric-unit\" : \"%s%s\"}\n",
		s->running_ns, s->percent, s->derived.value, s->derived.percent, s->derived.unit);
}

void stat_row_values(const struct counts *c, const struct stat_cfg *cfg, size_t key, double *values)
{
	for (int e = 0; e < c->nr_events; e++) {
		const struct count_cell *cell = counts_cell(c, key, e);
		struct count d = cfg->runs > 1 ? cell->runs : counts_delta(cell);

		double value = cfg->runs > 1 ? cell->spread.mean : count_scaled(&d, cfg->as_read);

		values[e] = cfg->missing[e] || !d.running_ns ? -1 : c->events[e].scale ? value * c->events[e].scale : value;
	}
}

bool stat_wants(const struct stat_cfg *cfg, const struct metric *metric)
{
	for (size_t i = 0; i < cfg->nr_metrics; i++)
		if (cfg->metrics[i] == metric)
			return true;
	return !cfg->nr_metrics;
}

static struct shown show(const struct counts *c, const struct stat_cfg *cfg, size_t key, int e, const struct derive_row *row)
{
	const struct count_cell *cell = counts_cell(c, key, e);
	struct count d = cfg->runs > 1 ? cell->runs : counts_delta(cell);
	unsigned n = cfg->runs > 1 && cell->spread.n ? cell->spread.n : 1;
	struct shown s = { .event = &c->events[e], .missing = cfg->missing[e], .unit = "", .running_ns = (double)d.running_ns / n, .percent = 100 };

	if (!s.missing && !d.running_ns)
		s.missing = "<not counted>";
	/* As perf, which names the unit of a clock also where there is no value. */
	s.unit = event_is_clock(s.event) ? "msec" : s.event->pmu_unit;
	s.decimals = event_is_clock(s.event) || floor(s.event->scale) != s.event->scale ? 2 : 0;
	s.value = row->values[e] < 0 ? 0 : event_is_clock(s.event) ? row->values[e] / 1e6 : row->values[e];
	s.spread = spread_percent(&cell->spread);
	if (d.running_ns && d.enabled_ns)
		s.percent = 100.0 * d.running_ns / d.enabled_ns;
	derive(row, e, &s.derived);
	if (cfg->nr_metrics && !(s.derived.metric && stat_wants(cfg, s.derived.metric)))
		s.derived = (struct derived){ .percent = "", .noun = "" };
	return s;
}

/* One row, ready to be printed. */
struct stat_row {
	const struct count_key *key;
	struct shown shown;
};

/* perf's order: event by event, its keys below each other; of groups of CPUs, group by group. Into rows, which have room; returns how many. */
static size_t rows_of(const struct counts *c, const struct stat_cfg *cfg, const double *values, double wall_ns, struct stat_row *rows)
{
	size_t n = 0;

	for (size_t i = 0; i < c->keys.n * (size_t)c->nr_events; i++) {
		bool by_key = c->by == COUNT_BY_GROUP;
		size_t k = by_key ? i / (size_t)c->nr_events : i % c->keys.n;
		int e = (int)(by_key ? i % (size_t)c->nr_events : i / c->keys.n);
		struct derive_row row = { c->events, values + k * c->nr_events, c->nr_events, wall_ns };
		struct shown s = show(c, cfg, k, e, &row);

		/* the run has one time, in one row */
		if (k && event_is_time(&c->events[e]) && s.missing && c->by != COUNT_BY_GROUP)
			continue;
		if ((c->events[e].from_glob && !s.value) || (cfg->hide_idle && s.missing && !cfg->missing[e]))
			continue;
		rows[n++] = (struct stat_row){ &c->keys.data[k], s };
	}
	return n;
}

static int value_width(const struct stat_cfg *cfg, const struct shown *s)
{
	char number[64];

	return s->missing ? (int)strlen(s->missing) : snprintf(number, sizeof(number), cfg->plain ? "%.*f" : "%'.*f", s->decimals, s->value);
}

static struct widths widths_of(const struct stat_cfg *cfg, const struct stat_row *rows, size_t n, enum narrow narrow)
{
	bool few = narrow >= NARROW_VALUES && !cfg->intervals;
	struct widths w = { narrow, few ? 0 : VALUE_WIDTH, narrow < NARROW_NAMES ? NAME_WIDTH : 0 };

	for (size_t i = 0; i < n; i++) {
		char escaped[4 * EVENT_NAME_MAX];
		int name, value = value_width(cfg, &rows[i].shown);

		text_escape(escaped, sizeof(escaped), rows[i].shown.event->name);
		name = (int)text_width(escaped);
		w.name = narrow >= NARROW_NAMES && name > w.name ? name : w.name;
		w.value = few && value > w.value ? value : w.value;
	}
	return w;
}

/* The first that lets all rows fit, or the narrowest. */
static struct widths fit(const struct counts *c, const struct stat_cfg *cfg, const struct stat_row *rows, size_t n, double since_s)
{
	struct widths w = widths_of(cfg, rows, n, cfg->narrow ? (enum narrow)*cfg->narrow : NARROW_NOT);
	bool fits = !cfg->columns;
	char line[LINE_BYTES];
	enum narrow next;

	while (!fits) {
		fits = true;
		for (size_t i = 0; i < n && fits; i++) {
			make_line(line, c, cfg, rows[i].key, &rows[i].shown, since_s, &w);
			fits = text_width(line) <= (size_t)cfg->columns;
		}
		if (!fits && w.narrow == NARROW_DERIVED)
			break;
		next = w.narrow + 1;
		next += next == NARROW_VALUES && cfg->intervals; /* they stand below a heading that is there */
		if (!fits)
			w = widths_of(cfg, rows, n, next);
	}
	if (cfg->narrow)
		*cfg->narrow = (int)w.narrow;
	return w;
}

int render_stat_rows(FILE *out, const struct counts *c, const struct stat_cfg *cfg, double wall_ns, double since_start_ns)
{
	struct stat_row *rows;
	double *values;
	struct numbers numbers;
	struct widths widths;
	char line[LINE_BYTES];
	size_t n;

	if (cfg->metric_only)
		return stat_metric_rows(out, c, cfg, wall_ns, since_start_ns / 1e9);
	values = calloc(c->keys.n * c->nr_events + 1, sizeof(*values));
	rows = calloc(c->keys.n * c->nr_events + 1, sizeof(*rows));
	if (!values || !rows) {
		free(values);
		free(rows);
		return -ENOMEM;
	}
	numbers = numbers_of_user(cfg);
	for (size_t k = 0; k < c->keys.n; k++)
		stat_row_values(c, cfg, k, values + k * c->nr_events);
	n = rows_of(c, cfg, values, wall_ns, rows);
	widths = fit(c, cfg, rows, n, since_start_ns / 1e9);
	for (size_t i = 0; i < n; i++) {
		if (cfg->json || cfg->separator) {
			(cfg->json ? print_json : print_csv)(out, c, cfg, rows[i].key, &rows[i].shown, since_start_ns / 1e9);
			continue;
		}
		make_line(line, c, cfg, rows[i].key, &rows[i].shown, since_start_ns / 1e9, &widths);
		fprintf(out, "%s\n", line);
	}
	numbers_back(&numbers);
	free(values);
	free(rows);
	return ferror(out) ? -EIO : 0;
}

int render_stat_head(FILE *out, const struct counts *c, const struct stat_cfg *cfg)
{
	const char *word;
	bool is_table = !cfg->json && !cfg->separator;

	if (is_table && !cfg->intervals) {
		fprintf(out, "\n Performance counter stats for ");
		text_print(out, cfg->title);
		if (cfg->runs > 1)
			fprintf(out, " (%u runs)", c->wall.n);
		fprintf(out, ":\n\n");
	}
	if (cfg->metric_only)
		return stat_metric_head(out, c, cfg);
	if (is_table && cfg->intervals) {
		fprintf(out, "#%*s ", 15, "time");
		if (c->by == COUNT_BY_GROUP) {
			int width = stat_group_width(c, &word);

			fprintf(out, "%-*s cpus", width, word);
		}
		fprintf(out, "%s%*s unit events\n", c->by == COUNT_BY_CPU ? "CPU        " : c->by == COUNT_BY_THREAD ? "              thread " : "",
			VALUE_WIDTH + (c->by == COUNT_BY_GROUP), "counts");
	}
	return ferror(out) ? -EIO : 0;
}

void render_stat_foot(FILE *out, const struct counts *c, const struct stat_cfg *cfg, double wall_s, double user_s, double sys_s)
{
	struct numbers numbers;

	if (cfg->json || cfg->separator || cfg->intervals)
		return;
	numbers = numbers_of_user(cfg);
	if (cfg->runs > 1) {
		const struct spread *w = &c->wall;

		for (size_t i = 0; i < cfg->nr_run_s; i++)
			fprintf(out, "%s %17.6f (%+.6f) seconds, run %zu\n", i ? "" : "\n", cfg->run_s[i], cfg->run_s[i] - w->mean, i + 1);
		fprintf(out, "\n %17.6f +- %.6f seconds time elapsed  ( +-%6.2f%% )\n\n", w->mean,
			w->n > 1 ? sqrt(w->m2 / (w->n - 1) / w->n) : 0, spread_percent(w));
		numbers_back(&numbers);
		return;
	}
	fprintf(out, "\n %17.9f seconds time elapsed\n", wall_s);
	if (user_s >= 0)
		fprintf(out, "\n %17.9f seconds user\n %17.9f seconds sys\n", user_s, sys_s);
	fprintf(out, "\n\n");
	numbers_back(&numbers);
}
