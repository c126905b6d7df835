/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Calls, signals, ends of threads and other events as lines, in the order of time. */
#include "cmd/trace_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/callnow.h"
#include "cmd/measure.h"
#include "cmd/trace_files.h"
#include "cmd/trace_record.h"
#include "cmd/trace_stacks.h"
#include "cmd/trace_threads.h"
#include "model/callrow.h"
#include "ui/terminal.h"
#include "util/clock.h"

#define WAITS_NS 500000000 /* a call is shown before its return when its thread has done nothing else for so long */
#define EVENTS_SETTLE_NS 2000000 /* calls that ended before this have been delivered */
#define WAITS_MAX 1024 /* threads that are looked at */

struct trace_run {
	struct run base; /* first */
	struct trace_options *o;
	struct out args, result;
	struct trace_threads threads;
	uint32_t first_tid; /* of the first record */
	struct trace_stacks stacks;
	struct callnow *now; /* of the thread that is looked at */
	struct trace_replay replay; /* of -i */
	const struct source *source; /* of a live run */
	struct trace_sums *sums; /* -C; else NULL */
	int (*print_line)(struct sink *sink, const struct row *row);
	uint64_t start_ns, looked_ns;
	struct trace_files *files; /* -ff; else NULL */
	bool is_text, has_waits;
	uint64_t hidden; /* ends of threads */
};

/* number: what -n shows, or CALL_NO_NUMBER */
static int send_row(struct trace_run *run, const struct sample *s, const char *name, bool has_result, int number)
{
	struct callrow_texts texts = { name, out_end(&run->args), has_result ? out_end(&run->result) : NULL, NULL };
	struct callrow row;

	if (run->args.failed || run->result.failed)
		return -ENOMEM;
	if (run->o->stacks && has_result) {
		texts.frames = trace_stacks_of(&run->stacks, s, run->o->max_stack, run->is_text, &run->base.profile);
		if (!texts.frames)
			return -ENOMEM;
	}
	callrow_make(s, &texts, run->start_ns, &row);
	run->o->lines.number = number;
	return run->base.sink.row(&run->base.sink, &row.row);
}

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

/*
 * Whether a line has its thread's number: there are several, or it is another one than the first. With -e a thread is known by its first
 * selected call, and all others may have ended or not be known yet.
 */
static bool is_numbered(struct trace_run *run, uint32_t tid)
{
	if (!run->first_tid)
		run->first_tid = tid;
	return run->threads.all.n > 1 || tid != run->first_tid;
}

/* The call that a thread ends in has a line of its own. t: its begin may have been shown. */
static int on_call(struct trace_run *run, const struct sample *s, const struct call_event *e, struct trace_thread *t)
{
	bool is_rest = run->is_text && t->waits_ns && t->nr == e->nr && e->start_ns <= t->waits_ns && !memcmp(t->args, e->args, sizeof(t->args));
	struct sample of = *s;
	char buf[32];

	run->args.n = run->result.n = 0;
	if (is_rest) {
		of.resumes = true;
		call_args_from(&run->args, e, &run->o->style, t->shown);
	} else {
		call_args(&run->args, e, &run->o->style);
	}
	call_result(&run->result, e, &run->o->style);
	t->waits_ns = 0;
	t->nr = e->nr;
	t->has_called = true;
	of.call = e;
	return send_row(run, &of, call_name(e->abi, e->nr, buf), true, e->nr);
}

/* Of no thread: -ff, which has a file for each, leaves it to the ledger. */
static int on_lost(struct trace_run *run, const struct sample *s)
{
	run->args.n = 0;
	return run->files ? 0 : send_row(run, s, NULL, false, CALL_NO_NUMBER);
}

/* A page fault, of a thread that goes on. */
static int on_fault(struct trace_run *run, const struct sample *s)
{
	run->o->lines.has_pid = is_numbered(run, s->tid);
	run->args.n = 0;
	out_char(&run->args, '[');
	trace_stacks_where(&run->stacks, s, &run->args);
	out_text(&run->args, "] => ");
	call_fault_place(&run->args, s->call);
	return send_row(run, s, call_fault_name(s->call), false, CALL_NO_NUMBER);
}

/* Its thread goes on meanwhile, and may wait in a call. */
static int on_uring(struct trace_run *run, const struct sample *s)
{
	char buf[32];

	run->o->lines.has_pid = is_numbered(run, s->tid);
	run->args.n = run->result.n = 0;
	call_uring_args(&run->args, s->call, &run->o->style);
	call_result(&run->result, s->call, &run->o->style);
	return send_row(run, s, call_uring_name(s->call->nr, buf), true, CALL_NO_NUMBER);
}

static int on_task(struct sink *sink, const struct task_event *t)
{
	return syms_task(((struct trace_run *)sink)->stacks.syms, t);
}

