/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep stat: events counted for a COMMAND, a process or the machine, as perf stat does. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/cost.h"
#include "capture/session.h"
#include "capture/source/count.h"
#include "capture/source/probe.h"
#include "capture/source/syscalls.h"
#include "capture/source/tracepoint.h"
#include "cmd/cmd.h"
#include "cmd/measure.h"
#include "cmd/run.h"
#include "cmd/shell.h"
#include "cmd/stat_by.h"
#include "cmd/stat_events.h"
#include "cmd/stat_file.h"
#include "cmd/stat_options.h"
#include "cmd/stat_out.h"
#include "cmd/stat_report.h"
#include "cmd/stat_rows.h"
#include "cmd/stat_stack.h"
#include "render/rows/stat.h"
#include "util/interrupt.h"
#include "util/log.h"

#define CLEAR_SCREEN "\033[H\033[2J" /* perf's */

/* One or more runs and their table; first a sink. */
struct count_run {
	struct sink sink;
	const struct stat_options *o;
	struct stat_events events;
	enum counter_state states[STAT_EVENTS_MAX];
	const char *missing[STAT_EVENTS_MAX];
	struct counts counts;
	struct stat_cfg view;
	int narrow; /* of the view */
	char title[256];
	struct profile profile;
	pid_t command_pid; /* of this run */
	uint64_t last_ns; /* end of the interval before */
	struct probe_cfg probe;
	bool has_head; /* of -I */
	struct stat_out out;
	struct stat_file *file; /* of skep stat record; or NULL */
	uint64_t nr_intervals;
	bool post_failed;   /* err has its text */
	VEC(double) run_s;  /* of --table: seconds of each run */
	sigset_t mask;	    /* for --pre and --post: what was blocked when we started */
};

static int take_reading(struct sink *sink, const struct reading *r)
{
	struct count_run *s = (struct count_run *)sink;
	int ret = s->file ? stat_file_add(s->file, r) : 0;

	return ret ? ret : counts_add(&s->counts, r);
}

/* Once the events are open. */
static void set_missing(struct count_run *s)
{
	for (int e = 0; e < s->events.n; e++)
		s->missing[e] = s->states[e] == COUNTER_NOT_SUPPORTED ? "<not supported>" :
				s->states[e] == COUNTER_HIDDEN	    ? "<not counted>" :
								      NULL;
}

static bool has_all_intervals(const struct count_run *s)
{
	return s->o->intervals_max && s->nr_intervals == s->o->intervals_max;
}

/* All readings of a round are there: what stat itself adds to them; and the file has them all. usage: COMMAND's, NULL while it runs: its times are not counted then, as in perf. */
static int end_readings(struct count_run *s, uint64_t since_start_ns, const struct rusage *usage)
{
	const struct target *t = &s->o->target;
	const struct count_key *first = s->counts.by == COUNT_BY_THREAD && s->counts.keys.n ? s->counts.keys.data : NULL;
	int ret = 0;

	for (int e = 0; e < s->events.n && !ret; e++) {
		struct reading r = { .event = e, .cpu = t->cpus.n ? t->cpus.data[0] : 0, .tid = first ? first->tid : 0 };
		const struct timeval *time;

		if (s->events.all[e].kind != EVENT_TOOL || (s->events.all[e].config != TOOL_DURATION && !usage))
			continue;
		time = usage ? s->events.all[e].config == TOOL_USER ? &usage->ru_utime : &usage->ru_stime : NULL;
		r.value = s->events.all[e].config == TOOL_DURATION ? since_start_ns : time->tv_sec * 1000000000ull + time->tv_usec * 1000ull;
		r.enabled_ns = r.running_ns = r.value;
		ret = counts_add(&s->counts, &r);
		if (s->file)
			r.cpu = s->file->first_cpu;
		if (!ret && s->file)
			ret = stat_file_add(s->file, &r);
	}
	return ret || !s->file ? ret : stat_file_round(s->file, s->states, since_start_ns);
}

