/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/progress.h"
#include "event/columns.h"
#include "render/rows/rowlines.h"
#include "ui/terminal.h"
#include "util/num.h"
#include "util/text.h"

#define INTERVAL_MIN_MS 10
#define INTERVAL_MAX_MS 86400000
#define NAMES_BYTES 256
#define FRAME_LINES 4 /* beside the rows: time, head, "more rows", the cursor's */

const struct opt view_opts[] = {
	{ 0, "top", "N", OPT_U64, offsetof(struct view_options, top), "only the first N rows" },
	{ 'I', "interval-print", "MS", OPT_U64, offsetof(struct view_options, interval_ms), "a table every MS milliseconds" },
	{ 0 },
};

const struct opt format_opts[] = {
	{ 0, "format", "FORMAT", OPT_TEXT, offsetof(struct view_options, format), "text, csv or json (an object per line)",
	  .values = ROWS_FORMATS },
	{ 0, "fields", "COLUMN,...", OPT_TEXT, offsetof(struct view_options, fields), "show these columns, in this order" },
	{ 0, "filter", "EXPR", OPT_TEXT, offsetof(struct view_options, filter), "show the rows for which EXPR is true: 'COLUMN > 10ms && comm == \"x\"'" },
	{ 0 },
};

const struct opt output_opts[] = {
	{ 0, "duration", "TIME", OPT_DURATION, offsetof(struct view_options, duration_ns), "stop after TIME (10, 500ms, 2m), and stop COMMAND" },
	{ 'o', "output", "FILE", OPT_TEXT, offsetof(struct view_options, out), "write to FILE instead of standard output" },
	{ 0 },
};

int run_budget(const char *text, double *ret_part, struct err *err)
{
	size_t n = strlen(text);
	char number[16];

	n -= n && text[n - 1] == '%';
	snprintf(number, sizeof(number), "%.*s", (int)(n < sizeof(number) ? n : 0), text);
	if (num_double(number, 100, ret_part) || *ret_part <= 0)
		return err_exit(err, -EINVAL, EXIT_USAGE, "bad value '%s' of '--budget': expected a part of all CPUs' time, such as 1%%", text);
	*ret_part /= 100;
	return 0;
}

static int set_budget(void *base, const char *text, struct err *err)
{
	return run_budget(text, &((struct view_options *)base)->budget, err);
}

const struct opt budget_opts[] = {
	{ 0, "budget", "PERCENT", OPT_CALL, 0, "leave out, and count as lost, what would take more than this of all CPUs' time, such as 1%", set_budget },
	{ 0 },
};

static int take(struct sink *sink, const struct row *row)
{
	return table_add(&((struct run *)sink)->table, row);
}

static size_t value_text(const void *arg, const struct row *row, size_t column, char *buf, size_t size)
{
	return rows_cell(buf, size, row, column, arg, true);
}

static bool is_shown(struct run *run, const struct row *row)
{
	bool is = !run->cfg->filter || rowfilter_holds(&run->filter, row, run->view.round_ns / 1e9);

	run->nr_rows += is;
	run->nr_left_out += !is;
	return is;
}

static int print_row(struct sink *sink, const struct row *row)
{
	struct run *run = (struct run *)sink;

	if (!is_shown(run, row))
		return 0;
	stat_out_fresh(&run->out);
	errno = 0;
	run->format->row(run->out.stream, row, &run->view);
	return !ferror(run->out.stream) ? 0 : errno ? -errno : -EIO; /* EPIPE: the reader had enough */
}

static int flush(struct sink *sink)
{
	return fflush(((struct run *)sink)->out.stream) ? -errno : 0;
}

/* What may be a terminal; -1: a file. The stream of standard output has no descriptor (outfile_take_stdout). */
static int output_fd(const struct run_cfg *cfg)
{
	return !cfg->out ? STDERR_FILENO : !strcmp(cfg->out, "-") ? STDOUT_FILENO : -1;
}

static int draw(struct run *run)
{
	int rows = terminal_rows(output_fd(run->cfg)), ret;
	uint64_t room = rows > FRAME_LINES ? rows - FRAME_LINES : 1;
	struct rows_view view = run->view;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return -ENOMEM;
	if (!view.top || view.top > room)
		view.top = room;
	ret = rows_render(f, run->format, &run->table, &view);
	if (fclose(f))
		ret = -ENOMEM;
	if (!ret)
		terminal_draw(run->out.stream, text, run->view.columns);
	free(text);
	return ret;
}

