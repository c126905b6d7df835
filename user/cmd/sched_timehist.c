/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep sched timehist: each switch with the run that it ends and the wait before that run. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/schedlog.h"
#include "render/events/chrome.h"
#include "render/events/timehist.h"

struct timehist_options {
	struct target target;
	struct view_options view;
	uint64_t max_stack, ring_kb;
	bool stacks, wakeups, migrations, next, self;
	struct walk_options walks;
	struct honesty h;
};

static const struct opt what_opts[] = {
	{ 'g', "stacks", NULL, OPT_FLAG, offsetof(struct timehist_options, stacks), "the stack where each task was switched out" },
	{ 0, "max-stack", "N", OPT_U64, offsetof(struct timehist_options, max_stack), "at most N frames, innermost first (default: all)" },
	{ 'w', "wakeups", NULL, OPT_FLAG, offsetof(struct timehist_options, wakeups), "also a line for each wake-up" },
	{ 'M', "migrations", NULL, OPT_FLAG, offsetof(struct timehist_options, migrations), "also a line for each move to another CPU" },
	{ 'n', "next", NULL, OPT_FLAG, offsetof(struct timehist_options, next), "the task that gets the CPU" },
	{ 0, "filter", "EXPR", OPT_TEXT, offsetof(struct timehist_options, view.filter),
	  "show the lines for which EXPR is true: 'wait > 10ms && comm == \"x\"'" },
	{ 0, "self", NULL, OPT_FLAG, offsetof(struct timehist_options, self), "also show skep's own switches" },
	{ 0 },
};

static const struct opt timehist_opts[] = {
	{ 0, "format", "FORMAT", OPT_TEXT, offsetof(struct timehist_options, view.format),
	  "text, csv, json (an object per line), or chrome (a timeline for Perfetto's UI and chrome://tracing)", .values = ROWS_FORMATS "|chrome" },
	{ 0, "fields", "COLUMN,...", OPT_TEXT, offsetof(struct timehist_options, view.fields), "show these columns, in this order" },
	{ 'm', "ring-size", "SIZE", OPT_KIB, offsetof(struct timehist_options, ring_kb),
	  "ring buffer of each CPU, a power of two of KiB or with K, M, G (default: 1024 to 8192, by the number of CPUs)" },
	{ 0 },
};

static const struct opt nothing_opts[] = {
	{ 0, "state", NULL, OPT_NOTHING, 0, "the state is always shown" },
	{ 0, "no-call-graph", NULL, OPT_NOTHING, 0, "stacks are shown with -g only" },
	{ 0 },
};

static const struct opt_rule timehist_rules[] = {
	{ "stacks", .not_with = "call-graph=none|call-graph=no" },
	{ "stacks", .not_with = "no-call-graph", .hint = "without -g there are no stacks" },
	{ "max-stack|call-graph|unwind-memory", .needs = "stacks" },
	{ "filter|fields", .not_with = "format=chrome" },
	{ "wakeups|migrations", .not_with = "format=chrome", .why = "a timeline shows wake-ups and CPUs by itself" },
	{ 0 },
};

static const struct opt_group timehist_groups[] = {
	{ "Who", target_opts, offsetof(struct timehist_options, target), target_rules },
	{ "What", what_opts, 0, timehist_rules },
	{ "Stacks", walk_opts, offsetof(struct timehist_options, walks) },
	{ "Output", timehist_opts, 0 },
	{ "Output", output_opts, offsetof(struct timehist_options, view) },
	{ "Honesty", honesty_opts, offsetof(struct timehist_options, h) },
	{ "Of perf, without effect", schedlog_nothing_opts, 0 },
	{ "Of perf, without effect", nothing_opts, 0 },
	{ 0 },
};

struct timehist {
	struct schedlog log; /* first */
	struct schedlog_row row;
	struct chrome chrome;
	bool is_chrome;
	uint32_t max_stack; /* 0: all */
};

static int draw(struct timehist *t, const struct sample *s, const struct frame *frames, uint32_t n)
{
	int ret;

	t->log.run.nr_rows += s->sched->kind != SCHEDLOG_LEFT;
	errno = 0;
	ret = chrome_event(&t->chrome, s, frames, n);
	return ret && errno ? -errno : ret;
}

static int on_sample(struct sink *sink, const struct sample *s)
{
	struct timehist *t = (struct timehist *)sink;
	const struct frame *frames;
	uint32_t n = schedlog_frames(&t->log, s, &frames);

	if (t->max_stack && n > t->max_stack)
		n = t->max_stack;
	if (t->is_chrome)
		return draw(t, s, frames, n);
	schedlog_row(s, frames, n, t->log.start_ns, &t->row);
	return sink->row(sink, &t->row.row);
}

