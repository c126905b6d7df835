/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep probe: each call of any function of the kernel or a program, with its arguments. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/measure.h"
#include "cmd/probe_add.h"
#include "cmd/probe_run.h"
#include "util/log.h"
#include "util/num.h"
#include "util/program.h"

#define SPECS_MAX 64

struct probe_words {
	struct probe_options o;
	struct honesty h;
	const char *specs[SPECS_MAX];
	size_t nr_specs;
	const char *path, *filter;
	bool vars, funcs;
	const char *changes[SPECS_MAX]; /* of --add, --del, --definition */
	size_t nr_changes;
	bool add, del, list, definition, force, dry_run;
	const char *listed;
};

static int add_spec(void *base, const char *text, struct err *err)
{
	struct probe_words *w = base;

	if (w->nr_specs == SPECS_MAX)
		return err_exit(err, -E2BIG, EXIT_USAGE, "more than %d probes", SPECS_MAX);
	w->specs[w->nr_specs++] = text;
	return 0;
}

/* perf's --vars=PROBE and --funcs=GLOB have the operand in them. */
static int set_vars(void *base, const char *text, struct err *err)
{
	((struct probe_words *)base)->vars = true;
	return text ? add_spec(base, text, err) : 0;
}

static int set_funcs(void *base, const char *text, struct err *err)
{
	((struct probe_words *)base)->funcs = true;
	return text ? add_spec(base, text, err) : 0;
}

static int add_change(struct probe_words *w, bool *ret_flag, const char *text, struct err *err)
{
	if (w->nr_changes == SPECS_MAX)
		return err_exit(err, -E2BIG, EXIT_USAGE, "more than %d probes", SPECS_MAX);
	w->changes[w->nr_changes++] = text;
	*ret_flag = true;
	return 0;
}

static int set_add(void *base, const char *text, struct err *err)
{
	return add_change(base, &((struct probe_words *)base)->add, text, err);
}

static int set_del(void *base, const char *text, struct err *err)
{
	return add_change(base, &((struct probe_words *)base)->del, text, err);
}

static int set_definition(void *base, const char *text, struct err *err)
{
	return add_change(base, &((struct probe_words *)base)->definition, text, err);
}

static int set_list(void *base, const char *text, struct err *err)
{
	(void)err;
	((struct probe_words *)base)->list = true;
	((struct probe_words *)base)->listed = text;
	return 0;
}

/* ret: of reading an option whose letter is another one in perf. hint says how that is typed. */
static int check_number(int ret, const char *text, const char *label, const char *expected, const char *hint, struct err *err)
{
	if (!ret)
		return 0;
	err_exit(err, -EINVAL, EXIT_USAGE, "bad value '%s' of '%s': %s", text, label, ret == -ERANGE ? "out of range" : expected);
	if (ret == -EINVAL)
		err_hint(err, "%s", hint);
	return -EINVAL;
}

static int set_ring(void *base, const char *text, struct err *err)
{
	return check_number(num_kib(text, &((struct probe_words *)base)->o.ring_kb), text, "--ring-size", "expected KiB, or a size such as 512K or 1M",
			    "a module is a part of the probe: k:MODULE:FUNCTION", err);
}

static int set_events(void *base, const char *text, struct err *err)
{
	uint64_t *n = &((struct probe_words *)base)->o.max_events;
	int ret = num_u64(text, UINT64_MAX, n);

	return check_number(!ret && !*n ? -ERANGE : ret, text, "--max-events", "expected a whole number",
			    "-V PROBE shows what would be probed, and probes nothing", err);
}

static const struct opt what_opts[] = {
	{ OPT_OPERAND, NULL, NULL, OPT_CALL, 0, NULL, add_spec, true },
	{ 'e', "event", "PROBE", OPT_CALL, 0,
	  "what to probe, as the operand: k:FUNCTION, kr:, u:PATH:FUNCTION, ur:, usdt:PATH:PROVIDER:NAME, t:SUBSYSTEM:NAME", add_spec, true },
	{ 'x', "exec", "PATH", OPT_TEXT, offsetof(struct probe_words, path), "probe functions of this program or library" },
	{ 0, "filter", "EXPR", OPT_TEXT, offsetof(struct probe_words, filter), "only hits for which EXPR is true, for every probe" },
	{ 'V', "vars", "[=PROBE]", OPT_CALL, 0, "list the arguments of each function and their types; probe nothing", set_vars, .many = true, .lone_letter = true },
	{ 'F', "funcs", "[=GLOB]", OPT_CALL, 0,
	  "list the functions, of the kernel or of -x, that match the operands (all: '*'); probe nothing", set_funcs, .many = true, .lone_letter = true },
	{ 0, "text-size", "BYTES", OPT_U64, offsetof(struct probe_words, o.text_bytes), "bytes kept of each string (default 128)" },
	{ 0 },
};