static int print_round(struct count_run *s, uint64_t since_start_ns)
{
	int ret = 0;

	if (has_all_intervals(s))
		return 0;
	s->nr_intervals++;
	stat_out_fresh(&s->out);
	if (s->o->clear)
		fputs(CLEAR_SCREEN, s->out.stream);
	if (!s->has_head || s->o->clear)
		ret = render_stat_head(s->out.stream, &s->counts, &s->view);
	s->has_head = true;
	if (!ret)
		ret = render_stat_rows(s->out.stream, &s->counts, &s->view, since_start_ns - s->last_ns, since_start_ns);
	s->last_ns = since_start_ns;
	return fflush(s->out.stream) ? -errno : ret;
}

static int print_interval(struct sink *sink, uint64_t since_start_ns)
{
	struct count_run *s = (struct count_run *)sink;
	int ret = end_readings(s, since_start_ns, NULL);

	if (!ret)
		ret = print_round(s, since_start_ns);

	counts_round(&s->counts);
	/* As in perf, COMMAND goes on. */
	return !ret && has_all_intervals(s) && !s->o->target.argv ? -ECANCELED : ret;
}

/* "process id '12,13'" */
static void title_list(char *buf, size_t size, const char *what, const uint32_t *ids, size_t n)
{
	size_t at = snprintf(buf, size, "%s '", what);

	for (size_t i = 0; i < n && at < size; i++)
		at += snprintf(buf + at, size - at, "%s%u", i ? "," : "", ids[i]);
	if (at < size)
		snprintf(buf + at, size - at, "'");
}

static void set_title(struct count_run *s)
{
	const struct target *t = &s->o->target;
	size_t n = 0;

	if (t->pids.n) {
		title_list(s->title, sizeof(s->title), "process id", t->pids.data, t->pids.n);
	} else if (t->tids.n) {
		title_list(s->title, sizeof(s->title), "thread id", t->tids.data, t->tids.n);
	} else if (t->cpus.n) {
		title_list(s->title, sizeof(s->title), "CPU(s)", t->cpus.data, t->cpus.n);
	} else if (t->cgroups.n) {
		snprintf(s->title, sizeof(s->title), "cgroup '%s'", t->cgroups.data[0]);
	} else if (target_is_command(t)) {
		n = snprintf(s->title, sizeof(s->title), "'");
		for (char *const *arg = t->argv; *arg && n < sizeof(s->title); arg++)
			n += snprintf(s->title + n, sizeof(s->title) - n, "%s%s", arg > t->argv ? " " : "", *arg);
		if (n < sizeof(s->title))
			snprintf(s->title + n, sizeof(s->title) - n, "'");
	} else {
		snprintf(s->title, sizeof(s->title), "'system wide'");
	}
}

static void add_sources(struct count_run *s, const struct count_cfg *cfg, struct session_cfg *run)
{
	if (stat_events_have(&s->events, EVENT_COUNTER))
		run->sources[run->nr_sources++] = src_count_new(cfg);
	if (stat_events_have(&s->events, EVENT_SYSCALL))
		run->sources[run->nr_sources++] = src_syscalls_new(s->events.all, s->events.n);
	if (stat_events_have(&s->events, EVENT_TRACEPOINT))
		run->sources[run->nr_sources++] = src_tracepoint_new(s->events.all, s->events.n, s->states);
	if (stat_events_have(&s->events, EVENT_PROBE)) {
		s->probe.probes = s->events.probes;
		s->probe.nr_probes = s->events.nr_probes;
		s->probe.mode = PROBE_MODE_READ;
		run->sources[run->nr_sources++] = src_probe_new(&s->probe);
	}
}

static int print_table(struct count_run *s, double wall_s, const struct rusage *usage)
{
	int ret;

	stat_out_fresh(&s->out);
	ret = render_stat_head(s->out.stream, &s->counts, &s->view);
	if (!ret)
		ret = render_stat_rows(s->out.stream, &s->counts, &s->view, wall_s * 1e9, 0);
	render_stat_foot(s->out.stream, &s->counts, &s->view, wall_s, usage ? usage->ru_utime.tv_sec + usage->ru_utime.tv_usec / 1e6 : -1,
			 usage ? usage->ru_stime.tv_sec + usage->ru_stime.tv_usec / 1e6 : -1);
	return ret;
}

