/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options of skep script: its own, and each of perf script's, taken or refused. */
#include <stddef.h>

#include "cmd/script.h"
#include "util/opt.h"

static int set_fields(void *base, const char *text, struct err *err)
{
	struct script_options *o = base;

	if (!o->fields_set)
		script_fields_init(&o->fields);
	o->fields_set = true;
	return script_fields_parse(&o->fields, text, err);
}

static const struct opt script_opts[] = {
	{ 'i', "input", "FILE", OPT_TEXT, offsetof(struct script_options, input), "file to read (default: perf.data); -: standard input" },
	{ 'o', "output", "FILE", OPT_TEXT, offsetof(struct script_options, out), "where to write (default: standard output)" },
	{ 'F', "fields", "FIELD,...", OPT_CALL, 0, "what to print of each sample; +FIELD, -FIELD: beside or without these; TYPE:FIELD", set_fields, .many = true },
	{ 'G', "hide-call-graph", NULL, OPT_FLAG, offsetof(struct script_options, no_chains), "only the sampled address, not its callers" },
	{ 0, "max-stack", "N", OPT_U64, offsetof(struct script_options, max_stack), "only the N innermost functions of each stack" },
	{ 0, "stop-bt", "SYMBOL,...", OPT_TEXT, offsetof(struct script_options, stop_at), "end stacks at these functions" },
	{ 0, "ns", NULL, OPT_FLAG, offsetof(struct script_options, ns), "times with nine digits after the point" },
	{ 0, "reltime", NULL, OPT_FLAG, offsetof(struct script_options, reltime), "times since the first sample" },
	{ 0, "deltatime", NULL, OPT_FLAG, offsetof(struct script_options, deltatime), "times since the sample before" },
	{ 0, "show-task-events", NULL, OPT_FLAG, offsetof(struct script_options, shown.tasks), "print records of names, forks and exits of threads, too" },
	{ 0, "show-mmap-events", NULL, OPT_FLAG, offsetof(struct script_options, shown.mmaps), "print records of mappings, too" },
	{ 0, "show-switch-events", NULL, OPT_FLAG, offsetof(struct script_options, shown.switches), "print records of context switches (record --switch-events), too" },
	{ 0, "show-namespace-events", NULL, OPT_FLAG, offsetof(struct script_options, shown.namespaces), "print records of namespaces (record --namespaces), too" },
	{ 0, "show-lost-events", NULL, OPT_FLAG, offsetof(struct script_options, shown.lost), "print records of lost samples, too" },
	{ 0, "show-round-events", NULL, OPT_FLAG, offsetof(struct script_options, shown.rounds), "print records of ends of rounds of writing, too" },
	{ 0, "show-bpf-events", NULL, OPT_FLAG, offsetof(struct script_options, shown.bpf), "print records of BPF programs that came and went, too" },
	{ 0, "show-cgroup-events", NULL, OPT_FLAG, offsetof(struct script_options, shown.cgroups), "print records of cgroups (record --all-cgroups), too" },
	{ 0, "show-text-poke-events", NULL, OPT_FLAG, offsetof(struct script_options, shown.text_pokes), "print records of changes of kernel code, too" },
	{ 'D', "dump-raw-trace", NULL, OPT_FLAG, offsetof(struct script_options, dump), "print the bytes of every record, too" },
	{ 0, "header", NULL, OPT_FLAG, offsetof(struct script_options, header), "print what the file says of itself first" },
	{ 0, "header-only", NULL, OPT_FLAG, offsetof(struct script_options, header_only), "print the header only" },
	{ 'I', "show-info", NULL, OPT_FLAG, offsetof(struct script_options, whole_header), "with --header: also CPUs, nodes, caches and memory" },
	{ 0, "full-source-path", NULL, OPT_FLAG, offsetof(struct script_options, long_files), "source files with their path" },
	{ 0, "format", "FORMAT", OPT_TEXT, offsetof(struct script_options, format_word),
	  "text (default), json (an object a line), csv, folded (a stack a line, and its period); for viewers speedscope, firefox (or gecko), chrome, perfetto, also by the ending of -o, as skep flame has them",
	  .values = "text|json|csv|folded|" OUT_VIEWERS },
	{ 0, "per-event-dump", NULL, OPT_FLAG, offsetof(struct script_options, per_event), "the samples of each event into a file of its own, FILE.EVENT.dump" },
	{ 0, "json", NULL, OPT_FLAG, offsetof(struct script_options, json), "the same as --format json" },
	{ 0 },
};

