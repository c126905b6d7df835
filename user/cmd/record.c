/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep record: every sample with its time into a perf.data file. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/features.h"
#include "capture/ksym.h"
#include "cmd/cmd.h"
#include "cmd/machine.h"
#include "cmd/measure.h"
#include "cmd/namespaces.h"
#include "cmd/nothing.h"
#include "cmd/offcpu.h"
#include "cmd/record.h"
#include "cmd/record_switches.h"
#include "cmd/record_trace.h"
#include "data/data.h"
#include "sym/buildid.h"
#include "sym/sym.h"
#include "util/clock.h"
#include "util/log.h"

/* Passes on to the files, which are opened once the session has settled on its events. */
struct record_sink {
	struct sink sink; /* first */
	struct record *record;
	struct session *session; /* while it runs */
	struct record_files files;
	struct build_ids *ids;
	struct syms *syms; /* who has mapped what, where stacks are walked by tables; else NULL */
	struct machine machine;
	struct record_traces traces;
	struct record_switches switches;
	bool has_command; /* its namespaces are in the file */
	uint64_t no_room; /* samples without their stack */
};

static int pass_sample(struct sink *sink, const struct sample *s)
{
	struct record_sink *r = (struct record_sink *)sink;

	struct sample fixed;
	const struct record *rec = r->record;
	int end = rec->m.nr_events - !!rec->m.offcpu; /* whose event is after all */

	if (s->event >= end - rec->nr_triggers && s->event < end)
		files_ask(&r->files, s->time_ns, rec->m.events[s->event].name);
	r->no_room += s->chains[CHAIN_USER].stop == STOP_NO_ROOM;
	return record_traces_fix(&r->traces, s, &fixed) ? -ENOMEM : files_sample(&r->files, &fixed);
}

static struct task_event with_build_id(struct build_ids *ids, const struct task_event *t)
{
	struct task_event copy = *t;

	if (t->what == TASK_MMAP && !t->kernel && !t->build_id_size)
		copy.build_id_size = build_id_of(ids, t, copy.build_id);
	return copy;
}

/* Of tasks that are there already, and of COMMAND, which begins with ours: the kernel reports only those that are made. */
static int add_namespaces(struct record_sink *r, const struct task_event *t, struct sink *to)
{
	bool is_command = t->what == TASK_EXEC && target_is_command(&r->record->m.target) && !r->has_command;

	if (!r->record->m.has_namespaces || !(is_command || (t->what == TASK_COMM && !t->time_ns)))
		return 0;
	r->has_command |= is_command;
	return namespaces_report(is_command ? 0 : (pid_t)t->pid, t, to);
}

static int pass_task(struct sink *sink, const struct task_event *t)
{
	struct record_sink *r = (struct record_sink *)sink;
	struct task_event copy;
	int ret = r->syms ? syms_task(r->syms, t) : 0;

	if (!ret && r->record->m.has_switches && target_is_command(&r->record->m.target))
		ret = record_switches_task(&r->switches, t);
	if (ret)
		return ret < 0 ? ret : 0;
	copy = with_build_id(r->ids, t);
	ret = files_task(&r->files, &copy);
	return ret ? ret : add_namespaces(r, t, sink);
}

static int pass_round(struct sink *sink)
{
	struct record_sink *r = (struct record_sink *)sink;
	uint64_t now = now_ns();

	if (r->syms)
		syms_pin(r->syms);
	for (int i = 0; i < r->record->nr_units; i++)
		if (unit_trigger_round(&r->record->units[i], now))
			files_ask(&r->files, now, r->record->units[i].text);
	return files_round(&r->files);
}

/* Where the kernel's text is, from itself if it says so: reading it out of kallsyms takes 40 ms. */
static int scan_kernel(struct sink *sink)
{
	struct ksym_asker *asker = NULL;
	uint64_t text = 0, etext = 0;

	if (feature_tried(FEATURE_KSYM, ksym_open(&asker))) {
		text = ksym_addr(asker, "_text");
		etext = ksym_addr(asker, "_etext");
	}
	ksym_close(asker);
	return kernel_scan(NULL, text, etext, sink);
}

static uint64_t lost_so_far(void *arg)
{
	const struct record_sink *r = arg;
	struct profile p = { 0 };

	if (r->session)
		session_profile(r->session, &p);
	return profile_lost(&p);
}

/* What was there before one of the later files. */
struct described {
	struct sink sink; /* first */
	struct build_ids *ids;
	struct record_sink *record;
	struct sink *to;
};

static int pass_described(struct sink *sink, const struct task_event *t)
{
	struct described *d = (struct described *)sink;
	struct task_event copy = with_build_id(d->ids, t);
	int ret = d->to->task(d->to, &copy);

	return ret ? ret : add_namespaces(d->record, t, d->to);
}

