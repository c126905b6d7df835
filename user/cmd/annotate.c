/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep annotate: the instructions of functions, with what a perf.data file has sampled on each. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/annotate.h"
#include "cmd/annotation.h"
#include "cmd/cmd.h"
#include "cmd/measure.h"
#include "cmd/nothing.h"
#include "cmd/replay.h"
#include "cmd/symbols.h"
#include "ui/terminal.h"
#include "util/num.h"
#include "util/outfile.h"

struct annotate_options {
	struct symbol_options symbols;
	struct honesty h;
	struct annotation a;
	struct pick_options pick;
	const char *input, *out, *format, *event_index, *syntax, *percent_type, *colour;
	bool json, no_source, source, no_raw, arrows, no_arrows;
};

static int set_limit(void *base, const char *text, struct err *err)
{
	int ret = num_double(text, 100, &((struct annotate_options *)base)->a.percent_limit);

	return ret ? err_exit(err, ret, EXIT_USAGE, "bad value '%s' of '--percent-limit': expected 0 to 100", text) : 0;
}

static int set_function(void *base, const char *text, struct err *err)
{
	struct annotate_options *o = base;

	if (o->a.function)
		return err_exit(err, -EINVAL, EXIT_USAGE, "unexpected '%s': the function is '%s'", text, o->a.function);
	o->a.function = text;
	return 0;
}

#define AT(field) offsetof(struct annotate_options, field)

static const struct opt annotate_opts[] = {
	{ 'i', "input", "FILE", OPT_TEXT, AT(input), "file to read (default: perf.data)" },
	{ 'o', "output", "FILE", OPT_TEXT, AT(out), "where to write (default: standard output)" },
	{ 0, "format", "FORMAT", OPT_TEXT, AT(format), "text (default), json or html", .values = ANNOTATE_FORMATS },
	{ 0, "json", NULL, OPT_FLAG, AT(json), "the same as --format json" },
	{ 0, "summary", NULL, OPT_FLAG, AT(a.look.summary), "only the hottest source lines of each function (instructions where lines are not known)" },
	{ 0, "top", "N", OPT_U64, AT(a.funcs_max), "only the N functions with most samples" },
	{ 0, "lines", "N", OPT_U64, AT(a.look.lines_max), "only the N hottest lines of a summary" },
	{ 0, "event-index", "N", OPT_TEXT, AT(event_index), "only this event of the file, counted from 0 (default: each of them)" },
	{ 0, "stdio-color", "WHEN", OPT_TEXT, AT(colour), "colours in text: always, never or auto (default: on terminals)", .values = "always|never|auto" },
	{ 0 },
};

static const struct opt choose_opts[] = {
	{ 's', "symbol", "FUNCTION", OPT_CALL, 0, "only this function: the same as the operand FUNCTION", set_function },
	{ OPT_OPERAND, NULL, NULL, OPT_CALL, 0, NULL, set_function, true },
	{ 'd', "dsos", "NAME,...", OPT_TEXT, AT(pick.dsos), "only functions of these objects" },
	{ 'C', "cpu", "LIST", OPT_TEXT, AT(pick.cpus), "only samples of these CPUs, as 0-3,8" },
	{ 0, "percent-limit", "PCT", OPT_CALL, 0, "leave out functions below PCT percent of the samples", set_limit },
	{ 0, "skip-missing", NULL, OPT_FLAG, AT(a.skip_missing), "do not report functions that cannot be shown" },
	{ 0 },
};

static const struct opt look_opts[] = {
	{ 'M', "disassembler-style", "STYLE", OPT_TEXT, AT(syntax), "syntax of x86: att (default) or intel", .values = "att|intel" },
	{ 0, "asm-raw", NULL, OPT_FLAG, AT(a.look.raw), "show the bytes of the instructions" },
	{ 0, "no-asm-raw", NULL, OPT_FLAG, AT(no_raw), "do not (default)" },
	{ 'S', "source", NULL, OPT_FLAG, AT(source), "show source lines between the instructions (default)" },
	{ 0, "no-source", NULL, OPT_FLAG, AT(no_source), "do not" },
	{ 'l', "print-line", NULL, OPT_FLAG, AT(a.look.print_line), "show file and number of the lines, and first the hottest of them" },
	{ 'P', "full-paths", NULL, OPT_FLAG, AT(a.look.full_paths), "do not shorten paths" },
	{ 'n', "show-nr-samples", NULL, OPT_FLAG, AT(a.look.counts), "numbers of samples instead of percent" },
	{ 0, "show-total-period", NULL, OPT_FLAG, AT(a.look.periods), "sums of the periods instead of percent" },
	{ 0, "percent-type", "TYPE", OPT_TEXT, AT(percent_type), "percent of the function or of all, of periods or of samples (default: local-period)",
	  .values = "local-period|global-period|local-hits|global-hits" },
	{ 0, "jumps", NULL, OPT_FLAG, AT(arrows), "draw arrows from jumps to their targets (default: on terminals)" },
	{ 0, "no-jumps", NULL, OPT_FLAG, AT(no_arrows), "do not" },
	{ 0, "no-demangle", NULL, OPT_FLAG, AT(symbols.no_demangle), "show names as they are in the file" },
	{ 0 },
};

