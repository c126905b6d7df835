/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stat --metric-only: a column for each figure with a name that the events have, in perf 7's units and names, and a line for each key. What
 * was not counted is "nan", in CSV empty and in JSON "none", as there.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/rows/statparts.h"
#include "util/text.h"

#define COLUMN_WIDTH 20 /* at least, as perf's */
#define NAME_BYTES 80

/* The figure of each event if all of them were counted, or NULL: of what -M does not select, or a rate without a name. */
static const struct metric **columns_of(const struct counts *c, const struct stat_cfg *cfg)
{
	const struct metric **columns = calloc(c->nr_events + 1, sizeof(*columns));
	double *ones = calloc(c->nr_events + 1, sizeof(*ones));
	struct derive_row row = { c->events, ones, c->nr_events, 1 };

	for (int e = 0; columns && ones && e < c->nr_events; e++)
		ones[e] = 1;
	for (int e = 0; columns && ones && e < c->nr_events; e++) {
		struct derived d;

		derive(&row, e, &d);
		columns[e] = d.metric && stat_wants(cfg, d.metric) ? d.metric : NULL;
	}
	if (!ones) {
		free(columns);
		columns = NULL;
	}
	free(ones);
	return columns;
}

int render_stat_has_metrics(const struct counts *c, const struct stat_cfg *cfg)
{
	const struct metric **columns = columns_of(c, cfg);
	int has = 0;

	if (!columns)
		return -ENOMEM;
	for (int e = 0; e < c->nr_events; e++)
		has |= !!columns[e];
	free(columns);
	return has;
}

static const char *name_of(const struct metric *m, char *buf)
{
	snprintf(buf, NAME_BYTES, "%s%s%s", m->unit, *m->unit ? "  " : "", m->name);
	return buf;
}

static int width_of(const struct metric *m)
{
	char name[NAME_BYTES];
	int n = strlen(name_of(m, name));

	return n < COLUMN_WIDTH ? COLUMN_WIDTH : n;
}

/* The plain value, or NAN. */
static double value_of(const struct derive_row *row, int event, const struct metric *m)
{
	struct derived d;

	derive(row, event, &d);
	return d.metric == m && isfinite(d.plain) ? d.plain : NAN;
}

static void print_line(FILE *out, const struct counts *c, const struct stat_cfg *cfg, size_t k, const struct metric *const *columns,
		       const struct derive_row *row, double since_s)
{
	const struct count_key *key = &c->keys.data[k];
	char prefix[160], name[NAME_BYTES];
	int shown = 0;

	if (cfg->json) {
		putc('{', out);
		stat_prefix_json(out, c, cfg, key, since_s);
	} else if (cfg->separator) {
		stat_prefix_csv(out, c, cfg, key, since_s);
	} else {
		stat_prefix_text(prefix, sizeof(prefix), c, cfg, key, since_s);
		fputs(prefix, out);
	}
	for (int e = 0; e < c->nr_events; e++) {
		const struct metric *m = columns[e];
		double value = m ? value_of(row, e, m) : 0;

		if (!m)
			continue;
		if (cfg->json && isnan(value))
			fprintf(out, "%s\"%s\" : \"none\"", shown++ ? ", " : "", name_of(m, name));
		else if (cfg->json)
			fprintf(out, "%s\"%s\" : \"%.*f\"", shown++ ? ", " : "", name_of(m, name), m->decimals, value);
		else if (cfg->separator && isnan(value))
			fputs(cfg->separator, out);
		else if (cfg->separator)
			fprintf(out, "%.*f%s", m->decimals, value, cfg->separator);
		else if (isnan(value))
			fprintf(out, "%*s", width_of(m) + 1, "nan");
		else
			fprintf(out, "%*.*f", width_of(m) + 1, m->decimals, value);
	}
	fputs(cfg->json ? "}\n" : "\n", out);
}

int stat_metric_rows(FILE *out, const struct counts *c, const struct stat_cfg *cfg, double wall_ns, double since_s)
{
	const struct metric **columns = columns_of(c, cfg);
	double *values = calloc(c->nr_events + 1, sizeof(*values));
	struct numbers numbers;

	if (!columns || !values) {
		free(columns);
		free(values);
		return -ENOMEM;
	}
	numbers = numbers_of_user(cfg);
	for (size_t k = 0; k < c->keys.n; k++) {
		struct derive_row row = { c->events, values, c->nr_events, wall_ns };

		stat_row_values(c, cfg, k, values);
		print_line(out, c, cfg, k, columns, &row, since_s);
	}
	numbers_back(&numbers);
	free(columns);
	free(values);
	return ferror(out) ? -EIO : 0;
}

static void print_keys_text(FILE *out, const struct counts *c, const struct stat_cfg *cfg)
{
	const char *word;
	int width;

	if (cfg->intervals)
		fprintf(out, "#%*s ", 15, "time");
	if (c->by == COUNT_BY_CPU)
		fprintf(out, "%-10s ", cfg->intervals ? "cpu" : "");
	if (c->by != COUNT_BY_GROUP)
		return;
	width = stat_group_width(c, &word);
	fprintf(out, "%-*s %4s ", width, cfg->intervals ? word : "", cfg->intervals ? "cpus" : "");
}

static void print_keys_csv(FILE *out, const struct counts *c, const struct stat_cfg *cfg)
{
	const char *sep = cfg->separator, *word;

	if (cfg->intervals)
		fprintf(out, "time%s", sep);
	if (c->by == COUNT_BY_CPU)
		fprintf(out, "cpu%s", sep);
	if (c->by != COUNT_BY_GROUP)
		return;
	stat_group_width(c, &word);
	fprintf(out, "%s%scpus%s", word, sep, sep);
}

int stat_metric_head(FILE *out, const struct counts *c, const struct stat_cfg *cfg)
{
	const struct metric **columns;
	char name[NAME_BYTES];

	if (cfg->json)
		return 0;
	columns = columns_of(c, cfg);
	if (!columns)
		return -ENOMEM;
	(cfg->separator ? print_keys_csv : print_keys_text)(out, c, cfg);
	for (int e = 0; e < c->nr_events; e++) {
		if (!columns[e])
			continue;
		name_of(columns[e], name);
		if (cfg->separator)
			fprintf(out, "%s%s", name, cfg->separator);
		else
			fprintf(out, " %*s", width_of(columns[e]), name);
	}
	putc('\n', out);
	free(columns);
	return 0;
}