static const struct opt hits_opts[] = {
	{ 0, "count", NULL, OPT_FLAG, offsetof(struct probe_words, o.count), "count the hits of each probe, instead of printing each hit" },
	{ 0, "by", "KEY,...", OPT_TEXT, offsetof(struct probe_words, o.view.by),
	  "sum hits in the kernel by comm, pid, tid, cpu, user, cgroup, event, and up to four expressions" },
	{ 0, "hist", "EXPR", OPT_TEXT, offsetof(struct probe_words, o.hist), "a histogram of the values in powers of two (for each KEY of --by)" },
	{ 0, "linear", "LOW:HIGH:STEP", OPT_TEXT, offsetof(struct probe_words, o.linear), "with --hist: slots of width STEP, at most 38" },
	{ 0, "latency", NULL, OPT_FLAG, offsetof(struct probe_words, o.latency), "how long functions take: a histogram for each, or for each KEY" },
	{ 'g', "stacks", NULL, OPT_FLAG, offsetof(struct probe_words, o.stacks),
	  "the functions that were hit, with their callers, instead of each hit" },
	{ 'n', "max-events", "N", OPT_CALL, 0, "stop after N hits", set_events },
	{ 0, "max-keys", "N", OPT_U64, offsetof(struct probe_words, o.rows_max),
	  "at most N keys on each CPU (default 4096); further keys share one row" },
	{ 0, "format", "FORMAT", OPT_TEXT, offsetof(struct probe_words, o.view.format), "text, csv, json (an object per line) or, with -g, folded",
	  .values = ROWS_FORMATS "|folded" },
	{ 0, "fields", "COLUMN,...", OPT_TEXT, offsetof(struct probe_words, o.view.fields), "show these columns, in this order" },
	{ 'm', "ring-size", "SIZE", OPT_CALL, 0,
	  "ring buffer of each CPU, a power of two of KiB or with K, M, G (default 1024); up to four CPUs share one", set_ring },
	{ 0 },
};

static const struct opt lasting_opts[] = {
	{ 0, "add", "PROBE", OPT_CALL, 0, "add a probe that stays, '[[GROUP:]NAME=]FUNCTION [ARGUMENT...]' as perf has it: -e GROUP:NAME records it", set_add,
	  true },
	{ 'd', "del", "PATTERN", OPT_CALL, 0, "delete the probes that match [GROUP:]NAME", set_del, true },
	{ 'l', "list", "[=PATTERN]", OPT_CALL, 0, "list the probes that were added, by anybody", set_list, .lone_letter = true },
	{ 'D', "definition", "PROBE", OPT_CALL, 0, "print what --add would write into tracefs", set_definition, true },
	{ 'f', "force", NULL, OPT_FLAG, offsetof(struct probe_words, force), "with --add: where the name is taken, add one with a number after it" },
	{ 0, "dry-run", NULL, OPT_FLAG, offsetof(struct probe_words, dry_run), "with --add and --del: change nothing" },
	{ 0 },
};

/* What has no place beside a change of tracefs. */
#define OF_A_RUN "vars|funcs|count|by|hist|latency|stacks|max-events|max-keys|format|fields|top|interval-print|output|duration|budget|filter"

static const struct opt_rule lasting_rules[] = {
	{ "add", .not_with = "del|list|definition|" OF_A_RUN },
	{ "del", .not_with = "list|definition|" OF_A_RUN },
	{ "list", .not_with = "definition|" OF_A_RUN },
	{ "definition", .not_with = OF_A_RUN },
	{ 0 },
};