static const struct opt files_opts[] = {
	{ 'k', "vmlinux", "FILE", OPT_TEXT, AT(a.code.vmlinux), "image of the recorded kernel (default: by its version, else /proc/kcore)" },
	{ 0, "ignore-vmlinux", NULL, OPT_FLAG, AT(a.code.no_vmlinux), "use no image of the kernel" },
	{ 0, "symfs", "DIR", OPT_TEXT, AT(symbols.symfs), "look for the recorded files below this directory" },
	{ 0, "prefix", "DIR", OPT_TEXT, AT(a.sources.prefix), "put DIR before the paths of source files" },
	{ 0, "prefix-strip", "N", OPT_U64, AT(a.sources.strip), "with --prefix: drop the first N names of those paths" },
	{ 0 },
};

static const struct opt nothing_opts[] = {
	{ 0, "stdio", NULL, OPT_NOTHING, 0, "text is the default" },
	{ 0, "stdio2", NULL, OPT_NOTHING, 0, "text is the default" },
	{ 0, "demangle", NULL, OPT_NOTHING, 0, "the default" },
	{ 0, "demangle-kernel", NULL, OPT_NOTHING, 0, "names of the kernel stay as they are" },
	{ 'm', "modules", NULL, OPT_NOTHING, 0, "modules of the running kernel have names in any case" },
	{ 0, "objdump", "PATH", OPT_NOTHING, 0, "skep needs no objdump" },
	{ 'f', "force", NULL, OPT_NOTHING, 0, "who owns the file does not matter" },
	{ 0 },
};

static const struct opt_rule annotate_rules[] = {
	{ "json", .not_with = "format" },
	{ "show-nr-samples", .not_with = "show-total-period" },
	{ "source", .not_with = "no-source" },
	{ "asm-raw", .not_with = "no-asm-raw" },
	{ "jumps", .not_with = "no-jumps" },
	{ "demangle", .not_with = "no-demangle" },
	{ "vmlinux", .not_with = "ignore-vmlinux" },
	{ "prefix-strip", .needs = "prefix" },
	{ 0 },
};

static const struct opt_group annotate_groups[] = {
	{ "Annotate", annotate_opts, 0, annotate_rules },
	{ "Which functions", choose_opts, 0 },
	{ "How they are shown", look_opts, 0 },
	{ "Files", files_opts, 0 },
	{ "Honesty", honesty_opts, offsetof(struct annotate_options, h) },
	{ "Of perf, without effect", nothing_opts, 0 },
	{ 0 },
};

#define NO_SCREEN "is not supported: there is no interactive view"

static const struct opt_other annotate_others[] = {
	{ "--tui", NO_SCREEN, "--format html -o FILE.html is a page for a browser; text is the default" },
	{ "--gtk", NO_SCREEN, "--format html -o FILE.html is a page for a browser; text is the default" },
	{ "--group", "is not supported: each event has listings of its own", "--event-index N chooses one" },
	{ "--itrace", "is not supported: skep does not decode traces of instructions", "perf inject --itrace makes samples of them" },
	{ "--no-itrace", "is not needed: skep does not decode traces of instructions", "leave it out" },
	{ "-D", "is not supported: records are not dumped", "skep script -D" },
	{ "--dump-raw-trace", "is not supported: records are not dumped", "perf annotate -D" },
	{ 0 }
};

static void set_look(struct annotate_options *o)
{
	struct annotate_look *look = &o->a.look;
	bool to_terminal = !o->out && terminal_columns(STDOUT_FILENO);
	const char *type = o->percent_type ? o->percent_type : "local-period";

	look->source = !o->no_source;
	o->a.code.no_lines = o->no_source && !look->print_line && !look->summary;
	look->global = !strncmp(type, "global", strlen("global"));
	look->by_count = strstr(type, "hits");
	look->arrows = o->arrows || (to_terminal && !o->no_arrows);
	look->colours = o->colour && strcmp(o->colour, "auto") != 0 ? !strcmp(o->colour, "always") : to_terminal && terminal_has_colours(STDOUT_FILENO);
	o->a.intel = o->syntax && !strcmp(o->syntax, "intel");
}

