/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep report: a perf.data file as a table. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/measure.h"
#include "cmd/nothing.h"
#include "cmd/replay.h"
#include "render/rows/report.h"
#include "render/rows/rows.h"
#include "ui/terminal.h"
#include "util/num.h"
#include "util/outfile.h"

struct report_options {
	struct honesty h;
	const char *input, *out, *sort, *format;
	bool no_children, counts, callers, inlines, json, stdio;
	double percent_limit;
	uint64_t top;
	const char *event_index;
};

static int set_limit(void *base, const char *text, struct err *err)
{
	int ret = num_double(text, 100, &((struct report_options *)base)->percent_limit);

	return ret ? err_exit(err, ret, EXIT_USAGE, "bad value '%s' of '--percent-limit': expected 0 to 100", text) : 0;
}

static const struct opt report_opts[] = {
	{ 'i', "input", "FILE", OPT_TEXT, offsetof(struct report_options, input), "file to read (default: perf.data)" },
	{ 'o', "output", "FILE", OPT_TEXT, offsetof(struct report_options, out), "where to write (default: standard output)" },
	{ 's', "sort", "KEY,...", OPT_TEXT, offsetof(struct report_options, sort), "comm, pid, tid, cpu, dso, sym, event (default: comm,dso,sym)" },
	{ 'g', "call-graph", NULL, OPT_FLAG, offsetof(struct report_options, callers), "show the callers of each row" },
	{ 'n', "show-nr-samples", NULL, OPT_FLAG, offsetof(struct report_options, counts), "a column for the number of samples" },
	{ 0, "no-children", NULL, OPT_FLAG, offsetof(struct report_options, no_children), "sort by self, without the column that includes callees" },
	{ 0, "percent-limit", "PCT", OPT_CALL, 0, "leave out rows below PCT percent", set_limit },
	{ 0, "top", "N", OPT_U64, offsetof(struct report_options, top), "only the first N rows" },
	{ 0, "event-index", "N", OPT_TEXT, offsetof(struct report_options, event_index),
	  "only this event of the file, counted from 0 (default: a table for each)" },
	{ 0, "inline", NULL, OPT_FLAG, offsetof(struct report_options, inlines), "show inlined functions in rows of their own (slower)" },
	{ 0, "format", "FORMAT", OPT_TEXT, offsetof(struct report_options, format), "text (default), csv or json", .values = ROWS_FORMATS },
	{ 0, "json", NULL, OPT_FLAG, offsetof(struct report_options, json), "the same as --format json" },
	{ 0, "stdio", NULL, OPT_FLAG, offsetof(struct report_options, stdio), "accepted for perf's users: text is the default" },
	{ 0 },
};

static const struct opt_rule report_rules[] = {
	{ "json", .not_with = "format" },
	{ 0 },
};

static const struct opt_group report_groups[] = {
	{ "Report", report_opts, 0, report_rules },
	{ "Honesty", honesty_opts, offsetof(struct report_options, h) },
	{ 0 },
};

static const char *format_of(const struct report_options *r)
{
	return r->json ? "json" : r->format ? r->format : "text";
}

static int render(const struct report_options *r, struct replay *replay, const char *const *names, FILE *out, struct err *err)
{
	struct report_cfg cfg = { .event_names = names, .rows_max = r->top, .percent_limit = r->percent_limit,
				 .children = !r->no_children, .callers = r->callers, .counts = r->counts,
				 .columns = out == stdout ? terminal_columns(STDOUT_FILENO) : 0 };
	const char *format = format_of(r);
	struct report_view *views = calloc(replay->views.n, sizeof(*views));
	int ret = views ? 0 : -ENOMEM;

	for (size_t i = 0; i < replay->views.n && !ret; i++) {
		struct replay_view *v = replay->views.data[i];

		report_sort(&v->table, !r->no_children);
		views[i] = (struct report_view){ &v->table, &v->profile };
	}
	if (!ret && !strcmp(format, "json"))
		ret = render_reports_json(out, views, replay->views.n, &cfg);
	for (size_t i = 0; i < replay->views.n && !ret && strcmp(format, "json") != 0; i++) {
		cfg.is_next = i;
		cfg.with_event = replay->views.n > 1 && !views[i].table->with[KEY_EVENT];
		ret = (strcmp(format, "csv") ? render_report_text : render_report_csv)(out, views[i].table, views[i].profile, &cfg);
	}
	free(views);
	return ret && !ferror(out) ? err_set(err, ret, "cannot print the table: %s", strerror(-ret)) : 0;
}

