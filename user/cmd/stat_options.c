/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options of skep stat: its own, and each of perf stat's, taken or refused. */
#include "cmd/stat_options.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/delay.h"
#include "event/pmu.h"
#include "event/probe.h"
#include "ui/terminal.h"
#include "util/num.h"

static int add_text(void *base, const char *text, struct err *err)
{
	struct stat_options *o = base;

	if (o->nr_event_texts == STAT_TEXTS_MAX)
		return err_exit(err, -E2BIG, EXIT_USAGE, "-e more than %d times", STAT_TEXTS_MAX);
	o->event_texts[o->nr_event_texts++] = text;
	return 0;
}

static int set_filter(void *base, const char *text, struct err *err)
{
	struct stat_options *o = base;
	char *probe;
	int ret = probe_add_filter(o->nr_event_texts ? o->event_texts[o->nr_event_texts - 1] : NULL, text, &probe, err);

	if (ret)
		return ret;
	o->event_texts[o->nr_event_texts - 1] = o->probes[o->nr_event_texts - 1] = probe;
	return 0;
}

static int set_runs(void *base, const char *text, struct err *err)
{
	struct stat_options *o = base;
	int ret = num_u64(text, UINT32_MAX, &o->runs);

	if (ret)
		return err_exit(err, ret, EXIT_USAGE, "bad value '%s' of '--repeat': %s", text, ret == -ERANGE ? "out of range" : "expected a whole number");
	if (o->runs)
		return 0;
	err_exit(err, -ERANGE, EXIT_USAGE, "bad value '0' of '--repeat': runs without end have no mean");
	err_hint(err, "while skep stat ...; do :; done");
	return -ERANGE;
}

static int set_log_fd(void *base, const char *text, struct err *err)
{
	struct stat_options *o = base;
	int ret = num_u64(text, INT32_MAX, &o->log_fd);

	if (!ret && !o->log_fd)
		ret = -ERANGE;
	return ret ? err_exit(err, ret, EXIT_USAGE, "bad value '%s' of '--log-fd': expected the number of an open file", text) : 0;
}

static int set_delay(void *base, const char *text, struct err *err)
{
	return delay_parse(text, &((struct stat_options *)base)->delay_ns, err);
}

static int add_metric(struct stat_options *o, const char *name, size_t n, struct err *err)
{
	char all[512] = "";
	size_t at = 0;
	int i = 0;

	for (const struct metric *m; (m = metric_at(i)); i++) {
		if (strlen(m->name) == n && !memcmp(m->name, name, n)) {
			if (o->nr_metrics == STAT_TEXTS_MAX)
				return err_exit(err, -E2BIG, EXIT_USAGE, "-M has more than %d names", STAT_TEXTS_MAX);
			o->metrics[o->nr_metrics++] = m;
			return 0;
		}
		at += snprintf(all + at, sizeof(all) - at, "%s%s", i ? ", " : "", m->name);
	}
	err_exit(err, -EINVAL, EXIT_USAGE, "unknown metric '%.*s': skep does not have the formulas of each CPU model", (int)(n < 64 ? n : 64), name);
	err_hint(err, "-M takes %s; perf stat -M computes others", all);
	return -EINVAL;
}

static int add_metrics(void *base, const char *text, struct err *err)
{
	int ret = 0;

	for (size_t n; !ret && text; text = text[n] ? text + n + 1 : NULL) {
		n = strcspn(text, ",");
		ret = add_metric(base, text, n, err);
	}
	return ret;
}

struct core_kinds {
	const char *wanted;
	char names[256];
	int n;
	bool is_found;
};

static int note_core(void *arg, const char *pmu, uint32_t type)
{
	struct core_kinds *k = arg;
	size_t at = strlen(k->names);

	(void)type;
	snprintf(k->names + at, sizeof(k->names) - at, "%s%s", k->n ? ", " : "", pmu);
	k->is_found |= !strcmp(pmu, k->wanted);
	k->n++;
	return 0;
}

