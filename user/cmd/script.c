/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep script: the samples of a perf.data file one after the other, as perf script prints them. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/honesty.h"
#include "cmd/nothing.h"
#include "cmd/pick.h"
#include "cmd/script.h"
#include "util/outfile.h"

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
	{ 0, "switch-on", "EVENT", OPT_TEXT, offsetof(struct script_options, on.on), "only what follows this event" },
	{ 0, "switch-off", "EVENT", OPT_TEXT, offsetof(struct script_options, on.off), "only what precedes this event, or is between the two" },
	{ 0, "show-on-off-events", NULL, OPT_FLAG, offsetof(struct script_options, on.shown), "and these two events themselves" },
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
	{ 0, "inline", NULL, OPT_FLAG, offsetof(struct script_options, inlines), "show inlined functions in lines of their own (slower)" },
	{ 0, "format", "FORMAT", OPT_TEXT, offsetof(struct script_options, format), "text (default), json (an object a line) or csv", .values = "text|json|csv" },
	{ 0, "json", NULL, OPT_FLAG, offsetof(struct script_options, json), "the same as --format json" },
	{ 0 },
};

static const struct opt_rule script_rules[] = {
	{ "json", .not_with = "format" },
	{ "reltime", .not_with = "deltatime" },
	{ "show-on-off-events", .needs = "switch-on|switch-off" },
	{ 0 },
};

static const struct opt_group script_groups[] = {
	{ "Script", script_opts, 0, script_rules },
	{ "Which samples", pick_script_opts, offsetof(struct script_options, pick) },
	{ "Honesty", honesty_opts, offsetof(struct script_options, h) },
	{ 0 },
};

static int check(struct script_options *o, char **operands, struct err *err)
{
	if (operands[0]) {
		err_exit(err, -EINVAL, EXIT_USAGE, "unexpected '%s': use -i FILE to name a file", operands[0]);
		err_hint(err, "skep runs no scripts itself: 'skep script --json | python3 yours.py' (see man skep-script)");
		return -EINVAL;
	}
	if (o->out && same_file(o->input, o->out))
		return err_exit(err, -EINVAL, EXIT_USAGE, "-o '%s' would overwrite the file that -i reads", o->out);
	if (!o->fields_set)
		script_fields_init(&o->fields);
	o->format = o->json ? "json" : o->format ? o->format : "text";
	return 0;
}

static int script_into(struct script_options *o, struct script *s, struct outfile *out, struct err *err)
{
	int64_t bytes;
	int ret = script_read(s, o, out->stream, err);

	if (!ret && !s->profile.kept)
		ret = nothing_sampled(&s->profile, o->input, 0, err);
	if (ret)
		return ret;
	bytes = outfile_commit(out, err);
	if (bytes < 0)
		return (int)bytes;
	s->profile.receipt.bytes_out = (uint64_t)bytes;
	honesty_print(&o->h, &s->profile);
	return honesty_exit(&o->h, &s->profile, 0, err);
}

static int script_run(void *cfg, char **operands, struct err *err)
{
	struct script_options *o = cfg;
	struct script *s;
	struct outfile out;
	int ret;

	o->input = o->input ? o->input : "perf.data";
	ret = check(o, operands, err);
	if (!ret)
		ret = outfile_open(&out, o->out ? o->out : "-", err);
	if (ret)
		return ret;
	s = script_new();
	ret = s ? script_into(o, s, &out, err) : err_set(err, -ENOMEM, "out of memory");
	script_free(s);
	outfile_abort(&out);
	return ret;
}

const struct cmd cmd_script = {
	.name = "script",
	.summary = "print the samples of a recorded file, one after the other",
	.operands = "",
	.groups = script_groups,
	.cfg_size = sizeof(struct script_options),
	.examples = "skep script                                 perf.data, as perf script prints it\n"
		    "skep script -F +pid,+srcline --time 10%-20%\n"
		    "skep script -F comm,time,event,trace        tracepoints with their values\n"
		    "skep script --json | jq -c '[.comm, .stack[0].sym]'\n",
	.run = script_run,
};
