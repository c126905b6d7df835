/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* As text, without keys of the user's, strace's table; else the rows of skep stat --latency. */
#include "cmd/trace_summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "calls/calls.h"
#include "capture/byrows.h"
#include "capture/source/callsby.h"
#include "cmd/trace_select.h"
#include "render/events/callsums.h"

struct summary {
	struct run run; /* first */
	const struct trace_summary *o;
	struct byrows_schema schema;
	VEC(struct callsum) sums;
};

static int take(struct sink *sink, const struct row *row)
{
	struct summary *s = (struct summary *)sink;
	const struct value *v = row->values;
	const char *name = row_knows(row, ROWS_SYSCALL) ? v[ROWS_SYSCALL].text : "(other)";
	struct callsum *sum = NULL;

	for (size_t i = 0; i < s->sums.n && !sum; i++) /* a row of each CPU */
		sum = strcmp(s->sums.data[i].name, name) ? NULL : &s->sums.data[i];
	if (!sum) {
		sum = vec_take(&s->sums, 1);
		if (!sum)
			return -ENOMEM;
		*sum = (struct callsum){ 0 };
		snprintf(sum->name, sizeof(sum->name), "%s", name);
	}
	sum->calls += v[BYROWS_COUNT].num;
	sum->errors += v[BYROWS_ERRORS].num;
	sum->total_ns += v[BYROWS_TOTAL].num;
	return 0;
}

static int compare(uint64_t a, uint64_t b)
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

static int print_table(void *arg, const struct session *session)
{
	static const struct {
		const char *word;
		int (*compare)(const void *a, const void *b);
	} orders[] = { { "time", by_time }, { "calls", by_calls }, { "errors", by_errors }, { "mean", by_mean }, { "name", by_name } };
	struct summary *s = arg;
	size_t i = 0;

	(void)session;
	while (s->o->sort && strcmp(s->o->sort, orders[i].word)) /* the parser knows no other words */
		i++;
	stat_out_fresh(&s->run.out);
	s->run.nr_rows = s->sums.n;
	if (s->sums.n)
		qsort(s->sums.data, s->sums.n, sizeof(*s->sums.data), orders[i].compare);
	callsums_print(s->run.out.stream, s->sums.data, s->sums.n);
	return 0;
}

static int measure(struct summary *s, const struct run_cfg *view, const struct callsby_cfg *calls, bool is_table, int *ret_status, struct err *err)
{
	static const struct run_hooks table = { NULL, print_table };
	struct session_cfg cfg = { .target = s->o->target, .nr_sources = 1 };
	int status = 0, ret = run_open(&s->run, view, err);

	cfg.sources[0] = ret ? NULL : src_callsby_new(calls);
	ret = ret ? ret : run_session(&s->run, &cfg, is_table ? &table : NULL, &status, err);
	ret = run_close(&s->run, ret, err);
	if (ret)
		return ret;
	*ret_status = run_end(&s->run, s->o->h, status, err);
	return *ret_status < 0 ? *ret_status : 0;
}

int trace_summary_run(const struct trace_summary *o, int *ret_status, struct err *err)
{
	const char *format = o->view->format;
	bool is_table = !o->view->by && !o->view->fields && (!format || !strcmp(format, "text"));
	uint32_t by = 0;
	struct callsby_cfg calls = { .wanted = o->source->all_calls ? NULL : o->source->wanted, .first_exec = true, .latency = true };
	const struct event all = { .kind = EVENT_SYSCALL, .config = SYSCALL_ANY };
	struct byrows_cfg rows = { .count = "calls", .values = BYROWS_LATENCY };
	struct run_cfg view = { .format = format, .fields = o->view->fields, .out = o->view->out, .duration_ns = o->view->duration_ns,
				.nothing = "none of these calls was made" };
	struct summary *s = calloc(1, sizeof(*s));
	int ret = s ? rows_parse_by(o->view->by ? o->view->by : "syscall", ROWS_BY_ALL & ~BY_EVENT, NULL, &by, err) : -ENOMEM;

	if (!ret && trace_is_uring(o->source) && !(by & BY_SYSCALL))
		ret = err_exit(err, -EINVAL, EXIT_USAGE, "operations of io_uring are counted by syscall: --by %s,syscall", o->view->by);
	if (!ret) {
		s->o = o;
		rows.offered = calls.by = by;
		byrows_schema(&s->schema, &rows);
		calls.schema = &s->schema.schema;
		if (o->source->uring && by & BY_SYSCALL)
			calls.uring_name = call_uring_name;
		if (o->source->all_calls) {
			calls.events = &all;
			calls.nr_events = 1;
		}
		if (is_table) {
			s->run.sink.row = take;
		} else {
			view.schema = &s->schema.schema;
			view.keys = byrows_keys(by, 0);
			view.sort = s->schema.schema.sort;
		}
		ret = measure(s, &view, &calls, is_table, ret_status, err);
		vec_free(&s->sums);
	}
	free(s);
	return ret;
}