/* The table of what was added since the last one. */
static int print_round(struct sink *sink, uint64_t since_start_ns)
{
	struct run *run = (struct run *)sink;
	int ret = table_round(&run->table, run->cfg->sort);
	size_t n = 0;

	if (ret)
		return ret;
	stat_out_fresh(&run->out);
	run->view.round_ns = since_start_ns - run->round_ns;
	run->round_ns = since_start_ns;
	run->view.since_start_ns = run->cfg->interval_ns ? since_start_ns : 0;
	run->view.columns = terminal_columns(output_fd(run->cfg)); /* it may have been made wider */
	for (size_t i = 0; i < run->table.sorted.n; i++)
		if (is_shown(run, &run->table.sorted.data[i]))
			run->table.sorted.data[n++] = run->table.sorted.data[i];
	run->table.sorted.n = n;
	ret = run->is_drawn ? draw(run) : rows_render(run->out.stream, run->format, &run->table, &run->view);
	run->view.no_head = true;
	return fflush(run->out.stream) ? -errno : ret;
}

int run_interval(uint64_t ms, uint64_t *ret_ns, struct err *err)
{
	if (ms && (ms < INTERVAL_MIN_MS || ms > INTERVAL_MAX_MS))
		return err_exit(err, -ERANGE, EXIT_USAGE, "bad interval %llu: %d to %d ms", (unsigned long long)ms, INTERVAL_MIN_MS, INTERVAL_MAX_MS);
	*ret_ns = ms * 1000000;
	return 0;
}

int run_view(const struct view_options *o, const struct schema *schema, const char *by, struct run_cfg *ret_cfg, struct err *err)
{
	struct run_cfg cfg = { .schema = schema, .format = o->format, .fields = o->fields, .filter = o->filter,
			       .out = o->out ? o->out : "-", .top = o->top, .duration_ns = o->duration_ns };
	int ret = columns_by(o->by ? o->by : by, schema, NULL, &cfg.keys, err);

	if (!ret)
		ret = columns_sort(o->sort, schema, &cfg.sort, err);
	if (!ret)
		ret = run_interval(o->interval_ms, &cfg.interval_ns, err);
	if (!ret)
		*ret_cfg = cfg;
	return ret;
}

/* Which columns --fields and --filter may name: those that any format shows or that rows are sorted by, of keys those of the rows. */
static uint64_t usable(const struct run_cfg *cfg, bool is_csv)
{
	uint64_t columns = 0;

	for (size_t i = 0; i < cfg->schema->n; i++) {
		const struct column *c = &cfg->schema->columns[i];
		bool is_list = c->kind == VALUE_HIST || c->kind == VALUE_REASONS; /* no field of CSV */

		if ((c->in || c->sort) && c->kind != VALUE_GROUP && (c->role != ROLE_KEY || cfg->keys >> i & 1) && !(is_csv && is_list))
			columns |= 1ull << i;
	}
	return columns;
}

static int choose(struct run *run, struct err *err)
{
	const struct run_cfg *cfg = run->cfg;
	uint8_t fields[ROW_COLUMNS_MAX];
	size_t n = 0;
	int ret = 0;

	if (cfg->fields)
		ret = columns_fields(cfg->fields, cfg->schema, usable(cfg, run->format->in == IN_CSV), fields, &n, err);
	if (!ret && cfg->filter)
		ret = rowfilter_parse(&run->filter, cfg->filter, cfg->schema, usable(cfg, false), err);
	if (!ret)
		rows_choose(&run->view, run->format, cfg->schema, fields, n);
	run->filter.text = value_text;
	run->filter.arg = &run->view;
	return ret;
}

int run_open(struct run *run, const struct run_cfg *cfg, struct err *err)
{
	int ret = 0;

	run->cfg = cfg;
	run->profile.title = command_line();
	run->format = rows_format(cfg->format ? cfg->format : "text");
	run->view = (struct rows_view){ .keys = cfg->keys, .top = cfg->top, .separator = cfg->separator ? cfg->separator : ",",
					.sort = cfg->sort, .left_out = &run->narrow, .draws = cfg->draws, .hide = cfg->hide, .cgroup_path = target_cgroup_path };
	if (cfg->text && !cfg->fields && run->format == rows_format("text"))
		run->format = cfg->text;
	if (!run->sink.row)
		run->sink.row = cfg->is_stream ? print_row : take;
	if (!run->sink.round && (cfg->is_stream || !cfg->schema))
		run->sink.round = flush;
	if (!run->sink.interval)
		run->sink.interval = print_round;
	if (cfg->schema)
		ret = choose(run, err);
	if (!ret && cfg->schema)
		ret = table_init(&run->table, cfg->schema, cfg->keys);
	if (!ret)
		ret = stat_out_open(&run->out, cfg->out, cfg->append, cfg->is_live || cfg->is_stream || cfg->interval_ns, err);
	if (!ret)
		run->is_drawn = cfg->interval_ns && !cfg->draws && run->format == rows_format("text") && terminal_is_drawn(output_fd(cfg));
	return ret;
}