static int begin(struct schedlog *log)
{
	struct timehist *t = (struct timehist *)log;

	t->chrome.start_ns = log->start_ns;
	t->chrome.out = log->run.out.stream;
	return t->is_chrome ? chrome_begin(&t->chrome) : 0;
}

static int end(struct schedlog *log)
{
	struct timehist *t = (struct timehist *)log;

	return t->is_chrome ? chrome_end(&t->chrome, &log->run.profile) : 0;
}

static int check(const struct timehist_options *o, struct err *err)
{
	int ret = measure_check_ring(o->ring_kb, err);

	return ret ? ret : walk_check(&o->walks, err);
}

static int timehist_main(void *cfg, char **operands, struct err *err)
{
	struct timehist_options *o = cfg;
	struct timehist *t = calloc(1, sizeof(*t));
	int ret;

	if (!t)
		return -ENOMEM;
	o->target.argv = operands[0] ? operands : NULL;
	t->max_stack = o->max_stack;
	t->is_chrome = o->view.format && !strcmp(o->view.format, "chrome");
	t->chrome.all = o->target.all;
	t->log.run.sink.sample = on_sample;
	t->log.begin = begin;
	t->log.end = end;
	t->log.target = &o->target;
	t->log.h = &o->h;
	t->log.out = (struct run_cfg){ .format = t->is_chrome ? NULL : o->view.format, .filter = o->view.filter,
				       .fields = o->view.fields, .out = o->view.out, .duration_ns = o->view.duration_ns,
				       .schema = t->is_chrome ? NULL : &schedlog_schema, .is_stream = !t->is_chrome, .text = &timehist_text };
	if (!o->stacks)
		t->log.out.hide |= 1ull << LOG_STACK;
	if (!o->next && (!o->view.format || !strcmp(o->view.format, "text")))
		t->log.out.hide |= 1ull << LOG_NEXT_COMM;
	t->log.walks = o->walks;
	t->log.source = (struct schedlog_cfg){ .stacks = o->stacks, .wakeups = o->wakeups, .migrations = o->migrations,
					       .left = t->is_chrome, .self = o->self, .ring_bytes = o->ring_kb << 10 };
	ret = check(o, err);
	if (!ret)
		ret = schedlog_run(&t->log, err);
	target_free(&o->target);
	chrome_free(&t->chrome);
	free(t);
	return ret;
}

#define NO_SUMS "is skep sched: what each task did, summed in the kernel"
#define SUMS "skep sched -- COMMAND, or skep sched -a --duration 5"
#define THIS_KERNEL "is not read: it is the kernel that runs"
#define NO_PRIO "is not available: lines have no priorities"
#define PRIO "skep probe 't:sched:sched_switch(prev_comm, prev_prio, next_comm, next_prio)'"

static const struct opt_other timehist_others[] = {
	SCHEDLOG_OTHERS,
	{ "-s", NO_SUMS, SUMS },
	{ "--summary", NO_SUMS, SUMS },
	{ "-S", NO_SUMS, SUMS },
	{ "--with-summary", NO_SUMS, SUMS },
	{ "-V", "is skep sched map: a column for each CPU", "skep sched map -- COMMAND, or skep sched map -a --duration 1" },
	{ "--cpu-visual", "is skep sched map: a column for each CPU", "skep sched map -- COMMAND, or skep sched map -a --duration 1" },
	{ "-I", "is not available: lines are of tasks", "skep sched map shows idle CPUs" },
	{ "--idle-hist", "is not available: lines are of tasks", "skep sched map shows idle CPUs" },
	{ "-k", THIS_KERNEL, "leave it out" },
	{ "--vmlinux", THIS_KERNEL, "leave it out" },
	{ "--kallsyms", THIS_KERNEL, "leave it out" },
	{ "--symfs", "is not available: files are those of the processes", "leave it out" },
	{ "--time", "is not available", "--duration TIME; --filter 'time > 1s && time < 2s', since the start" },
	{ "--show-prio", NO_PRIO, PRIO },
	{ "--prio", NO_PRIO, PRIO },
	{ "--pre-migrations", "is not available", "-M has a line for each move to another CPU" },
	{ 0 },
};

const struct cmd cmd_sched_timehist = {
	.name = "sched timehist",
	.summary = "each switch: how long the task waited, how long it ran, who woke it",
	.operands = "[-- COMMAND [ARG...]]",
	.groups = timehist_groups,
	.cfg_size = sizeof(struct timehist_options),
	.examples = "skep sched timehist -- make\n"
		    "skep sched timehist -g -p 1234 --duration 2        with the stack where it was switched out\n"
		    "skep sched timehist -a -w -M --duration 1          also wake-ups and migrations\n"
		    "skep sched timehist -a --duration 1 --format chrome -o trace.json    for ui.perfetto.dev\n",
	.run = timehist_main,
	.others = timehist_others,
};