/* Events up to that time. */
static int show_events(struct trace_run *run, uint64_t until_ns)
{
	const struct trace_hit *hit;
	int ret = 0;

	while (!ret && (hit = trace_events_next(&run->o->events, until_ns))) {
		struct sample s = hit->at;
		struct callrow_texts texts = { hit->call, hit->values, NULL, NULL };
		struct callrow row;

		s.comm = hit->comm;
		run->o->lines.has_pid |= run->threads.all.n && run->threads.all.data[0].tid != s.tid;
		run->o->lines.number = CALL_NO_NUMBER;
		callrow_make(&s, &texts, run->start_ns, &row);
		ret = run->base.sink.row(&run->base.sink, &row.row);
	}
	return ret;
}

/* As strace: -qq leaves out who exits, and a signal that is not selected also as the end of a thread. */
static bool is_hidden_end(const struct trace_options *o, const struct call_event *e)
{
	int sig = e->ret & 0x7f;

	return e->kind == CALL_GONE && (sig ? !(o->source.signals >> (sig - 1) & 1) : o->strace.has_no_ends);
}

/* A signal and an end have the number of the thread's last call, as in strace; unknown when calls are selected. */
static int last_number(const struct trace_run *run, const struct trace_thread *t)
{
	return run->o->source.all_calls && t->has_called ? t->nr : CALL_NO_NUMBER;
}

static int on_sample(struct sink *sink, const struct sample *s)
{
	struct trace_run *run = (struct trace_run *)sink;
	const struct call_event *e = s->call;
	struct trace_thread *t;
	int ret;

	if (!e)
		return trace_events_take(&run->o->events, s);
	ret = show_events(run, s->time_ns);
	if (!ret && e->kind == CALL_LOST)
		return on_lost(run, s);
	t = trace_thread_add(&run->threads, s->pid, s->tid);
	if (ret || !t)
		return ret ? ret : -ENOMEM;
	if (e->kind == CALL_URING || e->kind == CALL_FAULT)
		return e->kind == CALL_URING ? on_uring(run, s) : on_fault(run, s);
	t->last_ns = s->time_ns;
	t->is_known = false;
	run->o->lines.has_pid = is_numbered(run, s->tid);
	if (e->kind == CALL_DONE && !e->ret && call_is_exec(e)) {
		trace_threads_exec(&run->threads, s->pid, s->tid);
		t = trace_thread_add(&run->threads, s->pid, s->tid);
		run->o->lines.has_pid = is_numbered(run, s->tid);
	}
	if (e->kind == CALL_DONE)
		return on_call(run, s, e, t);
	if (e->kind == CALL_GONE && e->in_call)
		ret = on_call(run, s, e, t);
	run->args.n = 0;
	if (e->kind == CALL_SIGNAL)
		call_signal(&run->args, e, &run->o->style);
	else
		call_end(&run->args, e);
	if (is_hidden_end(run->o, e))
		run->hidden++;
	else if (!ret)
		ret = send_row(run, s, NULL, false, last_number(run, t));
	if (!ret && e->kind == CALL_SIGNAL && e->ret == 1) {
		run->args.n = 0;
		call_stop(&run->args, e);
		ret = send_row(run, s, NULL, false, last_number(run, t));
	}
	if (!ret && e->kind == CALL_GONE)
		trace_thread_drop(&run->threads, s->tid);
	return ret;
}

static bool is_wanted(const struct trace_cfg *cfg, const struct call_event *e)
{
	return cfg->all_calls || cfg->wanted[e->abi][e->nr / 64] >> (e->nr % 64) & 1;
}

/* The begin of the call that a thread waits in. */
static int show_wait(struct trace_run *run, struct trace_thread *t, uint64_t now)
{
	const struct call_event *e = &run->now->event;
	struct sample s = { .time_ns = now, .pid = t->pid, .tid = t->tid, .cpu = UINT32_MAX, .call = e };
	char buf[32];

	t->is_known = true;
	if (!callnow_read(t->pid, t->tid, run->o->source.plan, run->o->source.text, run->now) || !is_wanted(&run->o->source, e))
		return 0;
	run->now->event.start_ns = now;
	t->waits_ns = now;
	t->nr = e->nr;
	t->has_called = true;
	memcpy(t->args, e->args, sizeof(t->args));
	run->o->lines.has_pid = is_numbered(run, t->tid);
	run->args.n = 0;
	t->shown = call_args_begun(&run->args, e, &run->o->style);
	return send_row(run, &s, call_name(e->abi, e->nr, buf), false, e->nr);
}