/* Of one kind there is nothing to choose. */
static int set_cputype(void *base, const char *text, struct err *err)
{
	struct core_kinds k = { .wanted = text };

	(void)base;
	pmu_each_core(note_core, &k);
	if (k.is_found && k.n == 1)
		return 0;
	if (k.is_found) {
		err_exit(err, -EINVAL, EXIT_USAGE, "--cputype is not available on CPUs of several kinds");
		err_hint(err, "-e %s/cycles/ counts only on those", text);
	} else {
		err_exit(err, -EINVAL, EXIT_USAGE, "bad value '%s' of '--cputype': no kind of CPUs is called so", text);
		err_hint(err, "the kinds here: %s", k.names);
	}
	return -EINVAL;
}

static const struct opt count_opts[] = {
	{ 'e', "event", "EVENT,...", OPT_CALL, 0, "what to count (:u :k); syscalls:*, sched:* and other tracepoints by name or glob", add_text,
	  true },
	{ 'd', "detailed", NULL, OPT_COUNT, offsetof(struct stat_options, details), "also caches; -dd: also L1i and TLBs; -ddd: also prefetches" },
	{ 'M', "metrics", "METRIC,...", OPT_CALL, 0, "count what these need, and print only them beside the counts: insn_per_cycle, page_faults_per_second",
	  add_metrics, true },
	{ 0, "filter", "EXPR", OPT_CALL, 0, "only hits of the tracepoint before it for which EXPR is true, as in skep probe", set_filter, true },
	{ 0, "all-user", NULL, OPT_FLAG, offsetof(struct stat_options, all_user), "counters count in user mode only, as with :u" },
	{ 0, "all-kernel", NULL, OPT_FLAG, offsetof(struct stat_options, all_kernel), "counters count in the kernel only, as with :k" },
	{ 'n', "null", NULL, OPT_FLAG, offsetof(struct stat_options, null), "count nothing: only the times of COMMAND" },
	{ 0, "cputype", "PMU", OPT_CALL, 0, "the kind of CPUs, where all are of one", set_cputype },
	{ 'r', "repeat", "N", OPT_CALL, 0, "run COMMAND N times, print the mean and its error", set_runs },
	{ 0, "table", NULL, OPT_FLAG, offsetof(struct stat_options, table), "also the time of each run of -r" },
	{ 0, "pre", "SHELL-COMMAND", OPT_TEXT, offsetof(struct stat_options, pre), "run this before each run, not counted" },
	{ 0, "post", "SHELL-COMMAND", OPT_TEXT, offsetof(struct stat_options, post), "run this after each run, not counted" },
	{ 'S', "sync", NULL, OPT_FLAG, offsetof(struct stat_options, sync), "write what waits for the disks, sync(2), before each run" },
	{ 'i', "no-inherit", NULL, OPT_FLAG, offsetof(struct stat_options, no_inherit), "do not count children that start from now on" },
	{ 0, "no-scale", NULL, OPT_FLAG, offsetof(struct stat_options, no_scale),
	  "do not scale counts up for the time that an event had no counter" },
	{ 'D', "delay", "MS", OPT_CALL, 0, DELAY_HELP, set_delay },
	{ 0, "timeout", "MS", OPT_U64, offsetof(struct stat_options, timeout_ms), "stop after MS milliseconds, and stop COMMAND" },
	{ 0, "duration", "TIME", OPT_DURATION, offsetof(struct stat_options, duration_ns), "the same with a time (10, 500ms, 2m)" },
	{ 0 },
};

static const struct opt by_opts[] = {
	{ 0, "by", "KEY,...", OPT_TEXT, offsetof(struct stat_options, by),
	  "sum system calls or tracepoints by comm, pid, tid, cpu, user, cgroup, event, syscall, errno, args->FIELD" },
	{ 0, "latency", NULL, OPT_FLAG, offsetof(struct stat_options, latency), "errors and times of system calls, with a histogram" },
	{ 0, "stack", NULL, OPT_FLAG, offsetof(struct stat_options, stack),
	  "the functions that made system calls or hit tracepoints, with their callers" },
	{ 0, "top", "N", OPT_U64, offsetof(struct stat_options, top), "only the N largest rows of --by and --latency" },
	{ 0, "fields", "COLUMN,...", OPT_TEXT, offsetof(struct stat_options, fields), "of --by and --latency: show these columns, in this order" },
	{ 0, "max-keys", "N", OPT_U64, offsetof(struct stat_options, rows_max),
	  "at most N keys on each CPU (default 10240); further keys share one row" },
	{ 0 },
};

