/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep record: every sample with its time into a perf.data file. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "capture/features.h"
#include "capture/ksym.h"
#include "cmd/cmd.h"
#include "cmd/measure.h"
#include "cmd/nothing.h"
#include "cmd/offcpu.h"
#include "cmd/record.h"
#include "cmd/record_trace.h"
#include "data/data.h"
#include "sym/buildid.h"
#include "sym/sym.h"
#include "util/log.h"

/* Passes on to the writer, which is opened once the session has settled on its events. */
struct record_sink {
	struct sink sink; /* first */
	struct record *record;
	struct sink *to;
	struct data_writer *writer;
	struct build_ids *ids;
	struct syms *syms; /* who has mapped what, where stacks are walked by tables; else NULL */
	int argc;
	char *argv[64];
	struct utsname uts;
	struct data_meta meta;
	struct record_traces traces;
	int stream_fd; /* of -o -, the writer's once that is open; or -errno */
	uint64_t no_room; /* samples without their stack */
	uint64_t record_bytes; /* before compression */
};

static int pass_sample(struct sink *sink, const struct sample *s)
{
	struct record_sink *r = (struct record_sink *)sink;

	struct sample fixed;

	r->no_room += s->chains[CHAIN_USER].stop == STOP_NO_ROOM;
	return record_traces_fix(&r->traces, s, &fixed) ? -ENOMEM : r->to->sample(r->to, &fixed);
}

static int pass_task(struct sink *sink, const struct task_event *t)
{
	struct record_sink *r = (struct record_sink *)sink;
	struct task_event copy = *t;
	int ret = r->syms ? syms_task(r->syms, t) : 0;

	if (ret)
		return ret;
	if (t->what == TASK_MMAP && !t->kernel && !t->build_id_size)
		copy.build_id_size = build_id_of(r->ids, t, copy.build_id);
	return r->to->task(r->to, &copy);
}

static int pass_round(struct sink *sink)
{
	struct record_sink *r = (struct record_sink *)sink;

	if (r->syms)
		syms_pin(r->syms);
	return r->to->round ? r->to->round(r->to) : 0;
}

/* Our own command line, for the file's CMDLINE feature. */
static void read_argv(struct record_sink *r)
{
	static char raw[8192];
	FILE *f = fopen("/proc/self/cmdline", "re");
	size_t n = f ? fread(raw, 1, sizeof(raw) - 1, f) : 0;

	if (f)
		fclose(f);
	for (size_t at = 0; at < n && r->argc < 64; at += strlen(raw + at) + 1)
		r->argv[r->argc++] = raw + at;
}

static void read_cpu_desc(char *buf, size_t size)
{
	char line[256];
	FILE *f = fopen("/proc/cpuinfo", "re");

	buf[0] = '\0';
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "model name", 10) && strchr(line, ':')) {
			snprintf(buf, size, "%s", strchr(line, ':') + 2);
			buf[strcspn(buf, "\n")] = '\0';
			break;
		}
	if (f)
		fclose(f);
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

/* Standard output is the recording's: COMMAND writes to standard error instead, as under perf. */
static int open_stream(struct record_sink *r, struct err *err)
{
	if (r->stream_fd < 0)
		return err_set(err, r->stream_fd, "cannot write to standard output: %s", strerror(-r->stream_fd));
	return data_writer_stream(r->stream_fd, &r->meta, &r->writer, err);
}

static int open_writer(struct sink *sink, struct err *err)
{
	static char cpu[256];
	struct record_sink *r = (struct record_sink *)sink;
	struct record *rec = r->record;
	int ret;

	uname(&r->uts);
	read_argv(r);
	read_cpu_desc(cpu, sizeof(cpu));
	r->meta = (struct data_meta){
		.hostname = r->uts.nodename,
		.os_release = r->uts.release,
		.arch = r->uts.machine,
		.version = "skep",
		.cpu_desc = cpu,
		.nr_cpus_avail = sysconf(_SC_NPROCESSORS_CONF),
		.nr_cpus_online = sysconf(_SC_NPROCESSORS_ONLN),
		.total_mem_kb = (uint64_t)sysconf(_SC_PHYS_PAGES) * (sysconf(_SC_PAGESIZE) / 1024),
		.argc = r->argc,
		.argv = (const char *const *)r->argv,
		.events = rec->m.events,
		.nr_events = rec->m.nr_events,
		.callchain = rec->m.walks.call_graph != CALL_GRAPH_NONE,
		.max_frames = (uint32_t)rec->m.walks.max_frames,
		.compression_level = rec->compression_level,
	};
	ret = record_traces_load(&r->traces, rec->m.probes, rec->m.nr_probes, rec->m.nr_events);
	if (ret)
		return err_set(err, ret, "out of memory");
	r->meta.tracing = record_traces_any(&r->traces) ? &r->traces.tracing : NULL;
	r->meta.kernel_build_id_size = build_id_kernel(r->meta.kernel_build_id);
	ret = build_ids_new(&r->ids);
	if (ret)
		return ret;
	ret = strcmp(rec->out, "-") ? data_writer_open(rec->out, &r->meta, &r->writer, err) : open_stream(r, err);
	if (ret)
		return ret;
	r->to = data_writer_sink(r->writer);
	r->sink = (struct sink){ .sample = pass_sample, .task = pass_task, .round = pass_round };
	return scan_kernel(&r->sink);
}

