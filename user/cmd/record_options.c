/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options of skep record: its own, and each of perf record's, taken or refused. */
#include "cmd/record.h"

#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cmd/delay.h"
#include "util/num.h"

#define COMPRESSION_LEVEL 1 /* the default of perf record -z, and zstd's fastest but for the negative ones */
#define COMPRESSION_LEVEL_MAX 22

int record_set_compression(void *base, const char *text, struct err *err)
{
	struct record *rec = base;
	uint64_t level = COMPRESSION_LEVEL;
	int ret = text ? num_u64(text, COMPRESSION_LEVEL_MAX, &level) : 0;

	if (ret < 0)
		return err_exit(err, ret, EXIT_USAGE, "bad value '%s' of '--compression-level': expected 0 to %d", text, COMPRESSION_LEVEL_MAX);
	rec->compression_level = (int)level;
	return 0;
}

static int set_pages(void *base, const char *text, struct err *err)
{
	uint64_t *kib = &((struct record *)base)->m.ring_kb;
	int ret = num_kib(text, kib);

	if (!ret && isdigit((unsigned char)text[strlen(text) - 1]))
		*kib *= (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
	return ret ? err_exit(err, ret, EXIT_USAGE, "bad value '%s' of '--mmap-pages': expected a number of pages, or a size such as 1M", text) : 0;
}

static int set_delay(void *base, const char *text, struct err *err)
{
	struct measure *m = &((struct record *)base)->m;

	return delay_parse_ranges(text, &m->delay_ns, &m->starts_off, &m->turns, err);
}

/* perf's names of the clock that all times are of. */
static int set_clock(void *base, const char *text, struct err *err)
{
	static const char *const names[] = { "mono", "monotonic", "CLOCK_MONOTONIC", "1" };

	(void)base;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcasecmp(text, names[i]))
			return 0;
	err_exit(err, -EINVAL, EXIT_USAGE, "clock '%s' is not available: times are CLOCK_MONOTONIC", text);
	err_hint(err, "leave it out; skep script -F tod has the time of the day");
	return -EINVAL;
}

static int set_priority(void *base, const char *text, struct err *err)
{
	struct record *rec = base;
	int least = sched_get_priority_min(SCHED_FIFO), most = sched_get_priority_max(SCHED_FIFO);
	uint64_t n;

	if (num_u64(text, (uint64_t)most, &n) || n < (uint64_t)least)
		return err_exit(err, -ERANGE, EXIT_USAGE, "bad value '%s' of '--realtime': expected %d to %d", text, least, most);
	rec->priority = (int)n;
	return 0;
}

static int set_no_chains(void *base, const char *text, struct err *err)
{
	struct record *rec = base;

	(void)text;
	(void)err;
	rec->m.walks.call_graph = CALL_GRAPH_NONE;
	return 0;
}

static int add_trigger(void *base, const char *text, struct err *err)
{
	struct record *rec = base;

	if (rec->nr_triggers + rec->nr_units == TRIGGERS_MAX)
		return err_exit(err, -E2BIG, EXIT_USAGE, "more than %d --trigger", TRIGGERS_MAX);
	if (unit_trigger_is(text))
		return unit_trigger_parse(text, &rec->units[rec->nr_units++], err);
	rec->triggers[rec->nr_triggers++] = text;
	return 0;
}