static int describe(void *arg, struct sink *to)
{
	struct described d = { { .task = pass_described }, ((struct record_sink *)arg)->ids, arg, to };
	int ret = scan_kernel(&d.sink);

	return ret ? ret : measure_scan_again(&d.sink);
}

static int open_writer(struct sink *sink, struct err *err)
{
	struct record_sink *r = (struct record_sink *)sink;
	struct record *rec = r->record;
	int ret;

	r->files.meta = (struct data_meta){
		.events = rec->m.events,
		.nr_events = rec->m.nr_events,
		.cgroup_path = rec->m.has_cgroup ? target_cgroup_path : NULL,
		.has_switches = rec->m.has_switches,
		.has_namespaces = rec->m.has_namespaces,
		.all_cpus = rec->m.target.all,
		.callchain = rec->m.walks.call_graph != CALL_GRAPH_NONE,
		.max_frames = (uint32_t)rec->m.walks.max_frames,
		.compression_level = rec->compression_level,
	};
	ret = machine_describe(&r->machine, &r->files.meta);
	if (ret)
		return err_set(err, ret, "out of memory");
	ret = record_traces_load(&r->traces, rec->m.probes, rec->m.nr_probes, rec->m.nr_events);
	if (ret)
		return err_set(err, ret, "out of memory");
	r->files.meta.tracing = record_traces_any(&r->traces) ? &r->traces.tracing : NULL;
	r->files.meta.kernel_build_id_size = build_id_kernel(r->files.meta.kernel_build_id);
	ret = build_ids_new(&r->ids);
	if (ret)
		return ret;
	ret = files_open(&r->files, err);
	if (ret)
		return ret;
	r->sink = (struct sink){ .sample = pass_sample, .task = pass_task, .round = pass_round };
	return scan_kernel(&r->sink);
}

/* A run that failed keeps its own error, and the former file. Losses become records: no file claims more than it has. */
static int close_files(struct record_sink *r, struct profile *p, int ret, struct err *err)
{
	if (ret && r->files.err.text[0])
		*err = r->files.err;
	if (ret || !p->duration_ns) {
		files_abort(&r->files);
		return ret;
	}
	ret = files_close(&r->files, profile_lost(p), err);
	p->receipt.bytes_out = r->files.bytes_out;
	return ret;
}

/* skep's main thread, which empties the rings; not COMMAND, which it starts. */
static int set_realtime(int priority, struct err *err)
{
	const struct sched_param p = { .sched_priority = priority };

	if (!priority || !sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &p))
		return 0;
	return err_exit(err, -errno, EXIT_CANNOT, "cannot run with priority %d of SCHED_FIFO: %s", priority, strerror(errno));
}

static int open_control(struct record *rec, struct err *err)
{
	int ret = rec->control_text ? control_open(rec->control_text, &rec->control, err) : 0;

	if (!ret && rec->control_text)
		rec->m.control = &rec->control;
	return ret;
}

static void end_control(struct control *c)
{
	if (c->nr_unknown)
		log_note("note: %llu commands of --control are unknown, and were not answered: skep takes enable, disable, stop and ping",
			 (unsigned long long)c->nr_unknown);
	control_close(c);
}

static int check_start(const struct record *rec, struct err *err)
{
	if (rec->m.turns.n && rec->off_cpu)
		return err_exit(err, -EINVAL, EXIT_USAGE, "-D with ranges cannot be combined with --off-cpu, which does not pause");
	if (!rec->m.starts_off || rec->control_text)
		return 0;
	err_exit(err, -EINVAL, EXIT_USAGE, "-D -1 starts with a command of --control, which is not given");
	err_hint(err, "--control fifo:PATH");
	return -EINVAL;
}

/* What it waited for before the first sample, if that did not come. */
static int never_started(const struct record *rec, struct err *err)
{
	if (rec->m.starts_off)
		return err_set(err, -ENODATA, "no samples: no 'enable' came by --control");
	return err_set(err, -ENODATA, "no samples: the target ended within the %llu ms of --delay", (unsigned long long)(rec->m.delay_ns / 1000000));
}

/* After all other events, so that they are the last ones. */
static int add_triggers(struct record *rec, struct err *err)
{
	int ret = 0;

	if (!rec->nr_triggers)
		return 0;
	rec->m.has_triggers = true;
	if (!rec->m.nr_event_texts)
		ret = measure_add_event(&rec->m, "cycles", err);
	for (int i = 0; i < rec->nr_triggers && !ret; i++) {
		struct event events[EVENTS_MAX];
		int n = event_parse_args(rec->triggers[i], events, EVENTS_MAX, err);

		if (n < 0)
			return n;
		events_free(events, n);
		if (n > 1)
			return err_exit(err, -EINVAL, EXIT_USAGE, "'%s' is more than one event: --trigger for each", rec->triggers[i]);
		ret = measure_add_event(&rec->m, rec->triggers[i], err);
	}
	return ret;
}