/* The names of the file's events, borrowed from the reader; the caller frees the array. NULL: no memory. */
static const char **event_names(const struct data_reader *reader)
{
	const struct data_meta *meta = data_reader_meta(reader);
	const char **names = calloc(meta->nr_events, sizeof(*names));

	for (int i = 0; names && i < meta->nr_events; i++)
		names[i] = meta->events[i].name;
	return names;
}

static int report_into(const struct report_options *r, struct replay *replay, struct outfile *out, struct err *err)
{
	struct syms_cfg cfg = { .inlines = r->inlines, .lines = r->inlines };
	const char **names = NULL;
	int64_t bytes;
	int ret = replay_run(replay, &cfg, err);

	if (!ret && !replay->views.data[0]->at.folded)
		ret = nothing_sampled(&replay->views.data[0]->profile, r->input, 0, err);
	if (!ret && !(names = event_names(replay->file.reader)))
		ret = err_set(err, -ENOMEM, "out of memory");
	if (!ret)
		ret = render(r, replay, names, out->stream, err);
	if (!ret) {
		bytes = outfile_commit(out, err);
		ret = bytes < 0 ? (int)bytes : 0;
		replay->total.receipt.bytes_out = bytes < 0 ? 0 : bytes;
	}
	if (!ret)
		honesty_print(&r->h, &replay->total);
	free(names);
	return ret;
}

/* Every error of the command line is reported before anything is written. */
static int check(struct report_options *r, char **operands, struct replay *replay, struct err *err)
{
	struct report table;
	int ret;

	if (operands[0])
		return err_exit(err, -EINVAL, EXIT_USAGE, "unexpected '%s': use -i FILE to name a file", operands[0]);
	ret = report_init(&table, replay->sort, replay->callers, err);
	if (ret)
		return ret;
	report_free(&table);
	if (r->out && same_file(r->input, r->out))
		return err_exit(err, -EINVAL, EXIT_USAGE, "-o '%s' would overwrite the file that -i reads", r->out);
	return r->event_index ? replay_event_index(r->event_index, &replay->event, err) : 0;
}

static int report_run(void *cfg, char **operands, struct err *err)
{
	struct report_options *r = cfg;
	struct replay replay = { .event = REPLAY_EACH, .callers = r->callers };
	struct outfile out;
	int ret;

	r->input = r->input ? r->input : "perf.data";
	replay.path = r->input;
	replay.sort = r->sort ? r->sort : "comm,dso,sym";
	ret = check(r, operands, &replay, err);
	if (!ret)
		ret = outfile_open(&out, r->out ? r->out : "-", err);
	if (ret)
		return ret;
	replay.pic = picture_new(NULL);
	if (replay.pic) /* the other formats have totals in any case */
		replay.pic->names.leaf_only = r->no_children && !r->callers && !strcmp(format_of(r), "text");
	ret = replay.pic ? report_into(r, &replay, &out, err) : err_set(err, -ENOMEM, "out of memory");
	replay_close(&replay);
	picture_free(replay.pic);
	outfile_abort(&out);
	return ret ? ret : honesty_exit(&r->h, &replay.total, 0, err);
}

const struct cmd cmd_report = {
	.name = "report",
	.summary = "print a recorded file as a table",
	.operands = "",
	.groups = report_groups,
	.cfg_size = sizeof(struct report_options),
	.examples = "skep report                                 perf.data, by command, object and symbol\n"
		    "skep report --no-children -s dso,sym --top 20\n"
		    "skep report -g --percent-limit 1            with the callers of each row\n"
		    "skep report --json | jq '.rows[0]'\n",
	.run = report_run,
};