/* After the last interval. */
static int print_sums(struct count_run *s, double wall_s, const struct rusage *usage)
{
	counts_sum(&s->counts);
	s->view.intervals = false;
	s->view.is_summary = !s->o->no_csv_summary;
	return print_table(s, wall_s, usage);
}

static int add_run(struct count_run *s, double wall_s)
{
	counts_end_run(&s->counts, wall_s, s->o->no_scale);
	if (!s->o->table)
		return 0;
	if (vec_reserve(&s->run_s))
		return -ENOMEM;
	s->run_s.data[s->run_s.n++] = wall_s;
	s->view.run_s = s->run_s.data;
	s->view.nr_run_s = s->run_s.n;
	return 0;
}

static int begin_run(void *arg, struct err *err)
{
	struct count_run *s = arg;

	(void)err;
	set_missing(s);
	counts_run(&s->counts);
	s->last_ns = 0;
	return s->file ? stat_file_begin(s->file, s->o, s->command_pid) : 0;
}

/*
 * What a finished run has counted: printed, or into the means of -r, which one that a signal cut short would spoil. Returns 1 when a signal
 * ended it.
 */
static int end_run(void *arg, const struct session *session)
{
	struct count_run *s = arg;
	const struct rusage *usage = target_is_command(&s->o->target) ? session_usage(session) : NULL;
	double wall_s = session_duration_ns(session) / 1e9;
	bool is_cut = session_interrupted(session);
	int ret = end_readings(s, session_duration_ns(session), session_usage(session));

	if (!ret && s->o->interval_ms)
		ret = print_round(s, session_duration_ns(session));
	if (ret)
		return ret;
	if (s->o->interval_ms && s->o->summary)
		ret = print_sums(s, wall_s, usage);
	else if (!s->o->interval_ms && s->o->runs < 2)
		ret = print_table(s, wall_s, usage);
	else if (s->o->runs > 1 && !is_cut)
		ret = add_run(s, wall_s);
	return ret ? ret : is_cut;
}

static int run_once(struct count_run *s, int *ret_status, struct err *err)
{
	static const struct run_hooks hooks = { begin_run, end_run };
	const struct stat_options *o = s->o;
	const struct count_cfg cfg = { s->events.all, s->events.n, s->states, o->no_inherit, o->per_thread };
	struct session_cfg run = { .target = &o->target, .ret_command_pid = &s->command_pid, .interval_ns = o->interval_ms * 1000000,
				   .delay_ns = o->delay_ns, .duration_ns = o->duration_ns };
	int ret = o->pre ? shell_run(o->pre, "--pre", &s->mask, err) : 0;

	if (ret)
		return ret;
	if (o->sync)
		sync();
	add_sources(s, &cfg, &run);
	ret = run_sink(&s->sink, &run, &hooks, s, &s->profile, ret_status, err);
	s->post_failed = ret >= 0 && o->post && shell_run(o->post, "--post", &s->mask, err);
	return s->post_failed ? 1 : ret;
}

/* Is there a row of the table, or were all of them names of a glob that did not happen? */
static bool counts_any(const struct count_run *s)
{
	for (int e = 0; e < s->events.n; e++) {
		if (!s->events.all[e].from_glob)
			return true;
		for (size_t k = 0; k < s->counts.keys.n; k++) {
			const struct count_cell *cell = counts_cell(&s->counts, k, e);

			if (cell->now.value || cell->before.value || cell->runs.value)
				return true;
		}
	}
	return false;
}

/* An event that reads nothing although it happens is not passed off as 0; a run without any event that can be counted ends as perf's. */
static int explain(struct count_run *s, int status, struct err *err)
{
	int hidden = 0, open = 0;

	for (int e = 0; e < s->events.n; e++) {
		hidden += s->states[e] == COUNTER_HIDDEN;
		open += s->states[e] == COUNTER_OPEN;
	}
	if (!stat_is_by(s->o) && s->events.n && !counts_any(s))
		profile_note(&s->profile, "none of these %d events happened", s->events.n);
	if (s->o->metric_only && !render_stat_has_metrics(&s->counts, &s->view))
		profile_note(&s->profile, "--metric-only has no figures of these events: -M NAME counts what one needs");
	if (hidden)
		profile_note(&s->profile, "events in the kernel were not counted: they need CAP_PERFMON or "
					  "sysctl kernel.perf_event_paranoid=1");
	if (!open && !hidden && !s->o->null)
		profile_note(&s->profile, "nothing could be counted: this machine has none of these events; a virtual machine often has no "
					  "hardware counters (-e task-clock,page-faults works everywhere)");
	cost_of_self(&s->profile.receipt);
	honesty_print(&s->o->h, &s->profile);
	if (hidden && !open && !status)
		return err_exit(err, -EPERM, EXIT_CANNOT, "nothing could be counted without more privileges");
	return honesty_exit(&s->o->h, &s->profile, status, err);
}

