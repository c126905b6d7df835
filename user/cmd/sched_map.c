/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep sched map: which task is on which CPU. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/schedlog.h"
#include "render/events/schedmap.h"
#include "ui/terminal.h"
#include "util/cpus.h"

struct map_options {
	struct target target;
	struct view_options view;
	uint64_t ring_kb;
	bool self;
	struct honesty h;
};

static int set_cpus(void *base, const char *text, struct err *err)
{
	return target_add_cpus(&((struct map_options *)base)->target, text, err);
}

static const struct opt map_opts[] = {
	{ 0, "cpus", "LIST", OPT_CALL, 0, "the same as -C", set_cpus, .many = true },
	{ 'm', "ring-size", "SIZE", OPT_KIB, offsetof(struct map_options, ring_kb),
	  "ring buffer of each CPU, a power of two of KiB or with K, M, G (default: 1024 to 8192, by the number of CPUs)" },
	{ 0, "self", NULL, OPT_FLAG, offsetof(struct map_options, self), "also show skep's own switches" },
	{ 0 },
};

static const struct opt_group map_groups[] = {
	{ "Who", target_opts, offsetof(struct map_options, target), target_rules },
	{ "Output", output_opts, offsetof(struct map_options, view) },
	{ "Output", map_opts, 0 },
	{ "Honesty", honesty_opts, offsetof(struct map_options, h) },
	{ "Of perf, without effect", schedlog_nothing_opts, 0 },
	{ 0 },
};

struct map_run {
	struct schedlog log; /* first */
	struct schedmap map;
};

static int on_sample(struct sink *sink, const struct sample *s)
{
	struct map_run *run = (struct map_run *)sink;
	int ret;

	run->log.run.nr_rows++;
	errno = 0;
	ret = schedmap_event(&run->map, s);
	return ret && errno ? -errno : ret; /* EPIPE: the reader had enough */
}

/* After the check of -C, which is in order. */
static int make_cells(struct map_run *run)
{
	const struct target *t = run->log.target;
	uint32_t *online = NULL;
	int n = t->cpus.n ? (int)t->cpus.n : cpus_online(&online);

	if (n < 0)
		return n;
	run->map.cells = calloc(n + 1, sizeof(*run->map.cells));
	for (int i = 0; i < n && run->map.cells; i++)
		run->map.cells[i] = (struct schedmap_cell){ .cpu = t->cpus.n ? t->cpus.data[i] : online[i], .name = SHORTNAMES_MAX };
	run->map.nr_cells = n;
	free(online);
	return run->map.cells ? 0 : -ENOMEM;
}

static int begin(struct schedlog *log)
{
	struct map_run *run = (struct map_run *)log;
	struct schedmap *m = &run->map;
	uint32_t room = schedmap_room(log->run.out.stream == stdout ? terminal_columns(STDOUT_FILENO) : 0);
	int ret = make_cells(run);

	if (ret)
		return ret;
	m->nr_shown = m->nr_cells < room ? m->nr_cells : room;
	if (m->nr_shown < m->nr_cells)
		profile_note(&log->run.profile, "the terminal has room for %u of %u CPUs: -C chooses others", m->nr_shown, m->nr_cells);
	m->out = log->run.out.stream;
	m->start_ns = log->start_ns;
	return schedmap_begin(m);
}

static int map_main(void *cfg, char **operands, struct err *err)
{
	struct map_options *o = cfg;
	struct map_run *run = calloc(1, sizeof(*run));
	int ret;

	if (!run)
		return -ENOMEM;
	o->target.argv = operands[0] ? operands : NULL;
	run->log.run.sink.sample = on_sample;
	run->log.begin = begin;
	run->log.target = &o->target;
	run->log.h = &o->h;
	run->log.out = (struct run_cfg){ .out = o->view.out, .duration_ns = o->view.duration_ns, .is_live = true };
	run->log.source = (struct schedlog_cfg){ .next = true, .self = o->self, .ring_bytes = o->ring_kb << 10 };
	ret = measure_check_ring(o->ring_kb, err);
	if (!ret)
		ret = schedlog_run(&run->log, err);
	target_free(&o->target);
	free(run->map.cells);
	free(run);
	return ret;
}

static const struct opt_other map_others[] = {
	SCHEDLOG_OTHERS,
	{ "--color-cpus", "is not available: a map has no colours", "-C CPUS shows only these" },
	{ "--color-pids", "is not available: a map has no colours", "-p PID shows only these; other tasks are -" },
	{ "--compact", "is not available: each CPU has a column", "-C CPUS shows only these" },
	{ "--task-name", "is not available", "--comm NAME,... shows only these; other tasks are -" },
	{ "--fuzzy-name", "is not available: names are whole", "--comm NAME,..." },
	{ 0 },
};

const struct cmd cmd_sched_map = {
	.name = "sched map",
	.summary = "which task is on which CPU: a row per switch, a column per CPU",
	.operands = "[-- COMMAND [ARG...]]",
	.groups = map_groups,
	.cfg_size = sizeof(struct map_options),
	.examples = "skep sched map -- make\n"
		    "skep sched map -a -C 0 --duration 1\n",
	.run = map_main,
	.others = map_others,
};
