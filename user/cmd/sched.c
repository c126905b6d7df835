/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep sched: what the scheduler did with each task, summed in the kernel. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/session.h"
#include "capture/source/sched.h"
#include "cmd/cmd.h"
#include "cmd/measure.h"
#include "cmd/schedlog.h"
#include "cmd/stat_out.h"
#include "event/keys.h"
#include "render/rows/sched.h"
#include "util/clock.h"
#include "util/interrupt.h"

#define INTERVAL_MIN_MS 10
#define INTERVAL_MAX_MS 86400000
#define KEYS_MOST (1 << 20) /* 600 bytes of kernel memory each, from the start on */
#define KEYS (BY_COMM | BY_PID | BY_TID | BY_USER | BY_CGROUP)

struct sched_options {
	struct target target;
	const char *by, *sort, *format, *out;
	uint64_t duration_ns, interval_ms, top, rows_max;
	bool hist;
	struct honesty h;
};

static const struct opt view_opts[] = {
	{ 0, "by", "KEY,...", OPT_TEXT, offsetof(struct sched_options, by), "a row for each comm, pid, tid, user, cgroup (default: comm,pid,tid)",
	  NULL, false, NULL },
	{ 0, "sort", "WHAT", OPT_TEXT, offsetof(struct sched_options, sort),
	  "the rows that have most of it first: wait (default), max (the longest wait), run, sleep, switches, migrations", NULL, false,
	  "wait|max|run|sleep|switches|migrations" },
	{ 0, "top", "N", OPT_U64, offsetof(struct sched_options, top), "only the N first rows", NULL, false, NULL },
	{ 0, "hist", NULL, OPT_FLAG, offsetof(struct sched_options, hist), "histograms of each wait, run and sleep, powers of two", NULL, false,
	  NULL },
	{ 0, "duration", "TIME", OPT_DURATION, offsetof(struct sched_options, duration_ns), "stop after TIME (10, 500ms, 2m); COMMAND is ended",
	  NULL, false, NULL },
	{ 'I', "interval-print", "MS", OPT_U64, offsetof(struct sched_options, interval_ms), "a table every MS milliseconds", NULL, false, NULL },
	{ 0, "max-keys", "N", OPT_U64, offsetof(struct sched_options, rows_max),
	  "room for so many keys of tasks that end meanwhile (16384); more are summed in one row", NULL, false, NULL },
	{ 0, "format", "FORMAT", OPT_TEXT, offsetof(struct sched_options, format), "text, csv or json (an object a line)", NULL, false,
	  "text|csv|json" },
	{ 'o', "output", "FILE", OPT_TEXT, offsetof(struct sched_options, out), "write to FILE instead of standard output", NULL, false, NULL },
	{ 0 },
};

static const struct opt_group sched_groups[] = {
	{ "Who", target_opts, offsetof(struct sched_options, target) },
	{ "Output", view_opts, 0 },
	{ "Honesty", honesty_opts, offsetof(struct sched_options, h) },
	{ 0 },
};

struct sched_run {
	struct sink sink;
	const struct sched_options *o;
	enum sched_sort sort;
	struct sched_table table;
	struct sched_view view;
	struct stat_out out;
	size_t nr_rows; /* shown so far */
};

static int take(struct sink *sink, const struct sched_sample *s)
{
	return sched_table_add(&((struct sched_run *)sink)->table, s);
}

static int print_round(struct sink *sink, uint64_t since_start_ns)
{
	struct sched_run *run = (struct sched_run *)sink;
	int ret = sched_table_round(&run->table, run->sort);

	if (ret)
		return ret;
	stat_out_fresh(&run->out);
	run->view.key.since_start_ns = since_start_ns;
	run->nr_rows += run->table.rows.all.n;
	ret = render_sched(run->out.stream, &run->table, &run->view);
	run->view.key.no_head = true;
	return fflush(run->out.stream) ? -errno : ret;
}

static int parse_sort(const char *text, enum sched_sort *ret_sort, struct err *err)
{
	static const char *const words[] = { [SCHED_BY_WAIT] = "wait", [SCHED_BY_MAX] = "max",		 [SCHED_BY_RUN] = "run",
					     [SCHED_BY_OFF] = "sleep", [SCHED_BY_SWITCHES] = "switches", [SCHED_BY_MIGRATIONS] = "migrations" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(text, words[i])) {
			*ret_sort = i;
			return 0;
		}
	return err_exit(err, -EINVAL, EXIT_USAGE, "bad order '%s' (expected wait, max, run, sleep, switches, migrations)", text);
}

