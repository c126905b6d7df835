/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep trace: each system call with its arguments, as strace writes it, without stopping the program. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "calls/calls.h"
#include "capture/callnow.h"
#include "capture/features.h"
#include "cmd/cmd.h"
#include "cmd/measure.h"
#include "cmd/run.h"
#include "cmd/trace_select.h"
#include "cmd/trace_summary.h"
#include "cmd/trace_threads.h"
#include "model/callrow.h"
#include "render/events/call.h"
#include "util/clock.h"
#include "util/num.h"

#define COLUMN_DEFAULT 40
#define WAITS_NS 500000000 /* a call is shown before its return when its thread has done nothing else for so long */
#define WAITS_MAX 1024 /* threads that are looked at */
#define TEXT_DEFAULT 32
#define TEXT_MAX (TRACE_PIECE_MAX - 2)

struct trace_options {
	struct trace_cfg source;
	struct call_style style;
	struct call_lines lines;
	struct target target;
	struct view_options view;
	struct honesty h;
	uint64_t text, column, ring_kb, min_ns, hex;
	const char *sort;
	bool has_text, has_column, ok, failed, has_events, summary, follow;
};

static int add_events(void *base, const char *text, struct err *err)
{
	struct trace_options *o = base;

	if (!o->has_events) /* what is not said of calls, or of signals, is all */
		o->source.all_calls = o->source.signals = o->source.uring = true;
	o->has_events = true;
	return trace_select(text, &o->source, err);
}

static int add_errnos(void *base, const char *text, struct err *err)
{
	struct trace_options *o = base;

	return trace_errnos(text, &o->source, err);
}

static int set_number(const char *text, const char *name, uint64_t max, uint64_t *ret_n, struct err *err)
{
	if (num_u64(text, max, ret_n))
		return err_exit(err, -EINVAL, EXIT_USAGE, "bad %s '%s': a number from 0 to %llu", name, text, (unsigned long long)max);
	return 0;
}

static int set_text(void *base, const char *text, struct err *err)
{
	struct trace_options *o = base;

	o->has_text = true;
	return set_number(text, "string size", TEXT_MAX, &o->text, err);
}

static int set_column(void *base, const char *text, struct err *err)
{
	struct trace_options *o = base;

	o->has_column = true;
	return set_number(text, "column", 1024, &o->column, err);
}

static int set_names(void *base, const char *text, struct err *err)
{
	static const char *const words[] = { [NAMES_ABBREV] = "abbrev", [NAMES_RAW] = "raw", [NAMES_VERBOSE] = "verbose" };
	struct trace_options *o = base;

	for (uint8_t i = 0; i < 3; i++)
		if (!strcmp(text, words[i])) {
			o->style.names = i;
			return 0;
		}
	return err_exit(err, -EINVAL, EXIT_USAGE, "bad -X '%s': raw, abbrev or verbose", text);
}

/* strace's words: "[format:]unix", "[precision:]us", one or both. */
static int set_time(void *base, const char *text, struct err *err)
{
	static const struct {
		const char *word;
		int time, decimals; /* -1: as it is */
	} words[] = {
		{ "none", CALL_TIME_NONE, -1 }, { "time", CALL_TIME_DAY, -1 }, { "unix", CALL_TIME_UNIX, -1 },
		{ "s", -1, 0 }, { "ms", -1, 3 }, { "us", -1, 6 }, { "ns", -1, 9 },
	};
	struct trace_options *o = base;

	o->lines.time = CALL_TIME_DAY;
	for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
		size_t n, i;

		at += !strncmp(at, "format:", 7) ? 7 : !strncmp(at, "precision:", 10) ? 10 : 0;
		n = strcspn(at, ",");
		for (i = 0; i < sizeof(words) / sizeof(*words); i++)
			if (strlen(words[i].word) == n && !strncmp(at, words[i].word, n))
				break;
		if (i == sizeof(words) / sizeof(*words))
			return err_exit(err, -EINVAL, EXIT_USAGE, "bad time '%s': time, unix or none; s, ms, us or ns", text);
		if (words[i].time >= 0)
			o->lines.time = words[i].time;
		if (words[i].decimals >= 0)
			o->lines.decimals = words[i].decimals;
	}
	return 0;
}

static int set_relative(void *base, const char *text, struct err *err)
{
	struct trace_options *o = base;

	(void)text;
	(void)err;
	o->lines.time = CALL_TIME_SINCE;
	o->lines.decimals = 6;
	return 0;
}

