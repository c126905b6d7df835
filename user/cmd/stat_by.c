/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep stat --by and --latency: system calls and tracepoints summed in the kernel by what the user names. */
#include "cmd/stat_by.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/source/callsby.h"
#include "capture/source/eventsby.h"
#include "cmd/stat_out.h"
#include "event/keys.h"
#include "model/hists.h"
#include "render/rows/hists.h"
#include "ui/terminal.h"
#include "util/interrupt.h"

#define FRAME_LINES 4 /* beside the rows: time, head, "rows more", the cursor's */

#define ROWS_A_TASK 8ul
#define CALL_ROWS_MAX (1ul << 17)
#define EVENT_ROWS_MAX (1ul << 15) /* all of them are in memory from the start on, a CPU each */

struct by_run {
	struct sink sink;
	const struct stat_by *o;
	struct keys keys;
	struct traced_list traced;
	bool has_calls;
	struct hists hists;
	struct hists_cfg view;
	struct stat_out out;
	bool is_drawn;	/* on a terminal, each interval in the place of the one before */
	size_t nr_rows; /* shown so far */	bool both_sides; /* see check_sides() */
};

static int take(struct sink *sink, const struct hist_sample *h)
{
	return hists_add(&((struct by_run *)sink)->hists, h);
}

static int draw(struct by_run *run)
{
	int fd = fileno(run->out.stream), rows = terminal_rows(fd), ret;
	uint64_t room = rows > FRAME_LINES ? rows - FRAME_LINES : 1;
	struct hists_cfg view = run->view;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return -ENOMEM;
	if (!view.top || view.top > room)
		view.top = room;
	ret = render_hists(f, &run->hists, &view);
	if (fclose(f))
		ret = -ENOMEM;
	if (!ret)
		terminal_draw(run->out.stream, text, terminal_columns(fd));
	free(text);
	return ret;
}

/* The table of what was added since the last one. since_start_ns: 0 for the whole run. */
static int print_round(struct sink *sink, uint64_t since_start_ns)
{
	struct by_run *run = (struct by_run *)sink;
	int ret = hists_round(&run->hists, run->o->latency);

	if (ret)
		return ret;
	stat_out_fresh(&run->out);
	run->view.since_start_ns = since_start_ns;
	run->nr_rows += run->hists.rows.n;
	ret = run->is_drawn ? draw(run) : render_hists(run->out.stream, &run->hists, &run->view);
	run->view.no_head = true;
	if (fflush(run->out.stream))
		ret = -errno;
	return ret;
}

/* A call is one in these tables: its entry and its return are not two. Sets both_sides where globs name both. */
static int check_sides(struct by_run *run, const struct event *events, int nr_events, struct err *err)
{
	const struct event *named[2] = { NULL, NULL };
	bool globbed[2] = { false, false };

	for (int i = 0; i < nr_events; i++) {
		if (events[i].kind != EVENT_SYSCALL)
			continue;
		globbed[events[i].is_exit] |= events[i].from_glob;
		if (!events[i].from_glob)
			named[events[i].is_exit] = &events[i];
	}
	if (named[0] && named[1])
		return err_exit(err, -EINVAL, EXIT_USAGE, "--by and --latency count a call once: leave out '%s' or '%s'", named[0]->name,
				named[1]->name);
	run->both_sides = (named[0] || globbed[0]) && (named[1] || globbed[1]);
	return 0;
}

/* What goes with what: only system calls have a return. */
static int check(struct by_run *run, const struct event *events, int nr_events, struct err *err)
{
	const struct event *other = NULL;

	if (!run->keys.nr_fields) {
		int ret = check_sides(run, events, nr_events, err);

		if (ret)
			return ret;
	}

	for (int i = 0; i < nr_events && !other; i++)
		if (events[i].kind != EVENT_SYSCALL || run->keys.nr_fields)
			other = &events[i];
	if (!other)
		return 0;
	if (run->o->latency && run->keys.nr_fields)
		return err_exit(err, -EINVAL, EXIT_USAGE, "--latency does not go with fields of tracepoints, which have no duration");
	if (run->o->latency)
		return err_exit(err, -EINVAL, EXIT_USAGE, "--latency is for system calls: the tracepoint '%s' has no duration", other->name);
	if (run->keys.by & (BY_SYSCALL | BY_ERRNO))
		return err_exit(err, -EINVAL, EXIT_USAGE, "the key '%s' is for system calls, and not beside %s",
				run->keys.by & BY_ERRNO ? "errno" : "syscall", run->keys.nr_fields ? "fields" : "tracepoints (event)");
	return 0;
}