static int set_cache(void *base, const char *text, struct err *err)
{
	struct stat_options *o = base;
	const char *digit = text && (*text == 'L' || *text == 'l') ? text + 1 : text;

	o->per_cache = true;
	if (text && (*digit < '1' || *digit > '9' || digit[1]))
		return err_exit(err, -EINVAL, EXIT_USAGE, "bad value '%s' of '--per-cache': a level of caches, such as L2", text);
	o->cache_level = text ? *digit - '0' : 0;
	return 0;
}

static const struct opt stat_opts[] = {
	{ 'I', "interval-print", "MS", OPT_U64, offsetof(struct stat_options, interval_ms), "print the counts every MS milliseconds" },
	{ 0, "interval-count", "N", OPT_U64, offsetof(struct stat_options, intervals_max), "of -I: the first N intervals only; COMMAND goes on" },
	{ 0, "interval-clear", NULL, OPT_FLAG, offsetof(struct stat_options, clear), "of -I: clear the screen before each interval" },
	{ 0, "summary", NULL, OPT_FLAG, offsetof(struct stat_options, summary), "of -I: also the sums of all intervals, at the end" },
	{ 0, "no-csv-summary", NULL, OPT_FLAG, offsetof(struct stat_options, no_csv_summary), "of --summary with -x: no field 'summary' at the start of a line" },
	{ 0 },
};

static const struct opt rows_opts[] = {
	{ 'A', "no-aggr", NULL, OPT_FLAG, offsetof(struct stat_options, per_cpu), "a row for each CPU (with -a, -C or -G)" },
	{ 0, "per-core", NULL, OPT_FLAG, offsetof(struct stat_options, per_core), "a row for each core, with how many CPUs it has (with -a, -C or -G)" },
	{ 0, "per-cache", "[=LEVEL]", OPT_CALL, 0, "the same for each cache of a level, such as L2 (default: the last)", set_cache },
	{ 0, "per-cluster", NULL, OPT_FLAG, offsetof(struct stat_options, per_cluster), "the same for each cluster, which shares a cache or an interconnect" },
	{ 0, "per-die", NULL, OPT_FLAG, offsetof(struct stat_options, per_die), "the same for each die" },
	{ 0, "per-socket", NULL, OPT_FLAG, offsetof(struct stat_options, per_socket), "the same for each socket" },
	{ 0, "per-node", NULL, OPT_FLAG, offsetof(struct stat_options, per_node), "the same for each memory node" },
	{ 0, "per-thread", NULL, OPT_FLAG, offsetof(struct stat_options, per_thread), "a row for each thread (with -a, -p or -t)" },
	{ 0 },
};

static const struct opt form_opts[] = {
	{ 'x', "field-separator", "SEP", OPT_TEXT, offsetof(struct stat_options, separator), "CSV with this separator, in perf's fields" },
	{ 'j', "json-output", NULL, OPT_FLAG, offsetof(struct stat_options, json), "JSON, an object per line, in perf's fields" },
	{ 0, "metric-only", NULL, OPT_FLAG, offsetof(struct stat_options, metric_only), "only the figures that -M has names for, without the counts" },
	{ 0, "no-big-num", NULL, OPT_FLAG, offsetof(struct stat_options, no_big_num), "no separators of thousands in tables" },
	{ 0 },
};

static const struct opt more_opts[] = {
	{ 0, "append", NULL, OPT_FLAG, offsetof(struct stat_options, append), "add to the FILE of -o" },
	{ 0, "log-fd", "N", OPT_CALL, 0, "write to the open file of this number: 3>out skep stat --log-fd 3 -- COMMAND", set_log_fd },
	{ 0 },
};