static const struct opt what_opts[] = {
	{ 'e', "event", "CALLS", OPT_CALL, 0,
	  "these system calls: names, %CLASS, /REGEX, io_uring (its operations), with ! in front all others; trace=CALLS; signal=none", add_events, true },
	{ 'z', "successful-only", NULL, OPT_FLAG, offsetof(struct trace_options, ok), "only calls that do not fail" },
	{ 'Z', "failed-only", NULL, OPT_FLAG, offsetof(struct trace_options, failed), "only calls that fail" },
	{ 0, "failed", NULL, OPT_FLAG, offsetof(struct trace_options, failed), "the same" },
	{ 0, "errno", "NAME,...", OPT_CALL, 0, "only calls that fail with these errors: ENOENT,EACCES", add_errnos },
	{ 'f', "follow-forks", NULL, OPT_FLAG, offsetof(struct trace_options, follow), "accepted for strace's users: children are always followed" },
	{ 0, "min-duration", "TIME", OPT_DURATION, offsetof(struct trace_options, min_ns), "only calls that take at least TIME (10ms)" },
	{ 0 },
};

static const struct opt sum_opts[] = {
	{ 'c', "summary", NULL, OPT_FLAG, offsetof(struct trace_options, summary), "calls, errors and times of each system call, summed in the kernel, instead of lines" },
	{ 0, "by", "KEY,...", OPT_TEXT, offsetof(struct trace_options, view.by), "with -c: a row for each of comm, pid, tid, cpu, user, cgroup, syscall, errno" },
	{ 'S', "summary-sort-by", "COLUMN", OPT_TEXT, offsetof(struct trace_options, sort), "with -c: time (the default), calls, errors, mean or name",
	  .values = "time|calls|errors|mean|name" },
	{ 0 },
};

static const struct opt line_opts[] = {
	{ 's', "string-limit", "N", OPT_CALL, 0, "show N bytes of strings (default 32); paths are shown whole", set_text },
	{ 'x', "hex", NULL, OPT_COUNT, offsetof(struct trace_options, hex), "strings that are not ASCII in hexadecimal; -xx: all strings" },
	{ 'v', "no-abbrev", NULL, OPT_FLAG, offsetof(struct trace_options, style.is_whole), "all members of structures, all elements of arrays" },
	{ 'X', "const-print-style", "STYLE", OPT_CALL, 0, "flags and constants: raw, abbrev (names, the default) or verbose (both)", set_names },
	{ 'T', "syscall-times", NULL, OPT_FLAG, offsetof(struct trace_options, lines.has_duration), "how long each call took, at the end of its line" },
	{ 'r', "relative-timestamps", NULL, OPT_CALL, 0, "begin each line with the time since the previous one", set_relative },
	{ 0, "absolute-timestamps", "FORMAT", OPT_CALL, 0, "begin each line with the time of the call: time (of day) or unix, and s, ms, us or ns: unix,us", set_time },
	{ 0, "columns", "N", OPT_CALL, 0, "the column of the results (default 40)", set_column },
	{ 0, "format", "FORMAT", OPT_TEXT, offsetof(struct trace_options, view.format), "text, csv or json (an object per line)", .values = ROWS_FORMATS },
	{ 0, "fields", "COLUMN,...", OPT_TEXT, offsetof(struct trace_options, view.fields), "show these columns, in this order" },
	{ 0, "duration", "TIME", OPT_DURATION, offsetof(struct trace_options, view.duration_ns), "stop after TIME (10, 500ms, 2m), and stop COMMAND" },
	{ 'o', "output", "FILE", OPT_TEXT, offsetof(struct trace_options, view.out), "write to FILE instead of standard error; -: to standard output" },
	{ 'm', "ring-size", "KB", OPT_U64, offsetof(struct trace_options, ring_kb),
	  "ring buffer of each CPU in KiB, a power of two (default: 1024 to 8192, by the number of CPUs); up to four CPUs share one" },
	{ 0 },
};

static const struct opt_rule trace_rules[] = {
	{ "successful-only", .not_with = "failed-only|failed|errno" },
	{ "syscall-times|relative-timestamps|absolute-timestamps|columns", .not_with = "format=csv|format=json|fields" },
	{ "relative-timestamps", .not_with = "absolute-timestamps" },
	{ "format=csv|format=json", .needs = "output", .why = "on standard error they would stand among other lines", .hint = "-o FILE, or -o - for standard output" },
	{ "summary", .not_with = "successful-only|failed-only|failed|errno|min-duration|string-limit|hex|no-abbrev|const-print-style|syscall-times|"
				 "relative-timestamps|absolute-timestamps|columns|ring-size", .why = "sums have no lines" },
	{ "by|summary-sort-by", .needs = "summary" },
	{ "summary-sort-by", .not_with = "by|fields|format=csv|format=json", .why = "it sorts the table that -c has by default" },
	{ 0 },
};