static int print(struct annotate_options *o, struct replay *replay, FILE *out, struct err *err)
{
	const struct data_meta *meta = data_reader_meta(replay->file.reader);
	struct annotation_series *series = calloc(replay->views.n, sizeof(*series));
	int ret;

	if (!series)
		return err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < replay->views.n; i++) {
		const struct replay_view *v = replay->views.data[i];

		series[i] = (struct annotation_series){ .at = &v->at, .event = v->name };
		annotation_note_skid(&meta->events[v->event], v->name, &replay->total);
	}
	replay->total.losses[LOSS_UNNAMED] = annotation_unnamed(&o->a);
	replay->total.event = replay->views.data[0]->profile.event;
	replay->total.unit = replay->views.data[0]->profile.unit;
	replay->total.weight = replay->views.data[0]->profile.weight;
	ret = annotation_print(&o->a, annotate_format(o->json ? "json" : o->format ? o->format : "text"), series, replay->views.n,
			       &replay->total, out, err);
	free(series);
	return ret;
}

static int none_left(const struct annotate_options *o, const struct replay *replay, struct err *err)
{
	uint64_t out = pick_out_all(replay->pick);

	return out ? nothing_chosen(out, o->input, err) : nothing_sampled(&replay->views.data[0]->profile, o->input, 0, err);
}

static int read_and_print(struct annotate_options *o, struct replay *replay, FILE *out, struct err *err)
{
	struct syms_cfg cfg = { .code = true, .servers = SERVERS_WAIT };
	int ret = annotation_begin(&o->a, replay->pic, err);

	if (!ret)
		ret = symbol_options_apply(&o->symbols, &cfg, err);
	if (!ret)
		ret = replay_run(replay, &cfg, err);
	if (!ret && !replay->views.data[0]->at.folded)
		ret = none_left(o, replay, err);
	return ret ? ret : print(o, replay, out, err);
}

int annotate_function(const char *input, const char *function, const struct symbol_options *symbols, FILE *out, struct err *err)
{
	struct annotate_options o = { .input = input, .symbols = *symbols, .a = { .function = function, .look.source = true } };
	struct replay replay = { .event = REPLAY_EACH, .leaves = true, .path = input, .pic = picture_new(NULL) };
	int ret;

	if (!replay.pic)
		return err_set(err, -ENOMEM, "out of memory");
	replay.pic->names.leaf_only = true;
	ret = read_and_print(&o, &replay, out, err);
	replay_close(&replay);
	annotation_free(&o.a);
	picture_free(replay.pic);
	return ret;
}

static int annotate_into(struct annotate_options *o, struct replay *replay, struct outfile *out, struct err *err)
{
	int64_t bytes;
	int ret = read_and_print(o, replay, out->stream, err);

	if (!ret) {
		bytes = outfile_commit(out, err);
		ret = bytes < 0 ? (int)bytes : 0;
		replay->total.receipt.bytes_out = bytes < 0 ? 0 : bytes;
	}
	if (!ret)
		honesty_print(&o->h, &replay->total);
	return ret;
}

static int check(struct annotate_options *o, char **operands, struct replay *replay, struct err *err)
{
	int ret = 0;

	for (; *operands && !ret; operands++)
		ret = set_function(o, *operands, err);
	if (ret)
		return ret;
	if (o->out && same_file(o->input, o->out))
		return err_exit(err, -EINVAL, EXIT_USAGE, "-o '%s' would overwrite the file that -i reads", o->out);
	if (o->event_index)
		ret = replay_event_index(o->event_index, &replay->event, err);
	return ret ? ret : pick_new(&o->pick, &replay->pick, err);
}

static int annotate_run(void *cfg, char **operands, struct err *err)
{
	struct annotate_options *o = cfg;
	struct replay replay = { .event = REPLAY_EACH, .leaves = true };
	struct outfile out;
	int ret;

	o->input = replay.path = o->input ? o->input : "perf.data";
	ret = check(o, operands, &replay, err);
	set_look(o);
	if (!ret)
		ret = outfile_open(&out, o->out ? o->out : "-", err);
	if (ret) {
		pick_free(replay.pick);
		return ret;
	}
	replay.pic = picture_new(NULL);
	if (replay.pic)
		replay.pic->names.leaf_only = true;
	ret = replay.pic ? annotate_into(o, &replay, &out, err) : err_set(err, -ENOMEM, "out of memory");
	replay_close(&replay);
	annotation_free(&o->a);
	picture_free(replay.pic);
	pick_free(replay.pick);
	outfile_abort(&out);
	return ret ? ret : honesty_exit(&o->h, &replay.total, 0, err);
}

const struct cmd cmd_annotate = {
	.name = "annotate",
	.summary = "print a function's instructions and source lines with the share of samples on each",
	.operands = "[FUNCTION]",
	.groups = annotate_groups,
	.cfg_size = sizeof(struct annotate_options),
	.examples = "skep annotate --top 3                      perf.data: the three hottest functions\n"
		    "skep annotate hot                          one function\n"
		    "skep annotate --summary --lines 5 --top 3  the hottest lines of each\n"
		    "skep annotate -M intel --asm-raw --no-source hot\n"
		    "skep annotate --format html -o hot.html hot\n"
		    "skep annotate --json hot | jq '.functions[0].lines[0]'\n",
	.run = annotate_run,
	.others = annotate_others,
};