static const struct opt_rule probe_rules[] = {
	{ "vars", .not_with = "funcs" },
	{ "vars|funcs", .not_with = "count|by|hist|latency|stacks|max-events|max-keys|format|fields|top|interval-print|output|duration|budget",
	  .why = "-V and -F only list: nothing is probed" },
	{ "vars|funcs", .not_with = "filter", .hint = "'GLOB' as an operand of -F chooses functions" },
	{ "max-keys", .needs = "count|by|hist|latency" },
	{ "max-events", .not_with = "count|by|hist|latency" },
	{ "stacks", .not_with = "count|hist|latency|max-events|interval-print" },
	{ "latency", .not_with = "hist", .why = "--latency means --hist latency" },
	{ "linear", .needs = "hist" },
	{ "interval-print", .needs = "count|by|hist|latency" },
	{ "top", .needs = "count|by|hist|latency|stacks" },
	{ "fields", .not_with = "stacks" },
	{ "call-graph|unwind-memory|format=folded", .needs = "stacks" },
	{ 0 },
};

static const struct opt nothing_opts[] = {
	{ 0, "demangle", NULL, OPT_NOTHING, 0, "the symbol's own name and its readable form are both found" },
	{ 0, "demangle-kernel", NULL, OPT_NOTHING, 0, "names of the kernel stay as they are" },
	{ 0, "no-inlines", NULL, OPT_NOTHING, 0, "inlined copies of a function are not probed" },
	{ 0 },
};

static const struct opt_group probe_groups[] = {
	{ "What", what_opts, 0 },
	{ "Probes that stay", lasting_opts, 0, lasting_rules },
	{ "Who", target_opts, offsetof(struct probe_words, o.target), target_rules },
	{ "Stacks", walk_opts, offsetof(struct probe_words, o.walks) },
	{ "Output", hits_opts, 0, probe_rules },
	{ "Output", view_opts, offsetof(struct probe_words, o.view) },
	{ "Output", output_opts, offsetof(struct probe_words, o.view) },
	{ "Output", budget_opts, offsetof(struct probe_words, o.view) },
	{ "Honesty", honesty_opts, offsetof(struct probe_words, h) },
	{ "Of perf, without effect", nothing_opts, 0 },
	{ 0 },
};

static bool is_summed(const struct probe_options *o)
{
	return (o->view.by && !o->stacks) || o->hist || o->latency;
}

/* Each of them, with its values? */
static bool shows_hits(const struct probe_words *w)
{
	return !w->o.count && !w->o.stacks && !w->vars && !is_summed(&w->o);
}

/* Does it end by itself? */
static bool has_end(const struct probe_words *w)
{
	return w->o.target.argv || w->o.target.pids.n || w->o.target.tids.n || w->o.max_events || w->o.view.duration_ns;
}

static int parse_spec(const struct probe_words *w, const char *text, struct probe_spec *spec, struct err *err)
{
	size_t at = 0;
	int ret;

	if (!probe_begins(text) && text[strcspn(text, "/: ")] == '/') {
		err_exit(err, -EINVAL, EXIT_USAGE, "bad probe '%s': a function's name has no slash", text);
		err_hint(err, "a COMMAND goes after --, a path after u:");
		return -EINVAL;
	}
	if (!probe_begins(text) && !probe_is_tracepoint(text))
		return probe_parse_perf(text, w->path, spec, err);
	ret = probe_parse(text, &at, spec, err);
	if (!ret && text[at])
		return expr_bad(&spec->exprs, "bad probe", at, err, "expected one probe in each argument");
	return ret;
}

/* How long it takes is what its return knows. */
static int make_return(struct probe_spec *spec, struct err *err)
{
	if (spec->is_return)
		return 0;
	if (spec->has_offset || (spec->kind != PROBE_KERNEL && spec->kind != PROBE_USER))
		return err_exit(err, -EINVAL, EXIT_USAGE, "--latency needs a function: '%s' has no return", spec->name);
	spec->is_return = true;
	return 0;
}

/* perf probe adds an event and is done; this waits. */
static void say_traced(const struct probe_words *w)
{
	for (size_t i = 0; i < w->nr_specs && shows_hits(w) && !has_end(w); i++) {
		if (probe_begins(w->specs[i]) || probe_is_tracepoint(w->specs[i]))
			continue;
		log_note("note: '%s' is traced until Ctrl-C; where perf probe adds an event that stays: skep probe%s --add PROBE", w->specs[i],
			 w->path ? " -x PATH" : "");
		return;
	}
}