static int check(struct sched_run *run, struct sched_cfg *cfg, struct err *err)
{
	const struct sched_options *o = run->o;
	struct keys keys = { 0 };
	int ret = keys_parse(o->by ? o->by : "comm,pid,tid", &keys, err);

	if (!ret && (keys.by & ~(uint32_t)KEYS || keys.nr_fields))
		ret = err_exit(err, -EINVAL, EXIT_USAGE, "bad key in '%s': tasks are summed by comm, pid, tid, user, cgroup", o->by);
	if (!ret && o->sort)
		ret = parse_sort(o->sort, &run->sort, err);
	if (!ret && o->interval_ms && (o->interval_ms < INTERVAL_MIN_MS || o->interval_ms > INTERVAL_MAX_MS))
		ret = err_exit(err, -ERANGE, EXIT_USAGE, "bad interval %llu: %d to %d ms", (unsigned long long)o->interval_ms, INTERVAL_MIN_MS,
			       INTERVAL_MAX_MS);
	if (!ret && o->target.cpus.n)
		ret = err_exit(err, -EINVAL, EXIT_USAGE, "-C is for counters: a task waits for any CPU");
	if (!ret && o->rows_max > KEYS_MOST)
		ret = err_exit(err, -ERANGE, EXIT_USAGE, "--max-keys is at most %d", KEYS_MOST);
	cfg->by = keys.by;
	cfg->hist = o->hist;
	cfg->rows_max = (uint32_t)o->rows_max;
	cfg->bpf_stats = o->h.receipt;
	run->view = (struct sched_view){ .hist = o->hist,
					 .key = { .by = keys.by, .top = o->top, .cgroup_path = target_cgroup_path,
						  .json = o->format && !strcmp(o->format, "json"),
						  .separator = o->format && !strcmp(o->format, "csv") ? "," : NULL } };
	return ret;
}

static int measure(struct sched_run *run, const struct sched_cfg *sched, struct profile *profile, int *ret_status, struct err *err)
{
	const struct sched_options *o = run->o;
	sigset_t mask;
	struct session_cfg cfg = { .target = &o->target, .sources = { src_sched_new(sched) }, .nr_sources = 1, .command_mask = &mask,
				   .duration_ns = o->duration_ns, .interval_ns = o->interval_ms * 1000000 };
	struct session *session;
	int ret;

	if (!cfg.sources[0])
		return -ENOMEM;
	interrupts_take(&mask);
	ret = session_open(&cfg, &session, err);
	if (ret)
		return ret;
	run->view.start_ns = now_ns();
	ret = session_run(session, &run->sink, err);
	if (!ret) {
		*ret_status = session_status(session);
		session_profile(session, profile);
		ret = print_round(&run->sink, o->interval_ms ? session_duration_ns(session) : 0);
		if (!run->nr_rows)
			profile_note(profile, "no task of those asked for did anything");
	}
	session_close(session);
	return ret;
}

static int sched_main(void *cfg, char **operands, struct err *err)
{
	struct sched_options *o = cfg;
	struct sched_run run = { .sink = { .sched = take, .interval = print_round }, .o = o };
	struct profile profile = { .title = command_line() };
	struct sched_cfg sched;
	int status = 0, ret;

	o->target.argv = operands[0] ? operands : NULL;
	ret = target_check(&o->target, err);
	if (!ret)
		ret = check(&run, &sched, err);
	if (!ret)
		ret = sched_table_init(&run.table);
	if (!ret) {
		ret = stat_out_open(&run.out, o->out ? o->out : "-", false, o->interval_ms, err);
		ret = ret ? ret : measure(&run, &sched, &profile, &status, err);
		ret = stat_out_close(&run.out, ret, err);
		sched_table_free(&run.table);
	}
	target_free(&o->target);
	if (ret)
		return ret;
	honesty_print(&o->h, &profile);
	return honesty_exit(&o->h, &profile, status, err);
}

static const struct cmd *const sched_subs[] = { &cmd_sched_timehist, &cmd_sched_map, NULL };

static const struct opt_other sched_others[] = {
	{ "record", "records nothing here: what the scheduler does is shown as it happens",
	  "skep sched -- COMMAND, skep sched timehist -- COMMAND, skep sched map -a --duration 1; -o FILE keeps it" },
	{ "latency", "is skep sched itself: how long each task waited for a CPU", "skep sched -- COMMAND, or skep sched -a --duration 5" },
	{ "lat", "is skep sched itself: how long each task waited for a CPU", "skep sched -- COMMAND, or skep sched -a --duration 5" },
	{ "script", "is skep sched timehist: each time on a CPU, and why it ended",
	  "skep sched timehist -- COMMAND; skep probe 't:sched:*' shows the events themselves" },
	{ "replay", "is not here: skep runs no workload of its own", "perf sched replay" },
	{ "stats", "is not here", "skep sched -a --by comm --duration 5; perf sched stats" },
	{ 0 }
};

const struct cmd cmd_sched = {
	.name = "sched",
	.summary = "why tasks wait: time by state, switches and waits for a CPU of each",
	.operands = "[-- COMMAND [ARG...]]",
	.groups = sched_groups,
	.cfg_size = sizeof(struct sched_options),
	.examples = "skep sched -- make                  each task of it: how long it ran, waited, slept\n"
		    "skep sched -a --duration 2 --top 10           who waited most for a CPU in the next 2 s\n"
		    "skep sched -a --by comm --sort max --duration 2\n"
		    "skep sched -p 1234 -I 1000 --duration 3    a table every second\n"
		    "skep sched --hist --format json -- ls         histograms of each wait, run and sleep\n",
	.run = sched_main,
	.subs = sched_subs,
	.others = sched_others,
};