static const struct opt out_opts[] = {
	{ 'o', "output", "FILE", OPT_TEXT, offsetof(struct stat_options, out), "write to FILE instead of standard error" },
	{ 0 },
};

static const struct opt record_opts[] = {
	{ 'o', "output", "FILE", OPT_TEXT, offsetof(struct stat_options, record),
	  "the perf.data file (default perf.data; - for a stream); the table goes to standard error" },
	{ 0 },
};

#define GROUPS "per-core|per-cache|per-cluster|per-die|per-socket|per-node"
/* Rows are of one kind. */
#define ROWS_RULES                                                                               \
	{ "no-aggr", .not_with = GROUPS "|per-thread" },                                         \
	{ "per-thread", .not_with = GROUPS },                                                    \
	{ "per-core", .not_with = "per-cache|per-cluster|per-die|per-socket|per-node" },         \
	{ "per-cache", .not_with = "per-cluster|per-die|per-socket|per-node" },                  \
	{ "per-cluster", .not_with = "per-die|per-socket|per-node" },                            \
	{ "per-die", .not_with = "per-socket|per-node" },                                        \
	{ "per-socket", .not_with = "per-node" }

static const struct opt_rule stat_rules[] = {
	{ "field-separator", .not_with = "json-output" },
	{ "append", .needs = "output" },
	{ "log-fd", .not_with = "output|append" },
	{ "timeout", .not_with = "duration" },
	{ "delay", .not_with = "by|latency|stack", .hint = "-p PID --duration TIME, once it runs" },
	{ "null", .not_with = "event|detailed|by|latency|stack|per-thread|no-aggr", .why = "-n counts nothing" },
	{ "all-user", .not_with = "all-kernel" },
	{ "metric-only", .not_with = "repeat|per-thread|null|by|latency|stack" },
	{ "metrics", .not_with = "null|by|latency|stack" },
	{ "table", .needs = "repeat" },
	{ "table", .not_with = "field-separator|json-output" },
	{ "interval-count|interval-clear|summary", .needs = "interval-print" },
	{ "by|latency|stack", .not_with = "interval-count|interval-clear|summary", .why = "they are of counts without keys" },
	{ "by|latency|stack", .not_with = "log-fd", .hint = "-o /dev/fd/N" },
	ROWS_RULES,
	{ "per-thread", .needs = "all-cpus|pid|tid" },
	{ "by|latency|stack", .not_with = "no-aggr|per-thread|" GROUPS, .hint = "--by cpu or --by tid" },
	{ "by|latency|stack", .not_with = "detailed|no-scale", .why = "--detailed and --no-scale are for counters" },
	{ "stack", .not_with = "latency|interval-print|append|max-keys|fields" },
	{ "top|max-keys", .needs = "by|latency|stack" },
	{ "fields", .needs = "by|latency" },
	{ "call-graph|unwind-memory", .needs = "stack" },
	{ 0 },
};

static const struct opt input_opts[] = {
	{ 'i', "input", "FILE", OPT_TEXT, offsetof(struct stat_options, input), "the perf.data file (default perf.data; - for a stream)" },
	{ 0 },
};

static const struct opt_rule report_rules[] = {
	{ "field-separator", .not_with = "json-output" },
	{ "metric-only", .not_with = "per-thread" },
	ROWS_RULES,
	{ 0 },
};

const struct opt_group stat_report_groups[] = {
	{ "Input", input_opts, 0 },
	{ "Output", rows_opts, 0, report_rules },
	{ "Output", form_opts, 0 },
	{ "Output", out_opts, 0 },
	{ "Honesty", honesty_opts, offsetof(struct stat_options, h) },
	{ 0 },
};

#define OF_METRICS "skep computes its few metrics from single events"