static int measure(struct by_run *run, const struct session_cfg *cfg, struct profile *profile, int *ret_status, struct err *err)
{
	struct session *session;
	int ret = session_open(cfg, &session, err);

	if (ret)
		return ret;
	ret = session_run(session, &run->sink, err);
	if (!ret) {
		*ret_status = session_status(session);
		session_profile(session, profile);
		ret = print_round(&run->sink, run->o->interval_ns ? session_duration_ns(session) : 0);
		if (!run->nr_rows)
			profile_note(profile, run->has_calls ? "none of these calls was made" : "none of these events happened");
		if (run->both_sides)
			profile_note(profile, "calls are counted once, although events of their entry and their return were named");
		if (run->traced.without)
			profile_note(profile, "%d of the tracepoints have not all of these fields: they are left out", run->traced.without);
	}
	session_close(session);
	return ret;
}

static int add_source(struct session_cfg *cfg, struct source *source)
{
	if (!source)
		return -ENOMEM;
	cfg->sources[cfg->nr_sources++] = source;
	return 0;
}

static int prepare(struct by_run *run, const struct event *events, int nr_events, struct err *err)
{
	const struct stat_by *o = run->o;
	int ret = keys_parse(o->keys ? o->keys : "syscall", &run->keys, err);

	if (!ret)
		ret = check(run, events, nr_events, err);
	if (!ret)
		ret = keys_resolve(&run->keys, events, nr_events, format_read, &run->traced, err);
	if (!ret)
		ret = hists_init(&run->hists);
	for (int i = 0; i < nr_events; i++)
		run->has_calls |= events[i].kind == EVENT_SYSCALL && !run->keys.nr_fields;
	run->view = (struct hists_cfg){
		.by = run->keys.by,
		.latency = o->latency,
		.json = o->json,
		.separator = o->separator,
		.top = o->top,
		.cgroup_path = target_cgroup_path,
		.nr_fields = run->keys.nr_fields,
		.is_hits = !run->has_calls,
	};
	for (int i = 0; i < run->keys.nr_fields; i++)
		run->view.fields[i] = run->keys.fields[i];
	return ret;
}

/*
 * Room for rows, 0 for the sources' own: eight for each task of the machine where a key tells tasks apart and all of them are
 * targets, up to so many.
 */
static uint64_t rows_for(const struct by_run *run, const struct target *t, unsigned long most)
{
	bool is_part = t->pids.n || t->tids.n || t->cgroups.n || t->uids.n || t->comms.n || target_is_command(t);
	unsigned long tasks = 0, rows;
	FILE *f;

	if (run->o->rows_max || !(run->keys.by & (BY_PID | BY_TID)) || is_part)
		return run->o->rows_max;
	f = fopen("/proc/loadavg", "re");
	if (f && fscanf(f, "%*s %*s %*s %*u/%lu", &tasks) != 1)
		tasks = 0;
	if (f)
		fclose(f);
	rows = tasks < most / ROWS_A_TASK ? ROWS_A_TASK * tasks : most;
	return rows > BY_ROWS_DEFAULT ? rows : 0;
}

int stat_by_run(const struct stat_by *o, const struct target *target, const struct event *events, int nr_events,
		struct profile *profile, int *ret_status, struct err *err)
{
	struct by_run run = { .sink = { .hist = take, .interval = print_round }, .o = o };
	struct callsby_cfg calls = { .events = events, .nr_events = nr_events, .latency = o->latency };
	struct eventsby_cfg traced = { .keys = &run.keys, .traced = &run.traced };
	sigset_t mask;
	struct session_cfg cfg = { .target = target, .command_mask = &mask, .duration_ns = o->duration_ns, .interval_ns = o->interval_ns };
	int ret = prepare(&run, events, nr_events, err);

	calls.by = run.keys.by;
	calls.rows_max = rows_for(&run, target, CALL_ROWS_MAX);
	traced.rows_max = rows_for(&run, target, EVENT_ROWS_MAX);
	if (!ret)
		ret = stat_out_open(&run.out, o->out, o->append, o->interval_ns, err);
	if (!ret) {
		run.is_drawn = o->interval_ns && !o->json && !o->separator && terminal_is_drawn(fileno(run.out.stream));
		if (run.has_calls)
			ret = add_source(&cfg, src_callsby_new(&calls));
		if (!ret && run.traced.all.n)
			ret = add_source(&cfg, src_eventsby_new(&traced));
		interrupts_take(&mask);
		ret = ret ? ret : measure(&run, &cfg, profile, ret_status, err);
	}
	ret = stat_out_close(&run.out, ret, err);
	vec_free(&run.traced.all);
	hists_free(&run.hists);
	return ret;
}
