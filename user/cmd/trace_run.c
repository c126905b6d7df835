/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A live run, or a recording: its sources, its output, and the calls that threads wait in. */
#include "cmd/trace_run.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "capture/callnow.h"
#include "cmd/measure.h"
#include "cmd/trace_files.h"
#include "cmd/trace_lines.h"
#include "cmd/trace_record.h"
#include "cmd/trace_select.h"
#include "model/callrow.h"
#include "ui/terminal.h"
#include "util/clock.h"

#define WAITS_NS 500000000 /* a call is shown before its return when its thread has done nothing else for so long */
#define EVENTS_SETTLE_NS 2000000 /* calls that ended before this have been delivered */
#define WAITS_MAX 1024 /* threads that are looked at */

struct trace_run {
	struct run base; /* first */
	struct trace_options *o;
	struct trace_lines lines;
	struct callnow *now; /* of the thread that is looked at */
	struct trace_replay replay; /* of -i */
	const struct source *source; /* of a live run */
	struct trace_sums *sums; /* -C; else NULL */
	int (*print_line)(struct sink *sink, const struct row *row);
	uint64_t looked_ns; /* when threads were looked at; CLOCK_MONOTONIC */
	struct trace_files *files; /* -ff; else NULL */
	bool has_waits; /* calls that threads wait in are shown */
};

static int on_row(struct sink *sink, const struct row *row)
{
	struct trace_run *run = (struct trace_run *)sink;

	if (row->schema != &callrow_schema)
		return trace_sums_add(run->sums, row);
	if (!run->files)
		return run->print_line(sink, row);
	run->base.nr_rows++;
	return trace_files_row(run->files, row, &run->base.view);
}

static int on_sample(struct sink *sink, const struct sample *s)
{
	return trace_lines_take(&((struct trace_run *)sink)->lines, s);
}

static int on_task(struct sink *sink, const struct task_event *t)
{
	return syms_task(((struct trace_run *)sink)->lines.stacks.syms, t);
}

static int show_wait(struct trace_run *run, struct trace_thread *t, uint64_t now)
{
	struct call_event *e = &run->now->event;
	const struct trace_cfg *cfg = &run->o->source;

	t->is_known = true;
	if (!callnow_read(t->pid, t->tid, cfg->plan, cfg->text, run->now) || !trace_has_call(cfg, e->abi, e->nr))
		return 0;
	e->start_ns = now;
	return trace_lines_wait(&run->lines, t, e);
}

/* Everything up to now has been delivered: who is silent waits. */
static int on_round(struct sink *sink)
{
	struct trace_run *run = (struct trace_run *)sink;
	uint64_t now = now_ns();
	bool is_behind = run->source && src_trace_is_behind(run->source);
	int ret = is_behind ? 0 : trace_lines_events(&run->lines, now - EVENTS_SETTLE_NS); /* else older calls follow */

	if (run->lines.stacks.syms)
		syms_pin(run->lines.stacks.syms);
	if (run->has_waits && !is_behind && now - run->looked_ns > WAITS_NS / 4 && run->lines.threads.all.n <= WAITS_MAX) {
		run->looked_ns = now;
		for (size_t i = 0; i < run->lines.threads.all.n && !ret; i++) {
			struct trace_thread *t = &run->lines.threads.all.data[i];

			if (!t->is_known && now - t->last_ns > WAITS_NS)
				ret = show_wait(run, t, now);
		}
	}
	if (!ret && run->files)
		ret = trace_files_flush(run->files);
	return ret ? ret : fflush(run->base.out.stream) ? -errno : 0;
}

static int add_thread(void *arg, uint32_t tid)
{
	struct trace_run *run = arg;

	return trace_thread_add(&run->lines.threads, target_process(tid), tid) ? 0 : -ENOMEM;
}

/* Those of -p and -t may wait in a call that began before. */
static int add_targets(struct trace_run *run)
{
	const struct target *t = &run->o->target;
	int ret = 0;

	for (size_t i = 0; i < t->pids.n && !ret; i++)
		ret = callnow_threads(t->pids.data[i], add_thread, run);
	for (size_t i = 0; i < t->tids.n && !ret; i++)
		ret = add_thread(run, t->tids.data[i]);
	return ret;
}

static int begin(void *arg, struct err *err)
{
	struct trace_run *run = arg;
	const struct target *t = &run->o->target;
	int ret = run->lines.stacks.syms ? measure_scan(&run->o->target, false, &run->base.sink, &run->base.profile, err) : 0;

	if (ret)
		return ret;
	if (run->o->events.nr_texts)
		trace_events_start(&run->o->events);
	run->lines.first_tid = src_trace_first(run->source);
	run->lines.has_many |= t->all || t->uids.n || t->cgroups.n || t->comms.n || t->pids.n + t->tids.n > 1;
	run->lines.start_ns = now_ns();
	run->o->lines.wall_ns = (int64_t)(clock_ns(CLOCK_REALTIME) - run->lines.start_ns);
	return run->has_waits ? add_targets(run) : 0;
}

static int open_stacks(struct trace_run *run, struct session_cfg *cfg, struct err *err)
{
	int ret = trace_stacks_open(&run->lines.stacks, err);

	if (ret)
		return ret;
	run->base.sink.task = on_task;
	if (!run->o->stacks || !walk_by_tables(&run->o->walks))
		return 0;
	cfg->unwind = walk_cfg(&run->o->walks, syms_guide(run->lines.stacks.syms));
	return cfg->unwind.guide ? 0 : -ENOMEM;
}