static const struct opt record_opts[] = {
	{ 'o', "output", "FILE", OPT_TEXT, offsetof(struct record, out), "file to write (default: perf.data)" },
	{ 'z', "compression-level", "[=LEVEL]", OPT_CALL, 0,
	  "compress the file: 1 (fastest, the default) to 22, 0 for none; -z takes LEVEL without a space", record_set_compression },
	{ 'g', NULL, NULL, OPT_FLAG, offsetof(struct record, callgraph), "accepted for perf's users: call chains are the default" },
	{ 0, "no-call-graph", NULL, OPT_CALL, 0, "as --call-graph none", set_no_chains },
	{ 0, "mmap-pages", "N", OPT_CALL, 0, "as -m, a plain number in pages as perf has it", set_pages },
	{ 0, "trigger", "EVENT", OPT_CALL, 0, "with --last: an event, such as 'k:oom_kill_process', that is recorded, too, and has the file written; or 'cpu(UNIT) > N%', of one CPU, or 'delay(UNIT) > N%' of the time, in a second",
	  add_trigger, .many = true },
	{ 'D', "delay", "MS", OPT_CALL, 0, DELAY_HELP "; FROM-TO,...: only in these ranges; -1: by a command of --control", set_delay },
	{ 0, "all-cgroups", NULL, OPT_FLAG, offsetof(struct record, m.has_cgroup), "record the cgroup of each sample" },
	{ 0, "control", "HOW", OPT_TEXT, offsetof(struct record, control_text),
	  "take commands (enable, disable, stop, ping) from fd:N[,N] or fifo:PATH[,PATH], and answer them there" },
	{ 'd', "data", NULL, OPT_FLAG, offsetof(struct record, m.has_addr), "record the address that each event is about, such as that of a page fault" },
	{ 0, "switch-events", NULL, OPT_FLAG, offsetof(struct record, m.has_switches), "also record the context switches of each thread" },
	{ 0, "latency", NULL, OPT_FLAG, offsetof(struct record, m.has_switches),
	  "record what skep report --latency reads: as --switch-events, of COMMAND and all its threads" },
	{ 0, "namespaces", NULL, OPT_FLAG, offsetof(struct record, m.has_namespaces), "also record which namespaces each task is in" },
	{ 'i', "no-inherit", NULL, OPT_FLAG, offsetof(struct record, m.target.no_children), "do not record children that start from now on" },
	{ 0, "kernel-callchains", NULL, OPT_FLAG, offsetof(struct record, m.no_user), "as --no-user" },
	{ 0, "user-callchains", NULL, OPT_FLAG, offsetof(struct record, m.no_kernel), "as --no-kernel" },
	{ 'k', "clockid", "CLOCK", OPT_CALL, 0, "the clock of times: mono, which it is in any case", set_clock },
	{ 'r', "realtime", "PRIORITY", OPT_CALL, 0, "run skep, not COMMAND, with this priority of SCHED_FIFO", set_priority },
	{ 0, "dry-run", NULL, OPT_FLAG, offsetof(struct record, dry_run), "check the command line, and record nothing" },
	{ 0, "off-cpu", NULL, OPT_FLAG, offsetof(struct record, off_cpu),
	  "also record each span that a thread is off the CPUs, as event 'offcpu-time' with its ns as period" },
	{ 0 },
};

static const struct opt_rule record_rules[] = {
	{ "off-cpu", .not_with = "cpu", .why = OFFCPU_NO_CPU },
	{ "max-stacks", .needs = "off-cpu", .why = "record keeps every sample" },
	{ "kernel-callchains|no-user", .not_with = "user-callchains|no-kernel", .why = "they leave nothing" },
	{ "control|all-cgroups", .not_with = "off-cpu" },
	{ "latency", .not_with = "all-cpus|pid|tid|uid|cgroup|comm", .why = "who runs when it begins is known of COMMAND only", .hint = "--switch-events" },
	{ "latency", .not_with = "no-inherit|cpu|switch-output", .why = "all switches since COMMAND began are needed", .hint = "--switch-events" },
	{ "stat", .needs = "all-cpus", .why = "skep record keeps no counts of threads", .hint = "skep stat --per-thread" },
	{ "g", .not_with = "call-graph=none|call-graph=no|no-call-graph" },
	{ "no-call-graph", .not_with = "call-graph" },
	{ 0 },
};

#define IN_ANY_CASE "in any case"

static const struct opt nothing_opts[] = {
	{ 'B', "no-buildid", NULL, OPT_NOTHING, 0, "build ids come with the mappings, and cost nothing" },
	{ 'N', "no-buildid-cache", NULL, OPT_NOTHING, 0, "skep copies no files into ~/.debug" },
	{ 'P', "period", NULL, OPT_NOTHING, 0, "samples have their period " IN_ANY_CASE },
	{ 'R', "raw-samples", NULL, OPT_NOTHING, 0, "tracepoints have their records " IN_ANY_CASE },
	{ 's', "stat", NULL, OPT_NOTHING, 0, "with -a no thread has a counter of its own, as in perf" },
	{ 'T', "timestamp", NULL, OPT_NOTHING, 0, "samples have their time " IN_ANY_CASE },
	{ 'f', "force", NULL, OPT_NOTHING, 0, "an existing FILE is renamed to FILE.old" },
	{ 0, "sample-cpu", NULL, OPT_NOTHING, 0, "samples have their CPU " IN_ANY_CASE },
	{ 0, "sample-identifier", NULL, OPT_NOTHING, 0, "samples have their event's number " IN_ANY_CASE },
	{ 0, "buildid-all", NULL, OPT_NOTHING, 0, "all mapped files have their build id" },
	{ 0, "buildid-mmap", NULL, OPT_NOTHING, 0, "mappings have build ids " IN_ANY_CASE },
	{ 0, "timestamp-boundary", NULL, OPT_NOTHING, 0, "the file has its first and last time " IN_ANY_CASE },
	{ 0, "exclude-perf", NULL, OPT_NOTHING, 0, "samples of skep itself are left out, and counted" },
	{ 0, "bpf-event", NULL, OPT_NOTHING, 0, "BPF programs are recorded " IN_ANY_CASE },
	{ 0, "strict-freq", NULL, OPT_NOTHING, 0, "a rate that the kernel refuses is an error " IN_ANY_CASE },
	{ 0, "aio", "[=N]", OPT_NOTHING, 0, "samples wait in rings of the kernel while the file is written" },
	{ 0, "threads", "[=SPEC]", OPT_NOTHING, 0, "one thread keeps up with all CPUs: losses would be reported" },
	{ 0, "affinity", "HOW", OPT_NOTHING, 0, "there is one thread, which the kernel places" },
	{ 0, "mmap-flush", "SIZE", OPT_NOTHING, 0, "the file is written once a second" },
	{ 0, "num-thread-synthesize", "N", OPT_NOTHING, 0, "one thread reads /proc" },
	{ 0, "proc-map-timeout", "MS", OPT_NOTHING, 0, "a process whose mappings cannot be read is reported" },
	{ 0, "no-buffering", NULL, OPT_NOTHING, 0, "samples are read as they come" },
	{ 0, "tail-synthesize", NULL, OPT_NOTHING, 0, "processes are recorded at the start, with all that happens to them later" },
	{ 0, "per-thread", NULL, OPT_NOTHING, 0, "events count on all CPUs; what is not of the target is left out in the kernel" },
	{ 0, "clang-path", "PATH", OPT_NOTHING, 0, "skep needs no compiler" },
	{ 0, "clang-opt", "OPTIONS", OPT_NOTHING, 0, "skep needs no compiler" },
	{ 0 },
};