static const struct opt_group trace_groups[] = {
	{ "What", what_opts, 0 },
	{ "Who", target_opts, offsetof(struct trace_options, target), target_rules },
	{ "Output", sum_opts, 0 },
	{ "Output", line_opts, 0, trace_rules },
	{ "Honesty", honesty_opts, offsetof(struct trace_options, h) },
	{ 0 },
};

struct trace_run {
	struct run base; /* first */
	struct trace_options *o;
	struct out args, result;
	struct trace_threads threads;
	struct callnow *now; /* of the thread that is looked at */
	uint64_t start_ns, looked_ns;
	bool is_text, has_waits;
};

static int send_row(struct trace_run *run, const struct sample *s, const char *name, bool has_result)
{
	const struct callrow_texts texts = { name, out_end(&run->args), has_result ? out_end(&run->result) : NULL };
	struct callrow row;

	if (run->args.failed || run->result.failed)
		return -ENOMEM;
	callrow_make(s, &texts, run->start_ns, &row);
	return run->base.sink.row(&run->base.sink, &row.row);
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
	of.call = e;
	return send_row(run, &of, call_name(e->abi, e->nr, buf), true);
}

/* Its thread goes on meanwhile, and may wait in a call. */
static int on_uring(struct trace_run *run, const struct sample *s)
{
	char buf[32];

	run->o->lines.has_pid = run->threads.all.n > 1;
	run->args.n = run->result.n = 0;
	call_uring_args(&run->args, s->call, &run->o->style);
	call_result(&run->result, s->call, &run->o->style);
	return send_row(run, s, call_uring_name(s->call->nr, buf), true);
}