/* After the last line. What was not to be shown was not kept for anybody. */
static int end(void *arg, const struct session *session)
{
	struct trace_run *run = arg;
	int ret = trace_lines_events(&run->lines, UINT64_MAX);

	(void)session;
	run->base.profile.seen -= run->lines.hidden;
	run->base.profile.kept -= run->lines.hidden;
	trace_stacks_note(&run->lines.stacks, &run->base.profile);
	if (ret || !run->sums)
		return ret;
	ret = trace_sums_print(run->sums, run->lines.is_text ? rows_format("text") : run->base.format, &run->base);
	return ret == -ENOMEM ? ret : 0; /* the close of the output reports a failed write */
}

/* -i: the strings of the file, and its times. */
static int open_input(struct trace_run *run, struct err *err)
{
	struct trace_options *o = run->o;
	int ret;

	run->replay = (struct trace_replay){ .path = o->input, .wanted = &o->source };
	if (!o->input)
		return 0;
	ret = trace_replay_open(&run->replay, &o->style, o->has_text, o->view.out, err);
	run->lines.start_ns = run->replay.meta.start_ns;
	o->lines.wall_ns = (int64_t)(run->replay.meta.clock_ns - run->lines.start_ns);
	return ret;
}

static int open_output(struct trace_run *run, struct run_cfg *view, struct trace_files *files, struct err *err)
{
	struct trace_options *o = run->o;
	int ret = 0;

	if (o->strace.separate) {
		run->files = files;
		view->out = NULL;
		ret = trace_files_open(files, o->view.out, o->strace.append, err);
	}
	if (!ret)
		ret = run_open(&run->base, view, err);
	run->lines.is_text = run->base.format == &call_text;
	run->base.view.arg = &o->lines;
	o->lines.has_colours = !ret && !run->files && terminal_has_colours(run->base.out.stream == stdout ? STDOUT_FILENO : fileno(run->base.out.stream));
	run->print_line = run->base.sink.row;
	run->base.sink.row = on_row;
	return ret;
}

/* Events first: their hits are there when the calls of a round are shown. And sums before calls: the time of a call is taken before its line is made. */
static int run_live(struct trace_run *run, int *ret_status, struct err *err)
{
	static const struct run_hooks hooks = { begin, end };
	struct trace_options *o = run->o;
	struct session_cfg cfg = { .target = &o->target };
	int ret = o->events.nr_texts ? trace_events_open(&o->events, &o->target, &o->source, err) : 0;

	if (!ret && (o->stacks || o->source.faults))
		ret = open_stacks(run, &cfg, err);
	if (ret)
		return ret;
	if (o->events.nr_texts)
		cfg.sources[cfg.nr_sources++] = src_probe_new(&o->events.cfg);
	if (run->sums)
		cfg.sources[cfg.nr_sources++] = src_callsby_new(&run->sums->calls);
	run->source = cfg.sources[cfg.nr_sources++] = src_trace_new(&o->source);
	return run_session(&run->base, &cfg, &hooks, ret_status, err);
}

static int run_input(struct trace_run *run, struct err *err)
{
	int ret;

	run->lines.first_tid = run->replay.meta.first_tid;
	ret = run_file(&run->base, trace_replay_run, &run->replay, err);
	return ret ? ret : end(run, NULL);
}

int trace_run(struct trace_options *o, struct trace_sums *sums, int *ret_status, struct err *err)
{
	const struct trace_cfg *source = &o->source;
	struct trace_run run = { .base = { .sink = { .sample = on_sample, .round = on_round } }, .o = o, .sums = sums,
				 .lines = { .o = o, .rows = &run.base.sink, .profile = &run.base.profile, .has_many = o->strace.has_pids } };
	struct run_cfg view = { .schema = &callrow_schema, .is_stream = true, .text = &call_text, .format = o->view.format, .fields = o->view.fields,
				.out = o->view.out, .duration_ns = o->view.duration_ns, .budget = o->view.budget, .is_live = true, .append = o->strace.append,
				.hide = o->stacks ? 0 : 1ull << CALLROW_STACK };
	struct trace_files files = { .path = NULL };
	uint64_t hidden;
	int status = 0, ret = open_input(&run, err);

	run.base.profile = (struct profile){ .event = "calls", .unit = "calls" };
	run.has_waits = !o->input && !o->target.all && !source->select && source->results == TRACE_ALL_RESULTS && !source->min_ns && !o->view.budget;
	run.now = malloc(sizeof(*run.now));
	if (!ret)
		ret = run.now ? open_output(&run, &view, &files, err) : -ENOMEM;
	if (!ret)
		ret = o->input ? run_input(&run, err) : run_live(&run, &status, err);
	ret = run_close(&run.base, ret, err);
	ret = trace_files_close(&files, ret, err);
	trace_replay_close(&run.replay);
	hidden = run.lines.hidden;
	trace_lines_free(&run.lines);
	trace_events_free(&o->events);
	free(run.now);
	if (ret)
		return ret;
	if (run.base.profile.kept || run.base.nr_rows || hidden) { /* calls that wait are no events; ends that -qq hides are */
		*ret_status = run_end(&run.base, &o->h, status, err);
		return *ret_status < 0 ? *ret_status : 0;
	}
	honesty_print(&o->h, &run.base.profile);
	return o->input ? err_set(err, -ENODATA, "no calls in '%s'", o->input) : trace_record_nothing(&run.base.profile, err);
}