static const struct opt nothing_opts[] = {
	{ 'c', "scale", NULL, OPT_NOTHING, 0, "the default" },
	{ 'B', "big-num", NULL, OPT_NOTHING, 0, "tables have the separators of your locale" },
	{ 0, "no-merge", NULL, OPT_NOTHING, 0, "events of each PMU have a row of their own" },
	{ 0, "no-affinity", NULL, OPT_NOTHING, 0, "skep moves to no other CPU to read its counters" },
	{ 0, "metric-no-group", NULL, OPT_NOTHING, 0, OF_METRICS },
	{ 0, "metric-no-merge", NULL, OPT_NOTHING, 0, OF_METRICS },
	{ 0, "metric-no-threshold", NULL, OPT_NOTHING, 0, OF_METRICS },
	{ 0 },
};

/* Of both commands that count, which differ in what -o is. */
#define COUNT_GROUPS(output_opts) { \
	{ "What", count_opts, 0 }, \
	{ "Who", target_opts, offsetof(struct stat_options, target), target_rules }, \
	{ "By", by_opts, 0 }, \
	{ "Stacks", walk_opts, offsetof(struct stat_options, walks) }, \
	{ "Output", stat_opts, 0, stat_rules }, \
	{ "Output", rows_opts, 0 }, \
	{ "Output", form_opts, 0 }, \
	{ "Output", output_opts, 0 }, \
	{ "Output", more_opts, 0 }, \
	{ "Honesty", honesty_opts, offsetof(struct stat_options, h) }, \
	{ "Of perf, without effect", nothing_opts, 0 }, \
	{ 0 }, \
}

const struct opt_group stat_groups[] = COUNT_GROUPS(out_opts);
const struct opt_group stat_record_groups[] = COUNT_GROUPS(record_opts);

#define NO_METRICS "needs the formulas of each CPU model, which skep does not have"
#define WITH_PERF "perf stat computes them"
#define EACH_CORE "--per-core, --per-die, --per-socket; -A has a row for each CPU"
#define NO_HYBRID "needs the kinds of CPUs, which skep does not tell apart"
#define EACH_KIND "-e cpu_core/cycles/,cpu_atom/cycles/ has a row for each kind"
#define OF_PROGRAMS "is not available: skep does not count inside BPF programs"

const struct opt_other stat_others[] = {
	{ "--topdown", NO_METRICS, WITH_PERF },
	{ "--td-level", NO_METRICS, WITH_PERF },
	{ "-T", NO_METRICS, WITH_PERF },
	{ "--transaction", NO_METRICS, WITH_PERF },
	{ "--smi-cost", "is not available: skep does not change the machine's settings", "-e msr/smi/,msr/aperf/,cycles" },
	{ "--iostat", "needs the I/O units of each CPU model, which skep does not know", "perf iostat; skep stat -a --by 'args->dev' -e block:block_rq_issue" },
	{ "--percore-show-thread", "is not available", EACH_CORE },
	{ "--hybrid-merge", NO_HYBRID, EACH_KIND },
	{ "-g", "is not available: it would make one group of all events", "-e '{EVENT,...}' makes a group" },
	{ "--group", "is not available: it would make one group of all events", "-e '{EVENT,...}' makes a group" },
	{ "--for-each-cgroup", "is not available: cgroups are summed", "-G CGROUP, for one; --by cgroup for system calls and tracepoints" },
	{ "--control", "is not available: counting goes on from start to end", "-p PID --duration TIME, or -I MS" },
	{ "-b", OF_PROGRAMS, "perf stat -b; bpftool prog show, with sysctl kernel.bpf_stats_enabled=1, has their times" },
	{ "--bpf-prog", OF_PROGRAMS, "perf stat -b; bpftool prog show, with sysctl kernel.bpf_stats_enabled=1, has their times" },
	{ "--bpf-counters", "is not available: counters are not shared with other runs", "leave it out" },
	{ "--bpf-attr-map", "is of --bpf-counters, which is not available", "leave it out" },
	{ 0 },
};

int stat_columns(const struct stat_options *o)
{
	int fd = o->log_fd ? (int)o->log_fd : STDERR_FILENO;

	return o->separator || o->json ? 0 : !o->out ? terminal_columns(fd) : !strcmp(o->out, "-") ? terminal_columns(STDOUT_FILENO) : 0;
}