static int run_all(struct count_run *s, int *ret_status, struct err *err)
{
	const struct stat_options *o = s->o;
	int ret = o->log_fd ? stat_out_open_fd(&s->out, o->log_fd, err) : stat_out_open(&s->out, o->out, o->append, o->interval_ms, err);

	if (!ret && o->append && !o->json)
		stat_out_started(&s->out);
	for (uint64_t i = 0; i < (o->runs ? o->runs : 1) && !ret && (!i || !interrupts_count()); i++)
		ret = run_once(s, ret_status, err);
	if (ret >= 0 && o->runs > 1)
		ret = s->counts.wall.n ? print_table(s, s->counts.wall.mean, NULL) : err_set(err, -EINTR, "no run finished");
	return stat_out_close(&s->out, ret > 0 ? 0 : ret, err);
}

static int run_stack(struct count_run *s, int *ret_status, struct err *err)
{
	const struct stat_options *o = s->o;
	const struct stat_stack stack = { .keys = o->by, .out = o->out, .top = o->top, .duration_ns = o->duration_ns, .json = o->json,
					  .csv = o->separator, .walks = o->walks };
	int ret = stat_stack_run(&stack, &o->target, s->events.all, s->events.n, &s->profile, ret_status, err);

	if (ret)
		return ret;
	honesty_print(&o->h, &s->profile);
	return honesty_exit(&o->h, &s->profile, *ret_status, err);
}

static int run_by(struct count_run *s, int *ret_status, struct err *err)
{
	const struct stat_options *o = s->o;
	const struct stat_by by = {
		.keys = o->by,
		.separator = o->separator,
		.out = o->out,
		.top = o->top,
		.fields = o->fields,
		.rows_max = o->rows_max,
		.duration_ns = o->duration_ns,
		.interval_ns = o->interval_ms * 1000000,
		.latency = o->latency,
		.json = o->json,
		.append = o->append,
	};
	int ret = stat_by_run(&by, &o->target, s->events.all, s->events.n, &s->profile, ret_status, err);

	return ret ? ret : explain(s, *ret_status, err);
}

static int run_to_file(struct count_run *s, int *ret_status, struct err *err)
{
	int ret;

	if (s->o->append)
		return err_exit(err, -EINVAL, EXIT_USAGE, "--append cannot be combined with skep stat record: a file has one run");
	if (s->o->runs > 1)
		return err_exit(err, -EINVAL, EXIT_USAGE, "-r cannot be combined with skep stat record: a file has one run");
	s->file = calloc(1, sizeof(*s->file));
	if (!s->file)
		return -ENOMEM;
	ret = stat_file_open(s->file, s->o->record, s->o, s->events.all, s->events.n, err);
	if (!ret)
		ret = run_all(s, ret_status, err);
	ret = stat_file_close(s->file, ret, err);
	free(s->file);
	s->file = NULL;
	return ret;
}