int record_run(void *cfg, char **operands, struct err *err)
{
	struct record *rec = cfg;
	struct record_sink r = { .record = rec, .files = { .cfg = &rec->files, .describe = describe, .lost = lost_so_far, .arg = &r } };
	struct sample_cfg session = { .aggregate = false, .bpf_stats = rec->h.receipt,
				       .max_frames = rec->m.walks.call_graph == CALL_GRAPH_NONE };
	struct syms_cfg syms_cfg = { .exited_max = SYMS_STREAM_EXITED };
	struct profile p = { 0 };
	int status = 0, ret;

	rec->out = rec->out ? rec->out : "perf.data";
	if (!strcmp(rec->out, "-") && machine_check_stdout("skep record -o - ... | skep script -i -", err))
		return -EINVAL;
	if (!strcmp(rec->out, "-") && (rec->files.is_split || rec->files.is_dated))
		return err_exit(err, -EINVAL, EXIT_USAGE, "--switch-output and --timestamp-filename need a file: -o - is a stream");
	rec->m.records = true;
	rec->m.ret_session = &r.session;
	rec->m.output = rec->out;
	if (rec->off_cpu)
		offcpu_record(&rec->m, &rec->off_cfg);
	rec->files.pause_ns = rec->files.pause_ns ? rec->files.pause_ns : rec->files.last_ns;
	if (!strcmp(rec->out, "-") && rec->files.last_ns)
		return err_exit(err, -EINVAL, EXIT_USAGE, "--last needs a file: -o - is a stream");
	ret = check_start(rec, err);
	if (!ret)
		ret = add_triggers(rec, err);
	if (!ret)
		ret = measure_check(&rec->m, operands, err);
	if (!ret && rec->dry_run) {
		measure_free(&rec->m);
		return 0;
	}
	for (int i = 0; i < rec->nr_units && !ret; i++)
		unit_trigger_note(&rec->units[i]);
	if (!ret && walk_by_tables(&rec->m.walks) && !rec->m.no_user) {
		ret = syms_new(&syms_cfg, &r.syms, err);
		if (!ret && !(rec->m.guide = syms_guide(r.syms)))
			ret = err_set(err, -ENOMEM, "out of memory");
	}
	if (!ret)
		ret = open_control(rec, err);
	if (!ret)
		ret = set_realtime(rec->priority, err);
	r.files.path = rec->out;
	if (!ret && !strcmp(rec->out, "-"))
		r.files.stream_fd = machine_take_stdout();
	files_listen();
	if (!ret)
		ret = measure_run(&rec->m, &session, &r.sink, open_writer, &p, &status, err);
	ret = close_files(&r, &p, ret, err);
	p.losses[LOSS_STACKS_FULL] += r.no_room; /* no fold counts it, nor is the sample lost */
	record_traces_profile(&r.traces, &p);
	files_free(&r.files);
	if (rec->m.control)
		end_control(rec->m.control);
	record_traces_free(&r.traces);
	record_switches_free(&r.switches);
	measure_free(&rec->m);
	machine_free(&r.machine);
	build_ids_free(r.ids);
	syms_free(r.syms);
	if (ret)
		return ret;
	honesty_print(&rec->h, &p);
	if (!p.duration_ns && (rec->m.delay_ns || rec->m.starts_off))
		return never_started(rec, err);
	if (!p.kept && p.seen)
		return nothing_sampled(&p, NULL, status, err);
	if (!p.kept)
		nothing_recorded(&p);
	return honesty_exit(&rec->h, &p, status, err);
}

const struct cmd cmd_record = {
	.name = "record",
	.summary = "sample into a perf.data file for report, perf and other viewers",
	.operands = "[COMMAND [ARG...]]",
	.groups = record_groups,
	.cfg_size = sizeof(struct record),
	.examples = "skep record -- make                 a command, into perf.data\n"
		    "skep record -a -F 99 -- sleep 10    whole machine for 10 seconds\n"
		    "skep record -p 1234 --duration 2 -o web.data\n"
		    "skep record -z -a --duration 10     a small file\n"
		    "skep record -o - -a --duration 1 | skep script -i -    no file at all\n"
		    "skep record -a --switch-output=1m --switch-max-files 2 --duration 3600    the last minute or two\n"
		    "skep record --off-cpu -p 1234 --duration 2    what runs and what waits\n",
	.others = record_others,
	.run = record_run,
};