#define NOT_TEXT "json|format=json|format=csv|format=folded|format=speedscope|format=firefox|format=gecko|format=chrome|format=perfetto"
static const struct opt_rule script_rules[] = {
	{ "json", .not_with = "format" },
	{ "fields|ns|reltime|deltatime|full-source-path|header", .not_with = NOT_TEXT, .why = "the fields of other formats are fixed" },
	{ "dump-raw-trace|show-task-events|show-mmap-events|show-switch-events|show-namespace-events|show-lost-events|show-round-events|"
	  "show-bpf-events|show-cgroup-events|show-text-poke-events",
	  .not_with = NOT_TEXT, .why = "records are printed as text" },
	{ "per-event-dump", .not_with = NOT_TEXT "|output|dump-raw-trace|show-task-events|show-mmap-events|show-switch-events|show-namespace-events|"
	  "show-lost-events|show-round-events|show-bpf-events|show-cgroup-events|show-text-poke-events", .why = "its files are of samples, as text" },
	{ "addr-range", .needs = "symbols" },
	{ "reltime", .not_with = "deltatime" },
	{ 0 },
};

static const struct opt nothing_opts[] = {
	{ 'a', "all-cpus", NULL, OPT_NOTHING, 0, "all CPUs of the file are shown" },
	{ 'd', "debug-mode", NULL, OPT_NOTHING, 0, "order and losses are checked in any case" },
	{ 'f', "force", NULL, OPT_NOTHING, 0, "who owns the file does not matter" },
	{ 0, "demangle", NULL, OPT_NOTHING, 0, "the default" },
	{ 0, "demangle-kernel", NULL, OPT_NOTHING, 0, "names of the kernel stay as they are" },
	{ 0, "show-kernel-path", NULL, OPT_NOTHING, 0, "names of the kernel are from no file" },
	{ 0, "ignore-vmlinux", NULL, OPT_NOTHING, 0, "no image of the kernel is read, but that of -k" },
	{ 0, "no-itrace", NULL, OPT_NOTHING, 0, "instruction traces are not decoded" },
	{ 0, "merge-callchains", NULL, OPT_NOTHING, 0, "deferred call chains are joined with their samples" },
	{ 0, "stdio", NULL, OPT_NOTHING, 0, "text is the default" },
	{ 0 },
};

const struct opt_group script_groups[] = {
	{ "Script", script_opts, 0, script_rules },
	{ "Names", symbol_opts, offsetof(struct script_options, symbols), symbol_rules },
	{ "Which samples", pick_script_opts, offsetof(struct script_options, pick) },
	{ "Which samples", onoff_opts, offsetof(struct script_options, on), onoff_rules },
	{ "Honesty", honesty_opts, offsetof(struct script_options, h) },
	{ "Of perf, without effect", nothing_opts, 0 },
	{ 0 },
};

#define WITH_PERF "perf script reads the same file"
#define JSON_LINES "skep script --json | python3 yours.py (man skep-script has examples)"
#define NO_TRACE "needs instruction traces, which skep does not decode"
#define NO_GUEST "is for guests, which skep does not support"

const struct opt_other script_others[] = {
	{ "record", "is no command of skep script", "skep record" },
	{ "report", "is no command of skep script", JSON_LINES },
	{ "-s", "runs scripts, and skep has no interpreter", JSON_LINES },
	{ "--script", "runs scripts, and skep has no interpreter", JSON_LINES },
	{ "-g", "writes a script, and skep has no interpreter", JSON_LINES },
	{ "--gen-script", "writes a script, and skep has no interpreter", JSON_LINES },
	{ "-l", "lists scripts, and skep has none", JSON_LINES },
	{ "--list", "lists scripts, and skep has none", JSON_LINES },
	{ "--dlfilter", "loads libraries of perf's", JSON_LINES },
	{ "--dlarg", "is for libraries of perf's", JSON_LINES },
	{ "--list-dlfilters", "is for libraries of perf's", JSON_LINES },
	{ "-L", "is not available", "skep script -F names the fields" },
	{ "--Latency", "is not available", "skep script -F names the fields" },
	{ "--dump-unsorted-raw-trace", "is not available: records are in the order of time", "skep script -D" },
	{ "--call-trace", NO_TRACE, WITH_PERF },
	{ "--call-ret-trace", NO_TRACE, WITH_PERF },
	{ "--insn-trace", NO_TRACE, WITH_PERF },
	{ "--graph-function", NO_TRACE, WITH_PERF },
	{ "--itrace", NO_TRACE, WITH_PERF },
	{ "--xed", NO_TRACE, WITH_PERF },
	{ "--max-blocks", NO_TRACE, WITH_PERF },
	{ "--stitch-lbr", "needs stacks of branch records of one sample after the other, which skep does not join", WITH_PERF },
	{ "--guest-code", NO_GUEST, WITH_PERF },
	{ "--guestkallsyms", NO_GUEST, WITH_PERF },
	{ "--guestmodules", NO_GUEST, WITH_PERF },
	{ "--guestmount", NO_GUEST, WITH_PERF },
	{ "--guestvmlinux", NO_GUEST, WITH_PERF },
	{ "-M", "is for disassembly", "skep annotate" },
	{ "--disassembler-style", "is for disassembly", "skep annotate" },
	{ "--no-merge-callchains", "is not available: deferred call chains are joined with their samples", "leave it out" },
	{ 0 },
};
