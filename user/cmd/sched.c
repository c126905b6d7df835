/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep sched: what the scheduler did with each task, summed in the kernel. */
#include <errno.h>
#include <stdlib.h>

#include "capture/source/sched.h"
#include "cmd/cmd.h"
#include "cmd/run.h"
#include "cmd/schedlog.h"

#define KEYS_MOST (1 << 20) /* 600 bytes of kernel memory each, from the start on */

struct sched_options {
	struct target target;
	struct view_options view;
	uint64_t rows_max;
	bool hist;
	struct honesty h;
};

static const struct opt table_opts[] = {
	{ 0, "by", "KEY,...", OPT_TEXT, offsetof(struct sched_options, view.by),
	  "a row for each comm, pid, tid, user, cgroup (default: comm,pid,tid)" },
	{ 0, "sort", "WHAT", OPT_TEXT, offsetof(struct sched_options, view.sort),
	  "sort the rows by WHAT, largest first: wait (default), max (the longest wait), run, sleep, switches, migrations",
	  .values = "wait|max|run|sleep|switches|migrations" },
	{ 0, "hist", NULL, OPT_FLAG, offsetof(struct sched_options, hist), "histograms of waits, runs and sleeps in powers of two" },
	{ 0, "max-keys", "N", OPT_U64, offsetof(struct sched_options, rows_max),
	  "at most N keys of tasks that ended (default 16384); further keys share one row" },
	{ 0 },
};

static const struct opt_group sched_groups[] = {
	{ "Who", target_opts, offsetof(struct sched_options, target), target_rules },
	{ "Table", table_opts, 0 },
	{ "Output", view_opts, offsetof(struct sched_options, view) },
	{ "Output", format_opts, offsetof(struct sched_options, view) },
	{ "Output", output_opts, offsetof(struct sched_options, view) },
	{ "Honesty", honesty_opts, offsetof(struct sched_options, h) },
	{ "Of perf, without effect", schedlog_nothing_opts, 0 },
	{ 0 },
};

static int check(const struct sched_options *o, struct err *err)
{
	if (o->target.cpus.n)
		return err_exit(err, -EINVAL, EXIT_USAGE, "-C works with counters only: a task may wait for any CPU");
	if (o->rows_max > KEYS_MOST)
		return err_exit(err, -ERANGE, EXIT_USAGE, "--max-keys is at most %d", KEYS_MOST);
	return 0;
}

static int sched_main(void *cfg, char **operands, struct err *err)
{
	struct sched_options *o = cfg;
	struct sched_cfg sched = { .hist = o->hist, .rows_max = (uint32_t)o->rows_max, .bpf_stats = o->h.receipt };
	struct session_cfg session = { .target = &o->target, .nr_sources = 1 };
	struct run_cfg view = { 0 };
	struct sched_schema schema;
	struct run run = { 0 };
	int status = 0, ret;

	sched_schema(&schema, o->hist);
	o->target.argv = operands[0] ? operands : NULL;
	ret = target_check(&o->target, err);
	if (!ret)
		ret = check(o, err);
	if (!ret)
		ret = run_view(&o->view, &schema.schema, "comm,pid,tid", &view, err);
	if (!ret) {
		view.nothing = "no matching task ran";
		sched.schema = &schema.schema;
		sched.by = rows_by(view.keys);
		view.keys = rows_keys(sched.by);
		ret = run_open(&run, &view, err);
		session.sources[0] = ret ? NULL : src_sched_new(&sched);
		ret = ret ? ret : run_session(&run, &session, NULL, &status, err);
		ret = run_close(&run, ret, err);
	}
	target_free(&o->target);
	return ret ? ret : run_end(&run, &o->h, status, err);
}

static const struct cmd *const sched_subs[] = { &cmd_sched_record, &cmd_sched_timehist, &cmd_sched_map, NULL };

static const struct opt_other sched_others[] = {
	{ "latency", "is skep sched itself: how long each task waited for a CPU", "skep sched --by comm -- COMMAND, or skep sched -a --duration 5; --sort max, run or switches" },
	{ "lat", "is skep sched itself: how long each task waited for a CPU", "skep sched --by comm -- COMMAND, or skep sched -a --duration 5; --sort max, run or switches" },
	{ "script", "is skep script, which prints the events of a file",
	  "skep sched record -o FILE -- COMMAND; skep script -i FILE; live: skep sched timehist -- COMMAND" },
	{ "replay", "is not supported: skep runs no workload of its own", "perf sched replay" },
	SCHEDLOG_OTHERS,
	{ "stats", "is not supported", "skep sched -a --by comm --duration 5; perf sched stats" },
	{ 0 }
};

const struct cmd cmd_sched = {
	.name = "sched",
	.summary = "why tasks wait: their time by state, their switches, their waits for a CPU",
	.operands = "[-- COMMAND [ARG...]]",
	.groups = sched_groups,
	.cfg_size = sizeof(struct sched_options),
	.examples = "skep sched -- make                  how long each of its tasks ran, waited, slept\n"
		    "skep sched -a --duration 2 --top 10           who waited most for a CPU in the next 2 s\n"
		    "skep sched -a --by comm --sort max --duration 2\n"
		    "skep sched -a --fields comm,tid,wait_max --filter 'wait_max > 1ms' --duration 2\n"
		    "skep sched -p 1234 -I 1000 --duration 3    a table every second\n"
		    "skep sched --hist --format json -- ls         histograms of each wait, run and sleep\n",
	.run = sched_main,
	.subs = sched_subs,
	.others = sched_others,
};
