/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/trace_options.h"

#include <errno.h>
#include <string.h>

#include "cmd/trace_select.h"
#include "cmd/trace_set.h"
#include "cmd/trace_time.h"
#include "util/num.h"

#define COLUMN_DEFAULT 40
#define TEXT_DEFAULT 32
#define TEXT_MAX (TRACE_PIECE_MAX - 2)
#define COLUMN_MAX 1024
#define HEX_MOST 2 /* -xx: all strings */

/* What -e selects. What it does not name, calls or signals, is all. */
static struct trace_cfg *begin_selection(struct trace_options *o)
{
	if (!o->has_events) {
		o->source.all_calls = true;
		o->source.signals = ~0ull;
		o->source.uring = true;
	}
	o->has_events = true;
	return &o->source;
}

/* "all", "path" or "none"; without a text one more -y. */
static int set_files(void *base, const char *text, struct err *err)
{
	struct trace_options *o = base;

	if (!text || !*text) {
		o->files++;
	} else if (!strcmp(text, "all") || !strcmp(text, "none") || !strcmp(text, "path")) {
		o->files = *text == 'a' ? FILES_DETAILS : *text == 'p' ? FILES_PATHS : FILES_NOTHING;
	} else {
		err_exit(err, -EINVAL, EXIT_USAGE, "decode-fds=%s is not supported: path, all or none", text);
		err_hint(err, "-y shows paths, -yy also sockets and devices");
		return -EINVAL;
	}
	return 0;
}

static int add_events(void *base, const char *text, struct err *err)
{
	struct trace_options *o = base;

	if (!strncmp(text, "quiet=", 6))
		return trace_quiet(text + 6, &o->strace.has_no_ends, err);
	if (!strncmp(text, "decode-fds=", 11) || !strncmp(text, "decode-fd=", 10))
		return set_files(o, strchr(text, '=') + 1, err);
	if (trace_events_is(text))
		return trace_events_add(&o->events, text, err);
	return trace_select(text, begin_selection(o), err);
}

static int add_calls(void *base, const char *text, struct err *err)
{
	return trace_select_calls(text, begin_selection(base), err);
}

static int set_signals(void *base, const char *text, struct err *err)
{
	return trace_signals(text, &begin_selection(base)->signals, err);
}

static int set_statuses(void *base, const char *text, struct err *err)
{
	return trace_statuses(text, &((struct trace_options *)base)->source.results, err);
}

static int add_errnos(void *base, const char *text, struct err *err)
{
	struct trace_options *o = base;

	return trace_errnos(text, &o->source, err);
}

static int add_path(void *base, const char *text, struct err *err)
{
	struct trace_options *o = base;

	return trace_path(text, &o->source, err);
}