void run_note_narrow(struct run *run, const struct schema *schema, uint64_t left_out)
{
	char names[NAMES_BYTES] = "";
	size_t n = 0;

	for (size_t i = 0; i < schema->n; i++)
		if (left_out >> i & 1)
			n = text_append(names, sizeof(names), n, "%s%s", n ? "," : "", schema->columns[i].name);
	if (n)
		profile_note(&run->profile, "the terminal is too narrow for %s%s", names, run->view.has_fields ? "" : "; --fields chooses columns");
}

static int finish(struct run *run, uint64_t duration_ns)
{
	int ret = run->cfg->is_stream || !run->cfg->schema ? 0 : print_round(&run->sink, duration_ns);

	if (ret && ferror(run->out.stream)) {
		run->out.failed = ret; /* the close reports it, with the file's name */
		ret = 0;
	}
	if (run->nr_left_out)
		profile_note(&run->profile, "%zu row%s not shown: --filter", run->nr_left_out, run->nr_left_out == 1 ? " is" : "s are");
	else if (!run->nr_rows && run->cfg->nothing)
		profile_note(&run->profile, "%s", run->cfg->nothing);
	if (run->narrow)
		run_note_narrow(run, run->cfg->schema, run->narrow);
	if (!ret && run->format->end)
		run->format->end(run->out.stream, &run->profile);
	return ret;
}

int run_sink(struct sink *sink, const struct session_cfg *cfg, const struct run_hooks *hooks, void *arg, struct profile *profile,
	     int *ret_status, struct err *err)
{
	struct session *session = NULL;
	struct session_cfg with_progress;
	struct progress progress;
	int ret;

	progress_begin(&progress, cfg, &with_progress);
	ret = session_open(&with_progress, &session, err);

	if (!ret && hooks && hooks->at_start)
		ret = hooks->at_start(arg, err);
	if (!ret)
		ret = session_run(session, sink, err);
	progress_end(&progress);
	if (!ret) {
		*ret_status = session_status(session);
		session_profile(session, profile);
		ret = hooks && hooks->at_end ? hooks->at_end(arg, session) : 0;
	}
	session_close(session);
	return ret;
}

static void print_head(struct run *run)
{
	if (!run->cfg->is_stream)
		return;
	run->view.columns = terminal_columns(output_fd(run->cfg));
	if (run->view.columns && run->format == rows_format("text"))
		row_lines_fit_stream(&run->view, run->cfg->schema);
	stat_out_fresh(&run->out);
	run->format->head(run->out.stream, run->cfg->schema, &run->view);
}

static int at_start(void *arg, struct err *err)
{
	struct run *run = arg;
	int ret = run->hooks && run->hooks->at_start ? run->hooks->at_start(run, err) : 0;

	if (!ret)
		print_head(run);
	return ret;
}

static int at_end(void *arg, const struct session *session)
{
	struct run *run = arg;
	int ret = run->hooks && run->hooks->at_end ? run->hooks->at_end(run, session) : 0;

	return ret ? ret : finish(run, session_duration_ns(session));
}

int run_session(struct run *run, struct session_cfg *cfg, const struct run_hooks *hooks, int *ret_status, struct err *err)
{
	static const struct run_hooks own = { at_start, at_end };

	run->hooks = hooks;
	cfg->duration_ns = run->cfg->duration_ns;
	cfg->interval_ns = run->cfg->interval_ns;
	cfg->output = run->cfg->out;
	cfg->budget = run->cfg->budget;
	cfg->has_progress = (!run->cfg->is_stream && !run->cfg->interval_ns) || !isatty(output_fd(run->cfg));
	return run_sink(&run->sink, cfg, &own, run, &run->profile, ret_status, err);
}

int run_file(struct run *run, int (*read)(void *arg, struct run *run, struct err *err), void *arg, struct err *err)
{
	int ret;

	print_head(run);
	ret = read(arg, run, err);
	return ret ? ret : finish(run, run->profile.duration_ns);
}

int run_close(struct run *run, int ret, struct err *err)
{
	ret = stat_out_close(&run->out, ret, err);
	table_free(&run->table);
	rowfilter_free(&run->filter);
	return ret;
}

int run_end(const struct run *run, const struct honesty *h, int status, struct err *err)
{
	honesty_print(h, &run->profile);
	return honesty_exit(h, &run->profile, status, err);
}