static int stat_run(void *cfg, char **operands, struct err *err)
{
	struct stat_options *o = cfg;
	struct count_run *s = calloc(1, sizeof(*s));
	int status = 0, ret;

	if (!s)
		return -ENOMEM;
	if (o->separator && !strcmp(o->separator, "\\t"))
		o->separator = "\t";
	o->target.argv = operands[0] ? operands : NULL;
	o->target.no_children = o->no_inherit;
	s->o = o;
	sigprocmask(SIG_SETMASK, NULL, &s->mask);
	s->sink = (struct sink){ .reading = take_reading, .interval = print_interval };
	ret = target_check(&o->target, err);
	if (ret == -ENODEV) /* perf's words, which its scripts look for */
		err_hint(err, "No supported events found. /sys/devices/system/cpu/online has the CPUs that are");
	if (!ret)
		ret = stat_events_pick(&s->events, o, err);
	if (!ret)
		ret = stat_events_check(&s->events, o, err);
	if (!ret && !stat_is_by(o))
		ret = stat_events_expand(&s->events, o, err);
	if (!ret && (o->all_user || o->all_kernel))
		ret = stat_events_set_mode(&s->events, o, err);
	if (o->timeout_ms)
		o->duration_ns = o->timeout_ms * 1000000;
	if (!ret && stat_is_by(o)) {
		ret = o->stack ? run_stack(s, &status, err) : run_by(s, &status, err);
		goto out;
	}
	if (!ret)
		ret = stat_rows_init(o, s->events.all, s->events.n, &s->counts, err);
	if (!ret) {
		set_title(s);
		s->view = (struct stat_cfg){ .separator = o->separator, .json = o->json, .as_read = o->no_scale, .runs = o->runs,
					     .intervals = o->interval_ms, .missing = s->missing, .title = s->title, .plain = o->no_big_num,
					     .hide_idle = o->per_thread && o->target.all, .metrics = o->metrics,
					     .nr_metrics = o->nr_metrics, .metric_only = o->metric_only, .columns = stat_columns(o), .narrow = o->interval_ms ? &s->narrow : NULL };
		ret = (o->record ? run_to_file : run_all)(s, &status, err);
	}
	if (!ret)
		ret = explain(s, status, err);
	if (ret >= 0 && s->post_failed) /* after all that was counted is written */
		ret = -ECHILD;
out:
	counts_free(&s->counts);
	vec_free(&s->run_s);
	stat_events_free(&s->events);
	for (size_t i = 0; i < STAT_TEXTS_MAX; i++)
		free(o->probes[i]);
	target_free(&o->target);
	free(s);
	return ret;
}

static int stat_record_run(void *cfg, char **operands, struct err *err)
{
	struct stat_options *o = cfg;

	o->record = o->record ? o->record : "perf.data";
	return stat_run(cfg, operands, err);
}

static const struct cmd cmd_stat_record = {
	.name = "stat record",
	.summary = "the same, also into a perf.data file",
	.operands = "[COMMAND [ARG...]]",
	.groups = stat_record_groups,
	.cfg_size = sizeof(struct stat_options),
	.examples = "skep stat record -o counts.data -- make\n"
		    "skep stat record -a -I 1000 -o counts.data -- sleep 10\n"
		    "skep stat record -o - -- make | skep stat report -i -\n",
	.run = stat_record_run,
	.others = stat_others,
};

static const struct cmd *const stat_subs[] = { &cmd_stat_record, &cmd_stat_report, NULL };

const struct cmd cmd_stat = {
	.name = "stat",
	.summary = "count events of a command, a process or the machine",
	.operands = "[COMMAND [ARG...]]",
	.groups = stat_groups,
	.cfg_size = sizeof(struct stat_options),
	.examples = "skep stat -- make                              a command and its children\n"
		    "skep stat -r 5 -e task-clock,page-faults -- make\n"
		    "skep stat -e 'syscalls:*' -- make            system calls by name\n"
		    "skep stat -a -e raw_syscalls:sys_enter -I 1000 -- sleep 10\n"
		    "skep stat --latency --by comm,syscall --top 10 -a -- sleep 10\n"
		    "skep stat --stack -e sched:sched_process_fork -- make\n"
		    "skep stat -a -I 1000 --by comm,event -e 'sched:*' -- sleep 10\n"
		    "skep stat -a --by comm,'args->dev' -e block:block_rq_issue -- sleep 10\n"
		    "skep stat -p 1234 -- sleep 10                  a process for 10 seconds\n"
		    "skep stat -a -A -I 1000 -- sleep 10            each CPU, every second\n"
		    "skep stat --metric-only -M insn_per_cycle,branch_miss_rate -- make\n"
		    "skep stat record -a -o counts.data -- sleep 10\n"
		    "skep stat report -i counts.data --per-core\n",
	.run = stat_run,
	.subs = stat_subs,
	.others = stat_others,
};