static int probe_with(struct probe_words *w, struct probe *probes, int *ret_status, struct err *err)
{
	struct probe_filter filter = { 0 };
	struct probe_keys keys = { 0 };
	struct probe_run_cfg cfg = { .o = &w->o, .h = &w->h, .probes = probes, .nr_probes = (int)w->nr_specs,
				     .keys = is_summed(&w->o) ? &keys : NULL };
	struct site_cfg sites = { .pid = w->o.target.pids.n ? w->o.target.pids.data[0] : 0, .extras = keys.extras, .vars = w->vars };
	int ret = cfg.keys ? probe_keys_parse(&w->o, &keys, err) : 0;

	if (!ret && w->filter)
		ret = probe_filter_parse(w->filter, &filter, err);
	sites.nr_extras = keys.nr_extras;
	for (size_t i = 0; i < w->nr_specs && !ret; i++) {
		ret = parse_spec(w, w->specs[i], &probes[i].spec, err);
		probes[i].spec.also = w->filter ? &filter : NULL;
		if (!ret && probes[i].spec.kind == PROBE_TRACEPOINT && shows_hits(w) && !probes[i].spec.has_brackets)
			ret = probe_add_record(&probes[i].spec, err);
		probes[i].spec.lasting_args = probes[i].spec.lasting && shows_hits(w) && !probes[i].spec.has_brackets;
		if (!ret && w->o.latency)
			ret = make_return(&probes[i].spec, err);
		if (!ret)
			ret = sites_find(&probes[i].spec, &sites, &probes[i].sites, err);
	}
	if (!ret)
		say_traced(w);
	if (!ret)
		ret = w->vars ? probe_vars(probes, cfg.nr_probes, err) : probe_run(&cfg, ret_status, err);
	probe_keys_free(&keys);
	probe_filter_free(&filter);
	return ret;
}

/* -F: what skep list shows of k:GLOB, or u:FILE:GLOB. */
static int list_funcs(const struct probe_words *w, struct err *err)
{
	for (size_t i = 0; i < w->nr_specs; i++) {
		const char *glob = w->specs[i];
		size_t size = strlen(glob) + (w->path ? strlen(w->path) : 0) + 8;
		char *text = malloc(size), *operands[] = { text, NULL };
		void *cfg = calloc(1, cmd_list.cfg_size);
		int ret = -ENOMEM;

		if (text && cfg) {
			if (probe_begins(glob))
				snprintf(text, size, "%s", glob);
			else
				snprintf(text, size, w->path ? "u:%2$s:%1$s" : "k:%1$s", glob, w->path);
			ret = cmd_list.run(cfg, operands, err);
		}
		free(text);
		free(cfg);
		if (ret)
			return ret;
	}
	return 0;
}

static int check(struct probe_words *w, struct err *err)
{
	if (!w->nr_specs) {
		err_exit(err, -EINVAL, EXIT_USAGE, "no probe was given");
		err_hint(err, "skep probe 'k:do_sys_openat2(filename)', skep probe u:libc:malloc -p PID; skep list 'k:*' shows functions");
		return -EINVAL;
	}
	if (measure_check_ring(w->o.ring_kb, err))
		return -EINVAL;
	if (w->o.rows_max > 1 << 22)
		return err_exit(err, -ERANGE, EXIT_USAGE, "--max-keys is at most %d", 1 << 22);
	if (w->o.text_bytes > 2048)
		return err_exit(err, -ERANGE, EXIT_USAGE, "--text-size is at most 2048");
	if (w->o.target.cpus.n)
		return err_exit(err, -EINVAL, EXIT_USAGE, "-C works with counters only: use the filter 'if cpu == 0'");
	return target_check(&w->o.target, err);
}

/*
 * perf's "-a PROBE" is --add. Here -a is all CPUs, which is so without a COMMAND anyway: where nothing else says what to do with the hits,
 * and probes are in perf's spelling, perf's is meant. So it is without -a by the name perf.
 */
static void take_perf_add(struct probe_words *w)
{
	bool is_add = (w->o.target.all || program_is_perf()) && !w->o.target.argv && w->nr_specs && shows_hits(w) && !has_end(w) && !w->filter && !w->funcs;

	for (size_t i = 0; i < w->nr_specs; i++)
		is_add &= !probe_begins(w->specs[i]) && !probe_is_tracepoint(w->specs[i]) && !strstr(w->specs[i], " if ");
	if (!is_add)
		return;
	w->add = true;
	w->nr_changes = w->nr_specs;
	memcpy(w->changes, w->specs, sizeof(w->changes));
	w->nr_specs = 0;
}