static int on_sample(struct sink *sink, const struct sample *s)
{
	struct trace_run *run = (struct trace_run *)sink;
	const struct call_event *e = s->call;
	struct trace_thread *t = trace_thread_add(&run->threads, s->pid, s->tid);
	int ret = 0;

	if (!t)
		return -ENOMEM;
	if (e->kind == CALL_URING)
		return on_uring(run, s);
	t->last_ns = s->time_ns;
	t->is_known = false;
	run->o->lines.has_pid = run->threads.all.n > 1;
	if (e->kind == CALL_DONE && !e->ret && call_is_exec(e)) {
		trace_threads_exec(&run->threads, s->pid, s->tid);
		t = trace_thread_add(&run->threads, s->pid, s->tid);
		run->o->lines.has_pid = run->threads.all.n > 1;
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
	if (!ret)
		ret = send_row(run, s, NULL, false);
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
	memcpy(t->args, e->args, sizeof(t->args));
	run->o->lines.has_pid = run->threads.all.n > 1;
	run->args.n = 0;
	t->shown = call_args_begun(&run->args, e, &run->o->style);
	return send_row(run, &s, call_name(e->abi, e->nr, buf), false);
}

/* Everything up to now has been delivered: who is silent waits. */
static int on_round(struct sink *sink)
{
	struct trace_run *run = (struct trace_run *)sink;
	uint64_t now = now_ns();
	int ret = 0;

	if (run->has_waits && now - run->looked_ns > WAITS_NS / 4 && run->threads.all.n <= WAITS_MAX) {
		run->looked_ns = now;
		for (size_t i = 0; i < run->threads.all.n && !ret; i++) {
			struct trace_thread *t = &run->threads.all.data[i];

			if (!t->is_known && now - t->last_ns > WAITS_NS)
				ret = show_wait(run, t, now);
		}
	}
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

static bool whole_plan; /* -v: of the one run of this process */

static void plan(enum syscall_abi table, uint32_t nr, struct trace_plan *ret_plan)
{
	call_plan(table, nr, whole_plan, ret_plan);
}

static int begin(void *arg, struct err *err)
{
	struct trace_run *run = arg;

	(void)err;
	run->start_ns = now_ns();
	run->o->lines.wall_ns = (int64_t)(clock_ns(CLOCK_REALTIME) - run->start_ns);
	return run->has_waits ? add_targets(run) : 0;
}

static int explain_nothing(const struct trace_run *run, struct err *err)
{
	if (run->base.profile.seen)
		return err_set(err, -ENODATA, "no calls: all %llu were lost", (unsigned long long)run->base.profile.seen);
	return err_set(err, -ENODATA, "no calls in %.3f s: the target made none of those that were asked for", run->base.profile.duration_ns / 1e9);
}

static int trace_run(struct trace_options *o, int *ret_status, struct err *err)
{
	static const struct run_hooks hooks = { begin, NULL };
	const struct trace_cfg *source = &o->source;
	struct trace_run run = { .base = { .sink = { .sample = on_sample, .round = on_round } }, .o = o };
	struct run_cfg view = { .schema = &callrow_schema, .is_stream = true, .text = &call_text, .format = o->view.format, .fields = o->view.fields,
				.out = o->view.out, .duration_ns = o->view.duration_ns, .is_live = true };
	struct session_cfg cfg = { .target = &o->target, .nr_sources = 1 };
	int status = 0, ret;

	whole_plan = o->style.is_whole;
	run.base.profile = (struct profile){ .event = "calls", .unit = "calls" };
	run.has_waits = !o->target.all && source->results == (TRACE_DONE | TRACE_FAILED) && !source->min_ns;
	run.now = malloc(sizeof(*run.now));
	ret = run.now ? run_open(&run.base, &view, err) : -ENOMEM;
	run.is_text = run.base.format == &call_text;
	run.base.view.arg = &o->lines;
	cfg.sources[0] = ret ? NULL : src_trace_new(&o->source);
	ret = ret ? ret : run_session(&run.base, &cfg, &hooks, &status, err);
	ret = run_close(&run.base, ret, err);
	trace_threads_free(&run.threads);
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

static int check(struct trace_options *o, struct err *err)
{
	if (measure_check_ring(o->ring_kb, err))
		return -EINVAL;
	if (o->target.cpus.n)
		return err_exit(err, -EINVAL, EXIT_USAGE, "-C works with counters only");
	if (trace_is_uring(&o->source) && !feature(FEATURE_URING)->has) {
		err_exit(err, -EOPNOTSUPP, EXIT_CANNOT, "cannot show operations of io_uring: %s", feature(FEATURE_URING)->why);
		err_hint(err, "%s", feature(FEATURE_URING)->enable);
		return -EOPNOTSUPP;
	}
	return target_check(&o->target, err);
}

static int trace_main(void *cfg, char **operands, struct err *err)
{
	struct trace_options *o = cfg;
	int status = 0, ret;

	o->target.argv = operands[0] ? operands : NULL;
	if (!o->has_events)
		o->source.all_calls = o->source.signals = o->source.uring = true;
	o->style.text = o->source.text = o->has_text ? o->text : TEXT_DEFAULT;
	o->style.hex = o->hex > 2 ? 2 : o->hex;
	o->lines.column = o->has_column ? (int)o->column : COLUMN_DEFAULT;
	o->source.min_ns = o->min_ns;
	o->source.ring_bytes = o->ring_kb << 10;
	o->source.plan = plan;
	o->source.bpf_stats = o->h.receipt;
	if (!o->source.results)
		o->source.results = o->ok ? TRACE_DONE : o->failed ? TRACE_FAILED : TRACE_DONE | TRACE_FAILED;
	ret = check(o, err);
	if (!ret && o->summary)
		ret = trace_summary_run(&(struct trace_summary){ &o->source, &o->target, &o->view, &o->h, o->sort }, &status, err);
	else if (!ret)
		ret = trace_run(o, &status, err);
	target_free(&o->target);
	return ret ? ret : status;
}

#define ITS_TIME "is strace's: here -t are threads"

static const struct opt_other trace_others[] = {
	{ "-tt", ITS_TIME, "--absolute-timestamps=us" },
	{ "-ttt", ITS_TIME, "--absolute-timestamps=unix,us" },
	{ "-ff", "is not supported", "--format json has the process of each line" },
	{ 0 }
};

const struct cmd cmd_trace = {
	.name = "trace",
	.summary = "each system call with its arguments, as strace writes it",
	.operands = "[-- COMMAND [ARG...]]",
	.groups = trace_groups,
	.cfg_size = sizeof(struct trace_options),
	.examples = "skep trace ls                                       every call, on standard error\n"
		    "skep trace -e openat,read -- cat /etc/hostname\n"
		    "skep trace -e %network -p 1234 -T --duration 5      how long each takes\n"
		    "skep trace --failed -e %file -o missing.txt -- ls   what it looked for and did not find\n"
		    "skep trace --min-duration 10ms -a --duration 5\n"
		    "skep trace -o trace.txt --absolute-timestamps us -- make\n"
		    "skep trace -e io_uring -T -a --duration 5           what io_uring does, without calls\n"
		    "skep trace -c -- ls -R /etc                         how many calls, errors, and how long they took\n"
		    "skep trace --format json -o trace.json -- true\n",
	.run = trace_main,
	.others = trace_others,
};