const struct opt_group record_groups[] = {
	{ "Output", record_opts, 0, record_rules },
	{ "Output", record_files_opts, offsetof(struct record, files), record_files_rules },
	{ "Target", target_opts, offsetof(struct record, m.target), target_rules },
	{ "Sampling", measure_opts, offsetof(struct record, m), measure_rules },
	{ "Stacks", walk_opts, offsetof(struct record, m.walks) },
	{ "Honesty", honesty_opts, offsetof(struct record, h) },
	{ "Of perf, without effect", nothing_opts, 0 },
	{ 0 },
};

#define WITH_PERF "perf record, whose file skep reads"
#define NO_BRANCHES "records branches, which skep does not"
#define NO_REGS "records registers, which skep does not: stacks are walked in the kernel"
#define NO_AUX "is for hardware traces, which skep does not record"

const struct opt_other record_others[] = {
	{ "-b", NO_BRANCHES, WITH_PERF },
	{ "--branch-any", NO_BRANCHES, WITH_PERF },
	{ "-j", NO_BRANCHES, WITH_PERF },
	{ "--branch-filter", NO_BRANCHES, WITH_PERF },
	{ "-I", NO_REGS, WITH_PERF },
	{ "--intr-regs", NO_REGS, WITH_PERF },
	{ "--user-regs", NO_REGS, WITH_PERF },
	{ "--phys-data", "records physical addresses, which skep does not", "-d records virtual ones" },
	{ "--data-page-size", "records page sizes, which skep does not", WITH_PERF },
	{ "--code-page-size", "records page sizes, which skep does not", WITH_PERF },
	{ "-W", "records weights, which skep does not", WITH_PERF },
	{ "--weight", "records weights, which skep does not", WITH_PERF },
	{ "--transaction", "records transactions, which skep does not", WITH_PERF },
	{ "-n", "records no samples", "leave it out" },
	{ "--no-samples", "records no samples", "leave it out" },
	{ "-S", NO_AUX, WITH_PERF },
	{ "--snapshot", NO_AUX, WITH_PERF },
	{ "--aux-sample", NO_AUX, WITH_PERF },
	{ "--kcore", NO_AUX, WITH_PERF },
	{ "--switch-output-event", "is not available", "--switch-output, and kill -USR2 when it happens" },
	{ "--overwrite", "keeps the newest samples only", "--switch-output=10M --switch-max-files 2" },
	{ "--no-bpf-event", "is not available: names of BPF programs need their records", "leave it out" },
	{ "--synth", "is not available: names need the processes that are there", "leave it out" },
	{ "--group", "is not available: events are sampled each by itself", "-e EVENT,EVENT" },
	{ "--running-time", "is of counters", "skep stat" },
	{ "--vmlinux", "is for BPF sources, which skep does not compile", "skep probe k:FUNCTION" },
	{ "--debuginfod", "is not available: names are looked up when the file is read", "leave it out" },
	{ "--setup-filter", "is for perf's pinned BPF filter", "--filter" },
	{ "--off-cpu-thresh", "is not available: all spans are recorded", "--off-cpu" },
	{ 0 },
};