/* --add, --del, --definition, --list */
static int change(const struct probe_words *w, struct err *err)
{
	struct probe_add_cfg cfg = { w->changes, w->nr_changes, w->path, w->force, w->dry_run, w->definition };

	if (w->nr_specs || w->o.target.argv) {
		err_exit(err, -EINVAL, EXIT_USAGE, "'%s': an operand beside %s", w->nr_specs ? w->specs[0] : w->o.target.argv[0],
			 w->list ? "--list" : w->del ? "--del" : w->add ? "--add" : "--definition");
		err_hint(err, w->list ? "--list=PATTERN" : "each of several has an option of its own; quotes are around a probe with arguments");
		return -EINVAL;
	}
	return w->list ? probe_list(w->listed, err) : w->del ? probe_del(&cfg, err) : probe_add(&cfg, err);
}

static int probe_main(void *cfg, char **operands, struct err *err)
{
	struct probe_words *w = cfg;
	struct probe *probes = calloc(SPECS_MAX, sizeof(*probes));
	int status = 0, ret;

	w->o.target.argv = operands[0] ? operands : NULL;
	take_perf_add(w);
	if (w->nr_changes || w->list) {
		free(probes);
		ret = change(w, err);
		target_free(&w->o.target);
		return ret;
	}
	if (!w->o.target.argv && !w->o.target.pids.n && !w->o.target.tids.n)
		w->o.target.all = true;
	if (w->funcs && !w->nr_specs)
		w->specs[w->nr_specs++] = "*";
	ret = probes ? check(w, err) : -ENOMEM;
	if (!ret && w->funcs)
		ret = list_funcs(w, err);
	else if (!ret)
		ret = probe_with(w, probes, &status, err);
	for (size_t i = 0; probes && i < w->nr_specs; i++) {
		probe_free(&probes[i].spec);
		sites_free(&probes[i].sites);
	}
	free(probes);
	target_free(&w->o.target);
	return ret ? ret : status;
}

#define NO_LINES "is not supported: skep prints no source code"
#define ARGUMENTS "skep probe -V k:FUNCTION shows its arguments"
#define NO_VARIABLES "is not available: only arguments of functions are known"

static const struct opt_other probe_others[] = {
	{ "-L", NO_LINES, ARGUMENTS },
	{ "--line", NO_LINES, ARGUMENTS },
	{ "-s", NO_LINES, "leave it out" },
	{ "--source", NO_LINES, "leave it out" },
	{ "--bootconfig", "is of events that the kernel is to make when it starts", "perf probe --bootconfig -D" },
	{ "--cache", "keeps probes in a cache, and skep stores none", "leave it out" },
	{ "--module", "is not available: a module is a part of the probe", "k:MODULE:FUNCTION" },
	{ "-k", "is not read: types of the kernel are those of its BTF", "leave it out" },
	{ "--vmlinux", "is not read: types of the kernel are those of its BTF", "leave it out" },
	{ "--externs", NO_VARIABLES, ARGUMENTS },
	{ "--range", NO_VARIABLES, ARGUMENTS },
	{ "--max-probes", "is not available: all that match are probed, or none", "skep probe -F 'GLOB' lists them" },
	{ "--symfs", "is not available: a path is a part of the probe", "u:/path/of/the/program:FUNCTION" },
	{ "--target-ns", "is not available: with -p paths are those that the process sees", "-p PID 'u:PATH:FUNCTION'" },
	{ 0 }
};

const struct cmd cmd_probe = {
	.name = "probe",
	.summary = "trace any function of the kernel or a program, with its arguments",
	.operands = "PROBE... [-- COMMAND [ARG...]]",
	.groups = probe_groups,
	.cfg_size = sizeof(struct probe_words),
	.examples = "skep probe 'k:do_sys_openat2(filename)'                  each call, with the file it opens\n"
		    "skep probe 'tcp_sendmsg size' --filter 'size > 1048576'    the same as in perf probe\n"
		    "skep probe 'kr:vfs_read(count, ret, latency) if ret < 0' -p 1234\n"
		    "skep probe --count 'k:tcp_*' --duration 5               how often each function is called\n"
		    "skep probe 'u:libc:malloc(arg0)' -- ls                     a function of a library\n"
		    "skep probe --latency 'k:vfs_*' --top 5 --duration 5        how long each of them takes\n"
		    "skep probe 'k:tcp_sendmsg' --by comm --hist size -a -- sleep 5\n"
		    "skep probe 't:sched:sched_switch(prev_comm, next_comm)' -n 10\n"
		    "skep probe t:irq:softirq_entry -n 10                       all fields, in the kernel's own format\n",
	.run = probe_main,
	.others = probe_others,
};