/* Everything up to now has been delivered: who is silent waits. */
static int on_round(struct sink *sink)
{
	struct trace_run *run = (struct trace_run *)sink;
	uint64_t now = now_ns();
	bool is_behind = run->source && src_trace_is_behind(run->source);
	int ret = is_behind ? 0 : show_events(run, now - EVENTS_SETTLE_NS); /* else older calls follow */

	if (run->stacks.syms)
		syms_pin(run->stacks.syms);
	if (run->has_waits && !is_behind && now - run->looked_ns > WAITS_NS / 4 && run->threads.all.n <= WAITS_MAX) {
		run->looked_ns = now;
		for (size_t i = 0; i < run->threads.all.n && !ret; i++) {
			struct trace_thread *t = &run->threads.all.data[i];

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

	return trace_thread_add(&run->threads, target_process(tid), tid) ? 0 : -ENOMEM;
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
	int ret = run->stacks.syms ? measure_scan(&run->o->target, false, &run->base.sink, &run->base.profile, err) : 0;

	if (ret)
		return ret;
	if (run->o->events.nr_texts)
		trace_events_start(&run->o->events);
	run->start_ns = now_ns();
	run->o->lines.wall_ns = (int64_t)(clock_ns(CLOCK_REALTIME) - run->start_ns);
	return run->has_waits ? add_targets(run) : 0;
}

static int explain_nothing(const struct trace_run *run, struct err *err)
{
	if (run->o->input)
		return err_set(err, -ENODATA, "no calls in '%s'", run->o->input);
	if (run->base.profile.seen)
		return err_set(err, -ENODATA, "no calls: all %llu were lost", (unsigned long long)run->base.profile.seen);
	return err_set(err, -ENODATA, "no calls in %.3f s: the target made none of those that were asked for", run->base.profile.duration_ns / 1e9);
}

static int open_stacks(struct trace_run *run, struct session_cfg *cfg, struct err *err)
{
	int ret = trace_stacks_open(&run->stacks, err);

	if (ret)
		return ret;
	run->base.sink.task = on_task;
	if (!run->o->stacks || !walk_by_tables(&run->o->walks))
		return 0;
	cfg->unwind = walk_cfg(&run->o->walks, syms_guide(run->stacks.syms));
	return cfg->unwind.guide ? 0 : -ENOMEM;
}

/* After the last line. What was not to be shown was not kept for anybody. */
static int end(void *arg, const struct session *session)
{
	struct trace_run *run = arg;
	int ret = show_events(run, UINT64_MAX);

	(void)session;
	run->base.profile.seen -= run->hidden;
	run->base.profile.kept -= run->hidden;
	trace_stacks_note(&run->stacks, &run->base.profile);
	if (ret || !run->sums)
		return ret;
	ret = trace_sums_print(run->sums, run->is_text ? rows_format("text") : run->base.format, run->base.out.stream);
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
	run->start_ns = run->replay.meta.start_ns;
	o->lines.wall_ns = (int64_t)(run->replay.meta.clock_ns - run->start_ns);
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
	run->is_text = run->base.format == &call_text;
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
	int ret = o->events.nr_texts ? trace_events_open(&o->events, &o->target, o->h.receipt, err) : 0;

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
	int ret = run_file(&run->base, trace_replay_run, &run->replay, err);

	return ret ? ret : end(run, NULL);
}

int trace_run(struct trace_options *o, struct trace_sums *sums, int *ret_status, struct err *err)
{
	const struct trace_cfg *source = &o->source;
	struct trace_run run = { .base = { .sink = { .sample = on_sample, .round = on_round } }, .o = o, .sums = sums };
	struct run_cfg view = { .schema = &callrow_schema, .is_stream = true, .text = &call_text, .format = o->view.format, .fields = o->view.fields,
				.out = o->view.out, .duration_ns = o->view.duration_ns, .is_live = true, .append = o->strace.append,
				.hide = o->stacks ? 0 : 1ull << CALLROW_STACK };
	struct trace_files files = { .path = NULL };
	int status = 0, ret = open_input(&run, err);

	run.base.profile = (struct profile){ .event = "calls", .unit = "calls" };
	run.has_waits = !o->input && !o->target.all && !source->select && source->results == TRACE_ALL_RESULTS && !source->min_ns;
	run.now = malloc(sizeof(*run.now));
	if (!ret)
		ret = run.now ? open_output(&run, &view, &files, err) : -ENOMEM;
	if (!ret)
		ret = o->input ? run_input(&run, err) : run_live(&run, &status, err);
	ret = run_close(&run.base, ret, err);
	ret = trace_files_close(&files, ret, err);
	trace_replay_close(&run.replay);
	trace_threads_free(&run.threads);
	trace_stacks_free(&run.stacks);
	trace_events_free(&o->events);
	free(run.now);
	out_free(&run.args);
	out_free(&run.result);
	if (ret)
		return ret;
	if (run.base.profile.kept || run.base.nr_rows) { /* calls that wait are no events */
		*ret_status = run_end(&run.base, &o->h, status, err);
		return *ret_status < 0 ? *ret_status : 0;
	}
	honesty_print(&o->h, &run.base.profile);
	return explain_nothing(&run, err);
}