static int add_fds(void *base, const char *text, struct err *err)
{
	struct trace_options *o = base;

	return trace_fds(text, &o->source, err);
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
	return set_number(text, "column", COLUMN_MAX, &o->column, err);
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

static int set_time(void *base, const char *text, struct err *err)
{
	return trace_time(text, &((struct trace_options *)base)->lines, err);
}

static int set_relative(void *base, const char *text, struct err *err)
{
	struct trace_options *o = base;

	o->lines.time = CALL_TIME_SINCE;
	return trace_decimals(text, &o->lines.decimals, err);
}

static int set_durations(void *base, const char *text, struct err *err)
{
	struct trace_options *o = base;

	o->lines.has_duration = true;
	return trace_decimals(text, &o->lines.duration_decimals, err);
}

static int set_strings(void *base, const char *text, struct err *err)
{
	struct trace_options *o = base;

	if (text && !strcmp(text, "non-ascii-chars"))
		return err_exit(err, -EINVAL, EXIT_USAGE, "--strings-in-hex=non-ascii-chars is not supported: non-ascii has whole strings in hexadecimal");
	if (text && strcmp(text, "non-ascii") && strcmp(text, "all") && strcmp(text, "none"))
		return err_exit(err, -EINVAL, EXIT_USAGE, "bad --strings-in-hex '%s': non-ascii, all or none", text);
	o->hex = !text || !strcmp(text, "all") ? HEX_MOST : !strcmp(text, "non-ascii");
	return 0;
}

static int set_faults(void *base, const char *text, struct err *err)
{
	static const char *const words[] = { [FAULTS_MINOR] = "min", [FAULTS_MAJOR] = "maj", [FAULTS_MINOR | FAULTS_MAJOR] = "all" };
	struct trace_options *o = base;

	for (uint32_t kinds = 1; kinds < sizeof(words) / sizeof(*words); kinds++)
		if (!strcmp(text, words[kinds])) {
			o->source.faults = kinds;
			return 0;
		}
	return err_exit(err, -EINVAL, EXIT_USAGE, "bad -F '%s': all, min or maj", text);
}

static const struct opt what_opts[] = {
	{ 'e', "event", "CALLS", OPT_CALL, 0,
	  "these system calls: names, %CLASS, /REGEX, io_uring (its operations), with ! in front all others; or trace=CALLS, signal=SET, status=SET", add_events, true },
	{ 0, "trace", "CALLS", OPT_CALL, 0, "the same as -e CALLS", add_calls, true },
	{ 0, "signal", "SET", OPT_CALL, 0, "the same as -e signal=SET, of signals: SIGCHLD,usr1,15, !PIPE, all, none", set_signals, true },
	{ 0, "status", "SET", OPT_CALL, 0, "the same as -e status=SET, of results: successful, failed, unfinished, with ! in front all others", set_statuses },
	{ 'z', "successful-only", NULL, OPT_FLAG, offsetof(struct trace_options, ok), "only calls that do not fail" },
	{ 'Z', "failed-only", NULL, OPT_FLAG, offsetof(struct trace_options, failed), "only calls that fail" },
	{ 0, "failed", NULL, OPT_FLAG, offsetof(struct trace_options, failed), "the same" },
	{ 0, "errno", "NAME,...", OPT_CALL, 0, "only calls that fail with these errors: ENOENT,EACCES", add_errnos },
	{ 'P', "path", "PATH", OPT_CALL, 0, "only calls with this path, or with a descriptor of it; * and ? stand for any characters", add_path, true },
	{ 0, "trace-path", "PATH", OPT_CALL, 0, "the same", add_path, true },
	{ 0, "fd", "N,...", OPT_CALL, 0, "only calls that take or return these file descriptors", add_fds, true },
	{ 'F', "pf", "KIND", OPT_CALL, 0, "page faults, too: all, min (those that found the page in memory) or maj (those that did not); with -e none only these", set_faults,
	  .values = "all|min|maj" },
	{ 0, "min-duration", "TIME", OPT_DURATION, offsetof(struct trace_options, min_ns), "only calls that take at least TIME (10ms)" },
	{ 0 },
};

static const struct opt by_opts[] = {
	{ 0, "by", "KEY,...", OPT_TEXT, offsetof(struct trace_options, view.by), "with -c and -C: a row for each of comm, pid, tid, cpu, user, cgroup, syscall, errno" },
	{ 0 },
};

static const struct opt stack_opts[] = {
	{ 'k', "stack-traces", NULL, OPT_FLAG, offsetof(struct trace_options, stacks), "below each call the stack that it was made from" },
	{ 'g', "stacks", NULL, OPT_FLAG, offsetof(struct trace_options, stacks), "the same" },
	{ 0, "max-stack", "N", OPT_U64, offsetof(struct trace_options, max_stack), "at most N frames, innermost first (default: all)" },
	{ 0 },
};

static const struct opt file_opts[] = {
	{ 0, "record", "FILE", OPT_TEXT, offsetof(struct trace_options, record), "keep the calls in FILE, for -i; nothing is printed, which costs the least" },
	{ 'i', "input", "FILE", OPT_TEXT, offsetof(struct trace_options, input), "show the calls of FILE, on standard output; -: of standard input" },
	{ 0 },
};

static const struct opt line_opts[] = {
	{ 's', "string-limit", "N", OPT_CALL, 0, "show N bytes of strings (default 32); paths are shown whole", set_text },
	{ 'x', "hex", NULL, OPT_COUNT, offsetof(struct trace_options, hex), "strings that are not ASCII in hexadecimal; -xx: all strings" },
	{ 'v', "no-abbrev", NULL, OPT_FLAG, offsetof(struct trace_options, style.is_whole), "all members of structures, all elements of arrays" },
	{ 'y', "decode-fds", "[=SET]", OPT_CALL, 0,
	  "after a file descriptor its path: 3</etc/passwd>; -yy: also the addresses of sockets, the numbers of devices", set_files,
	  .many = true, .lone_letter = true },
	{ 'X', "const-print-style", "STYLE", OPT_CALL, 0, "flags and constants: raw, abbrev (names, the default) or verbose (both)", set_names },
	{ 0, "strings-in-hex", "[=SET]", OPT_CALL, 0, "all strings in hexadecimal, or non-ascii ones, or none", set_strings },
	{ 'T', "syscall-times", "[=UNIT]", OPT_CALL, 0, "how long each call took, at the end of its line; UNIT: how precisely, s, ms, us or ns", set_durations,
	  .lone_letter = true },
	{ 'r', "relative-timestamps", "[=UNIT]", OPT_CALL, 0, "begin each line with the time since the previous one", set_relative, .lone_letter = true },
	{ 0, "absolute-timestamps", "FORMAT", OPT_CALL, 0, "begin each line with the time of the call: time (of day) or unix, and s, ms, us or ns: unix,us", set_time },
	{ 0, "columns", "N", OPT_CALL, 0, "the column of the results (default 40)", set_column },
	{ 0, "format", "FORMAT", OPT_TEXT, offsetof(struct trace_options, view.format), "text, csv or json (an object per line)", .values = ROWS_FORMATS },
	{ 0, "fields", "COLUMN,...", OPT_TEXT, offsetof(struct trace_options, view.fields), "show these columns, in this order" },
	{ 0, "duration", "TIME", OPT_DURATION, offsetof(struct trace_options, view.duration_ns), "stop after TIME (10, 500ms, 2m), and stop COMMAND" },
	{ 'o', "output", "FILE", OPT_TEXT, offsetof(struct trace_options, view.out), "write to FILE instead of standard error; -: to standard output" },
	{ 'm', "ring-size", "SIZE", OPT_KIB, offsetof(struct trace_options, ring_kb),
	  "ring buffer of each CPU, a power of two of KiB or with K, M, G (default: 1024 to 8192, by the number of CPUs); up to four CPUs share one" },
	{ 0 },
};

static const struct opt_rule trace_rules[] = {
	{ "successful-only", .not_with = "failed-only|failed|errno" },
	{ "syscall-times|relative-timestamps|absolute-timestamps|columns", .not_with = "format=csv|format=json|fields" },
	{ "relative-timestamps", .not_with = "absolute-timestamps" },
	{ "hex", .not_with = "strings-in-hex" },
	{ "status", .not_with = "successful-only|failed-only|failed|errno" },
	{ "record", .not_with = "input|summary|summary-only|with-summary|hex|strings-in-hex|const-print-style|syscall-times|relative-timestamps|absolute-timestamps|"
				"columns|format|fields|output|stack-traces|stacks", .why = "a recording has no lines", .hint = "give it with -i FILE, which shows them" },
	{ "input", .not_with = "summary|summary-only|with-summary|stack-traces|stacks|path|trace-path|fd|" OPT_COMMAND "|all-cpus|pid|tid|uid|cgroup|comm|as|duration|ring-size|budget",
	  .why = "the file has what was recorded" },
	{ "format=csv|format=json", .needs = "output|input", .why = "on standard error they would stand among other lines", .hint = "-o FILE, or -o - for standard output" },
	{ "stack-traces|stacks", .not_with = "call-graph=none|call-graph=no" },
	{ "max-stack|call-graph|unwind-memory", .needs = "stack-traces|stacks" },
	{ 0 },
};

const struct opt_group trace_groups[] = {
	{ "What", what_opts, 0 },
	{ "Who", target_task_opts, offsetof(struct trace_options, target), target_rules },
	{ "Stacks", stack_opts, 0 },
	{ "Stacks", walk_opts, offsetof(struct trace_options, walks) },
	{ "Output", file_opts, 0 },
	{ "Output", trace_sum_opts, offsetof(struct trace_options, sums), trace_sum_rules },
	{ "Output", by_opts, 0 },
	{ "Output", line_opts, 0, trace_rules },
	{ "Output", budget_opts, offsetof(struct trace_options, view) },
	{ "Output", trace_strace_opts, offsetof(struct trace_options, strace), trace_strace_rules },
	{ "Honesty", honesty_opts, offsetof(struct trace_options, h) },
	{ 0 },
};

void trace_options_complete(struct trace_options *o)
{
	struct trace_cfg *source = begin_selection(o);

	if (o->events.nr_texts) /* then only the calls that other options select */
		source->all_calls = source->uring = false;
	o->strace.separate |= o->strace.forks > 1;
	o->target.waits_for_children = o->strace.forks;
	o->lines.has_comm = o->strace.has_comm;
	o->lines.has_number = o->strace.has_number;
	o->lines.column = o->has_column ? (int)o->column : COLUMN_DEFAULT;
	o->style.text = source->text = o->has_text ? o->text : TEXT_DEFAULT;
	o->style.hex = o->hex > HEX_MOST ? HEX_MOST : o->hex;
	o->style.files = o->files > FILES_DETAILS ? FILES_DETAILS : o->files;
	source->files = o->style.files;
	o->style.has_stacks = source->stacks = o->stacks;
	source->min_ns = o->min_ns;
	source->ring_bytes = o->ring_kb << 10;
	source->bpf_stats = o->h.receipt || o->view.budget;
	source->keeps_budget = o->view.budget;
	if (!source->results)
		source->results = o->ok ? TRACE_DONE : o->failed ? TRACE_FAILED : TRACE_ALL_RESULTS;
	if (o->input && !o->view.out)
		o->view.out = "-";
	if (o->input && !source->faults)
		source->faults = FAULTS_MINOR | FAULTS_MAJOR;
}
