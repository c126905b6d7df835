/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* As text, without keys of the user's, strace's table; else the rows of skep stat --latency. */
#include "cmd/trace_sums.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "calls/calls.h"
#include "cmd/trace_select.h"

static int set_columns(void *base, const char *text, struct err *err)
{
	return trace_columns(text, &((struct trace_sum_options *)base)->columns, err);
}

static int set_sort(void *base, const char *text, struct err *err)
{
	return trace_sort(text, &((struct trace_sum_options *)base)->sort, err);
}

const struct opt trace_sum_opts[] = {
	{ 'c', "summary", NULL, OPT_FLAG, offsetof(struct trace_sum_options, summary),
	  "calls, errors and times of each system call, summed in the kernel, instead of lines" },
	{ 0, "summary-only", NULL, OPT_FLAG, offsetof(struct trace_sum_options, summary), "the same" },
	{ 'C', "with-summary", NULL, OPT_FLAG, offsetof(struct trace_sum_options, with_summary), "lines, and after the last one the table of -c" },
	{ 'U', "summary-columns", "COLUMN,...", OPT_CALL, 0,
	  "columns of the table: time-percent, total-time, avg-time, calls, errors, name; min-time, max-time, p50-time, p99-time", set_columns },
	{ 'S', "summary-sort-by", "COLUMN", OPT_CALL, 0, "sort the table by one of these columns (default: total-time), or nothing: by number", set_sort,
	  .values = "time-percent|total-time|min-time|max-time|avg-time|p50-time|p99-time|calls|errors|name|nothing" },
	{ 0 },
};

const struct opt_rule trace_sum_rules[] = {
	{ "summary|summary-only", .not_with = "with-summary", .why = "-c is the table without lines" },
	{ "summary|summary-only", .not_with = "string-limit|hex|no-abbrev|const-print-style|syscall-times|"
				 "relative-timestamps|absolute-timestamps|columns|ring-size|decode-fds|stack-traces|stacks", .why = "sums have no lines" },
	{ "summary|summary-only|with-summary", .not_with = "path|trace-path|fd", .why = "sums are of the calls of all files" },
	{ "summary|summary-only|with-summary", .not_with = "min-duration", .why = "sums are of calls of any length" },
	{ "with-summary", .not_with = "format=csv", .why = "lines and sums have other columns", .hint = "--format json has both" },
	{ "by|summary-sort-by|summary-columns", .needs = "summary|with-summary|summary-only" },
	{ "summary-sort-by|summary-columns", .not_with = "by|format=csv|format=json", .why = "it is for the table that -c has by default" },
	{ "summary-sort-by|summary-columns", .not_with = "fields" },
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

	if (!ret && !(source->results & ~TRACE_UNFINISHED))
		ret = err_exit(err, -EINVAL, EXIT_USAGE, "-e status=unfinished has no sums: a call is summed when it returns");
	if (!ret && trace_is_uring(source) && !(by & BY_SYSCALL))
		ret = err_exit(err, -EINVAL, EXIT_USAGE, "operations of io_uring are counted by syscall: --by %s,syscall", view->by);
	*s = (struct trace_sums){ .cfg = cfg, .is_table = !view->by && (!view->format || !strcmp(view->format, "text")) };
	if (ret)
		return ret;
	rows.offered = by;
	byrows_schema(&s->schema, &rows);
	s->keys = byrows_keys(by, 0);
	s->is_part = (source->results & TRACE_ALL_RESULTS & ~TRACE_UNFINISHED) != (TRACE_DONE | TRACE_FAILED);
	s->calls = (struct callsby_cfg){ .by = s->is_part ? by | BY_ERRNO : by, .first_exec = true, .latency = true, .schema = &s->schema.schema };
	if (source->uring && by & BY_SYSCALL)
		s->calls.uring_name = call_uring_name;
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

bool trace_sums_has(const struct trace_sums *s, const struct row *row)
{
	const struct trace_cfg *source = s->cfg->source;
	uint64_t error = row->values[ROWS_ERRNO].num;

	if (!s->is_part)
		return true;
	if (!row_knows(row, ROWS_ERRNO)) /* no room for its key: the ledger counts these as lost */
		return false;
	if (source->results & TRACE_ERRNOS)
		return error / 64 < sizeof(source->errnos) / sizeof(*source->errnos) && source->errnos[error / 64] >> (error % 64) & 1;
	return source->results & (error ? TRACE_FAILED : TRACE_DONE);
}

int trace_sums_add(struct trace_sums *s, const struct row *row)
{
	return trace_sums_has(s, row) ? table_add(&s->table, row) : 0;
}

static int print_table(const struct trace_sums *s, FILE *out)
{
	size_t n = s->table.sorted.n;
	struct callsum *sums = calloc(n + 1, sizeof(*sums));

	if (!sums)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct row *row = &s->table.sorted.data[i];
		const struct value *v = row->values;

		sums[i] = (struct callsum){ .name = row_knows(row, ROWS_SYSCALL) ? v[ROWS_SYSCALL].text : "(other)", .calls = v[BYROWS_COUNT].num,
					    .errors = v[BYROWS_ERRORS].num, .total_ns = v[BYROWS_TOTAL].num, .max_ns = v[BYROWS_MAX].num,
					    .min_ns = v[BYROWS_MIN].num };
		memcpy(sums[i].slots, v[BYROWS_SLOTS].slots, sizeof(sums[i].slots));
	}
	trace_sort_sums(sums, n, &s->cfg->options->sort);
	callsums_print(out, sums, n, &s->cfg->options->columns);
	free(sums);
	return ferror(out) ? -EIO : 0;
}

int trace_sums_print(struct trace_sums *s, const struct rows_format *format, struct run *run)
{
	const struct schema *schema = &s->schema.schema;
	uint64_t left_out = 0;
	struct rows_view view = { .keys = s->keys, .separator = ",", .columns = run->view.columns, .sort = schema->sort, .left_out = &left_out,
				  .cgroup_path = target_cgroup_path };
	int ret = table_round(&s->table, schema->sort);

	if (ret)
		return ret;
	rows_choose(&view, format, schema, NULL, 0);
	ret = s->is_table ? print_table(s, run->out.stream) : rows_render(run->out.stream, format, &s->table, &view);
	run_note_narrow(run, schema, left_out);
	return ret ? ret : (int)s->table.sorted.n;
}
