/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/columns.h"
#include "ui/terminal.h"
#include "util/interrupt.h"

#define INTERVAL_MIN_MS 10
#define INTERVAL_MAX_MS 86400000
#define FRAME_LINES 4 /* beside the rows: time, head, "rows more", the cursor's */

const struct opt view_opts[] = {
	{ 0, "top", "N", OPT_U64, offsetof(struct view_options, top), "only the N first rows", NULL, false, NULL },
	{ 0, "duration", "TIME", OPT_DURATION, offsetof(struct view_options, duration_ns), "stop after TIME (10, 500ms, 2m); COMMAND is ended",
	  NULL, false, NULL },
	{ 'I', "interval-print", "MS", OPT_U64, offsetof(struct view_options, interval_ms), "a table every MS milliseconds", NULL, false, NULL },
	{ 0, "format", "FORMAT", OPT_TEXT, offsetof(struct view_options, format), "text, csv or json (an object a line)", NULL, false,
	  "text|csv|json" },
	{ 'o', "output", "FILE", OPT_TEXT, offsetof(struct view_options, out), "write to FILE instead of standard output", NULL, false, NULL },
	{ 0 },
};

static int take(struct sink *sink, const struct row *row)
{
	return table_add(&((struct run *)sink)->table, row);
}

static int draw(struct run *run)
{
	int fd = fileno(run->out.stream), rows = terminal_rows(fd), ret;
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
		terminal_draw(run->out.stream, text, terminal_columns(fd));
	free(text);
	return ret;
}

/* The table of what was added since the last one. */
static int print_round(struct sink *sink, uint64_t since_start_ns)
{
	struct run *run = (struct run *)sink;
	int ret = table_round(&run->table, run->sort);

	if (ret)
		return ret;
	stat_out_fresh(&run->out);
	run->view.round_ns = since_start_ns - run->round_ns;
	run->round_ns = since_start_ns;
	run->view.since_start_ns = run->o->interval_ms ? since_start_ns : 0;
	run->nr_rows += run->table.sorted.n;
	ret = run->is_drawn ? draw(run) : rows_render(run->out.stream, run->format, &run->table, &run->view);
	run->view.no_head = true;
	return fflush(run->out.stream) ? -errno : ret;
}

int run_open(struct run *run, const struct schema *schema, const char *by, const struct view_options *o, const struct honesty *h,
	     struct err *err)
{
	uint64_t ms = o->interval_ms, keys = 0;
	int ret = columns_by(o->by ? o->by : by, schema, &keys, err);

	if (!ret)
		ret = columns_sort(o->sort, schema, &run->sort, err);
	if (!ret && ms && (ms < INTERVAL_MIN_MS || ms > INTERVAL_MAX_MS))
		ret = err_exit(err, -ERANGE, EXIT_USAGE, "bad interval %llu: %d to %d ms", (unsigned long long)ms, INTERVAL_MIN_MS, INTERVAL_MAX_MS);
	if (ret)
		return ret;
	run->o = o;
	run->h = h;
	run->profile.title = command_line();
	run->format = rows_format(o->format ? o->format : "text");
	run->view.separator = ",";
	run->view.top = o->top;
	run->view.keys = keys;
	run->view.cgroup_path = target_cgroup_path;
	if (!run->sink.row)
		run->sink.row = take;
	if (!run->sink.interval)
		run->sink.interval = print_round;
	ret = table_init(&run->table, schema, keys);
	return ret ? ret : stat_out_open(&run->out, o->out ? o->out : "-", false, ms, err);
}

int run_session(struct run *run, struct session_cfg *cfg, int (*at_end)(struct run *run), int *ret_status, struct err *err)
{
	struct session *session = NULL;
	sigset_t mask;
	int ret = 0;

	for (int i = 0; i < cfg->nr_sources; i++)
		if (!cfg->sources[i])
			return -ENOMEM;
	run->is_drawn = run->o->interval_ms && run->format == rows_format("text") && terminal_is_drawn(fileno(run->out.stream));
	cfg->duration_ns = run->o->duration_ns;
	cfg->interval_ns = run->o->interval_ms * 1000000;
	cfg->command_mask = &mask;
	interrupts_take(&mask);
	ret = session_open(cfg, &session, err);
	if (!ret)
		ret = session_run(session, &run->sink, err);
	if (!ret) {
		*ret_status = session_status(session);
		session_profile(session, &run->profile);
		ret = at_end ? at_end(run) : 0;
		ret = ret ? ret : print_round(&run->sink, session_duration_ns(session));
	}
	session_close(session);
	return ret;
}

int run_close(struct run *run, int ret, int status, struct err *err)
{
	ret = stat_out_close(&run->out, ret, err);
	table_free(&run->table);
	if (ret)
		return ret;
	honesty_print(run->h, &run->profile);
	return honesty_exit(run->h, &run->profile, status, err);
}
