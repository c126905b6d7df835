/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* strace's table, or rows in any format. */
#include "cmd/trace_summary.h"

#include <errno.h>
#include <stdlib.h>

struct summary {
	struct run run; /* first */
	struct trace_sums sums;
};

static int take(struct sink *sink, const struct row *row)
{
	return trace_sums_add(&((struct summary *)sink)->sums, row);
}

/* For the table of the run. */
static int take_row(struct sink *sink, const struct row *row)
{
	struct summary *s = (struct summary *)sink;

	return trace_sums_has(&s->sums, row) ? table_add(&s->run.table, row) : 0;
}

static int print_table(void *arg, const struct session *session)
{
	struct summary *s = arg;
	int ret;

	(void)session;
	stat_out_fresh(&s->run.out);
	ret = trace_sums_print(&s->sums, s->run.format, &s->run);
	s->run.nr_rows = ret > 0 ? ret : 0;
	return ret == -ENOMEM ? ret : 0; /* the close of the output reports a failed write */
}

static int measure(struct summary *s, const struct run_cfg *view, const struct target *target, int *ret_status, struct err *err)
{
	static const struct run_hooks table = { NULL, print_table };
	struct session_cfg cfg = { .target = target, .nr_sources = 1 };
	int ret = run_open(&s->run, view, err);

	s->sums.calls.bpf_stats = s->sums.calls.keeps_budget = view->budget;
	cfg.sources[0] = ret ? NULL : src_callsby_new(&s->sums.calls);
	ret = ret ? ret : run_session(&s->run, &cfg, s->sums.is_table ? &table : NULL, ret_status, err);
	return run_close(&s->run, ret, err);
}

int trace_summary_run(const struct trace_sums_cfg *cfg, const struct target *target, const struct honesty *h, int *ret_status, struct err *err)
{
	const struct view_options *o = cfg->view;
	struct run_cfg view = { .format = o->format, .fields = o->fields, .out = o->out, .duration_ns = o->duration_ns, .budget = o->budget,
				.nothing = "none of these calls was made" };
	struct summary *s = calloc(1, sizeof(*s));
	int status = 0, ret = s ? trace_sums_init(&s->sums, cfg, err) : -ENOMEM;

	if (!ret) {
		s->sums.is_table &= !o->fields;
		s->run.sink.row = s->sums.is_table ? take : take_row;
		if (!s->sums.is_table) {
			view.schema = &s->sums.schema.schema;
			view.keys = s->sums.keys;
			view.sort = view.schema->sort;
		}
		ret = measure(s, &view, target, &status, err);
	}
	if (!ret) {
		*ret_status = run_end(&s->run, h, status, err);
		ret = *ret_status < 0 ? *ret_status : 0;
	}
	if (s)
		trace_sums_free(&s->sums);
	free(s);
	return ret;
}
