/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* As text, without keys of the user's, strace's table; else the rows of skep stat --latency. */
#include "cmd/trace_sums.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "render/events/callsums.h"

const struct opt trace_sum_opts[] = {
	{ 'c', "summary", NULL, OPT_FLAG, offsetof(struct trace_sum_options, summary),
	  "calls, errors and times of each system call, summed in the kernel, instead of lines" },
	{ 'C', "with-summary", NULL, OPT_FLAG, offsetof(struct trace_sum_options, with_summary), "lines, and after the last one the table of -c" },
	{ 'S', "summary-sort-by", "COLUMN", OPT_TEXT, offsetof(struct trace_sum_options, sort), "sort the table by time (the default), calls, errors, mean or name",
	  .values = "time|calls|errors|mean|name" },
	{ 0 },
};

const struct opt_rule trace_sum_rules[] = {
	{ "summary", .not_with = "with-summary", .why = "-c is the table without lines" },
	{ "summary", .not_with = "successful-only|failed-only|failed|errno|min-duration|string-limit|hex|no-abbrev|const-print-style|syscall-times|"
				 "relative-timestamps|absolute-timestamps|columns|ring-size", .why = "sums have no lines" },
	{ "with-summary", .not_with = "successful-only|failed-only|failed|errno|min-duration", .why = "sums are of all results" },
	{ "with-summary", .not_with = "format=csv", .why = "lines and sums have other columns", .hint = "--format json has both" },
	{ "by|summary-sort-by", .needs = "summary|with-summary" },
	{ "summary-sort-by", .not_with = "by|format=csv|format=json", .why = "it sorts the table that -c has by default" },
	{ 0 },
};

int trace_sums_init(struct trace_sums *s, const struct trace_sums_cfg *cfg, struct err *err)
{
	static const struct event all = { .kind = EVENT_SYSCALL, .config = SYSCALL_ANY };
	const struct trace_cfg *source = cfg->source;
	const struct view_options *view = cfg->view;
	struct byrows_cfg rows = { .count = "calls", .values = BYROWS_LATENCY };
	uint32_t by = 0;
	int ret = rows_parse_by(view->by ? view->by : "syscall", ROWS_BY_ALL & ~BY_EVENT, NULL, &by, err);

	*s = (struct trace_sums){ .cfg = cfg, .is_table = !view->by && (!view->format || !strcmp(view->format, "text")) };
	if (ret)
		return ret;
	rows.offered = by;
	byrows_schema(&s->schema, &rows);
	s->keys = byrows_keys(by, 0);
	s->calls = (struct callsby_cfg){ .by = by, .first_exec = true, .latency = true, .schema = &s->schema.schema };
	if (source->all_calls) {
		s->calls.events = &all;
		s->calls.nr_events = 1;
	} else {
		s->calls.wanted = source->wanted;
	}
	return table_init(&s->table, &s->schema.schema, s->keys);
}

void trace_sums_free(struct trace_sums *s)
{
	table_free(&s->table);
}

int trace_sums_add(struct trace_sums *s, const struct row *row)
{
	return table_add(&s->table, row);
}

static int compare(double a, double b)
{
	return (a < b) - (a > b);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct callsum *)a)->name, ((const struct callsum *)b)->name);
}

static int by_time(const void *a, const void *b)
{
	const struct callsum *x = a, *y = b;
	int c = compare(x->total_ns, y->total_ns);

	return c ? c : by_name(a, b);
}

static int by_calls(const void *a, const void *b)
{
	const struct callsum *x = a, *y = b;
	int c = compare(x->calls, y->calls);

	return c ? c : by_name(a, b);
}

static int by_errors(const void *a, const void *b)
{
	const struct callsum *x = a, *y = b;
	int c = compare(x->errors, y->errors);

	return c ? c : by_name(a, b);
}

static int by_mean(const void *a, const void *b)
{
	const struct callsum *x = a, *y = b;
	int c = compare(x->calls ? x->total_ns / x->calls : 0, y->calls ? y->total_ns / y->calls : 0);

	return c ? c : by_name(a, b);
}

static int print_table(const struct trace_sums *s, FILE *out)
{
	static const struct {
		const char *word;
		int (*compare)(const void *a, const void *b);
	} orders[] = { { "time", by_time }, { "calls", by_calls }, { "errors", by_errors }, { "mean", by_mean }, { "name", by_name } };
	const char *sort = s->cfg->options->sort;
	size_t n = s->table.sorted.n, order = 0;
	struct callsum *sums = calloc(n + 1, sizeof(*sums));

	if (!sums)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct row *row = &s->table.sorted.data[i];
		const struct value *v = row->values;

		sums[i] = (struct callsum){ .name = row_knows(row, ROWS_SYSCALL) ? v[ROWS_SYSCALL].text : "(other)", .calls = v[BYROWS_COUNT].num,
					    .errors = v[BYROWS_ERRORS].num, .total_ns = v[BYROWS_TOTAL].num };
	}
	while (sort && strcmp(sort, orders[order].word)) /* the parser knows no other words */
		order++;
	qsort(sums, n, sizeof(*sums), orders[order].compare);
	callsums_print(out, sums, n);
	free(sums);
	return ferror(out) ? -EIO : 0;
}

int trace_sums_print(struct trace_sums *s, const struct rows_format *format, FILE *out)
{
	struct rows_view view = { .keys = s->keys, .separator = ",", .cgroup_path = target_cgroup_path };
	int ret = table_round(&s->table, s->schema.schema.sort);

	if (ret)
		return ret;
	rows_choose(&view, format, &s->schema.schema, NULL, 0);
	ret = s->is_table ? print_table(s, out) : rows_render(out, format, &s->table, &view);
	return ret ? ret : (int)s->table.sorted.n;
}