/*
 * A run that failed keeps its own error, and one without a sample the former file. Losses become records: no file
 * claims more than it has.
 */
static int close_writer(struct record_sink *r, struct profile *p, int ret, struct err *err)
{
	uint64_t lost = 0;
	int64_t bytes;

	if (ret || !p->kept) {
		data_writer_abort(r->writer);
		return ret;
	}
	for (int i = 0; i < LOSS_MAX; i++)
		lost += loss_is_whole(i) ? p->losses[i] : 0;
	r->to->lost(r->to, lost); /* the close reports a failed write */
	r->record_bytes = data_writer_record_bytes(r->writer);
	bytes = data_writer_close(r->writer, err);
	p->receipt.bytes_out = bytes > 0 ? bytes : 0;
	return bytes < 0 ? (int)bytes : 0;
}

static void print_wrote(const struct record_sink *r, const struct profile *p)
{
	const struct record *rec = r->record;
	char events[EVENT_NAME_MAX], from[64] = "";

	if (rec->m.nr_events > 1)
		snprintf(events, sizeof(events), "%d events", rec->m.nr_events);
	else
		snprintf(events, sizeof(events), "%s", p->event);
	if (rec->compression_level)
		snprintf(from, sizeof(from), ", compressed from %.3f MB", r->record_bytes / 1048576.0);
	log_note("wrote %s: %.3f MB, %llu samples of %s%s", rec->out, p->receipt.bytes_out / 1048576.0,
		 (unsigned long long)p->kept, events, from);
}

static int record_run(void *cfg, char **operands, struct err *err)
{
	struct record *rec = cfg;
	struct record_sink r = { .record = rec };
	struct sample_cfg session = { .aggregate = false, .bpf_stats = rec->h.receipt,
				       .max_frames = rec->m.walks.call_graph == CALL_GRAPH_NONE };
	struct syms_cfg syms_cfg = { .exited_max = SYMS_STREAM_EXITED };
	struct profile p = { 0 };
	int status = 0, ret;

	rec->out = rec->out ? rec->out : "perf.data";
	if (!strcmp(rec->out, "-") && isatty(STDOUT_FILENO)) {
		err_exit(err, -EINVAL, EXIT_USAGE, "-o - is for a pipe, and standard output is a terminal");
		err_hint(err, "skep record -o - ... | skep script -i -");
		return -EINVAL;
	}
	rec->m.records = true;
	if (rec->off_cpu)
		offcpu_record(&rec->m, &rec->off_cfg);
	ret = measure_check(&rec->m, operands, err);
	if (!ret && rec->dry_run) {
		measure_free(&rec->m);
		return 0;
	}
	if (!ret && walk_by_tables(&rec->m.walks) && !rec->m.no_user) {
		ret = syms_new(&syms_cfg, &r.syms, err);
		if (!ret && !(rec->m.guide = syms_guide(r.syms)))
			ret = err_set(err, -ENOMEM, "out of memory");
	}
	/* Before COMMAND is started, which inherits what is standard output then. */
	if (!ret && !strcmp(rec->out, "-")) {
		r.stream_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		if (r.stream_fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
			r.stream_fd = -errno;
	}
	if (!ret)
		ret = measure_run(&rec->m, &session, &r.sink, open_writer, &p, &status, err);
	if (r.writer)
		ret = close_writer(&r, &p, ret, err);
	p.losses[LOSS_STACKS_FULL] += r.no_room; /* no fold counts it, nor is the sample lost */
	if (r.traces.nr_cut)
		profile_note(&p, "%llu samples have a field of variable length that was cut: %d bytes are kept for each",
			     (unsigned long long)r.traces.nr_cut, PROBE_TEXT_DEFAULT);
	record_traces_free(&r.traces);
	measure_free(&rec->m);
	build_ids_free(r.ids);
	syms_free(r.syms);
	if (ret)
		return ret;
	if (p.kept)
		print_wrote(&r, &p);
	honesty_print(&rec->h, &p);
	return p.kept ? honesty_exit(&rec->h, &p, status, err) : nothing_sampled(&p, NULL, status, err);
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
		    "skep record --off-cpu -p 1234 --duration 2    what runs and what waits\n",
	.others = record_others,
	.run = record_run,
};
