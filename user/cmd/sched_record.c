/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep sched record: skep record of the tracepoints that perf sched record has, on all CPUs, for the readers of such files. */
#include <errno.h>
#include <string.h>

#include "cmd/record.h"
#include "cmd/schedlog.h"
#include "event/format.h"
#include "event/tracepoints.h"

#define RING_KB 4096 /* of each CPU: a million switches a second come in bursts */

/* Which of them a kernel has depends on CONFIG_SCHEDSTATS; without the first there is nothing to read. */
static const char *const events[] = {
	"sched:sched_switch",	   "sched:sched_stat_wait",    "sched:sched_stat_sleep",   "sched:sched_stat_iowait",  "sched:sched_stat_runtime",
	"sched:sched_process_fork", "sched:sched_wakeup_new", "sched:sched_migrate_task", "sched:sched_waking",
};

static const struct opt file_opts[] = {
	{ 'o', "output", "FILE", OPT_TEXT, offsetof(struct record, out), "file to write (default: perf.data)" },
	{ 'z', "compression-level", "[=LEVEL]", OPT_CALL, 0, "compress the file, as skep record does", record_set_compression },
	{ 'g', NULL, NULL, OPT_FLAG, offsetof(struct record, callgraph), "record call chains, too" },
	{ 'm', "ring-size", "SIZE", OPT_KIB, offsetof(struct record, m.ring_kb),
	  "ring buffer of each CPU, a power of two of KiB or with K, M, G (default 4M)" },
	{ 0, "duration", "TIME", OPT_DURATION, offsetof(struct record, m.duration_ns), "stop after TIME (10, 500ms, 2m), and stop COMMAND" },
	{ 'i', "no-inherit", NULL, OPT_FLAG, offsetof(struct record, m.target.no_children), "with -p: not the children that start from now on" },
	{ 0 },
};

static const struct opt nothing_opts[] = {
	{ 'R', "raw-samples", NULL, OPT_NOTHING, 0, "tracepoints have their records in any case" },
	{ 0 },
};

static const struct opt_group sched_record_groups[] = {
	{ "Output", file_opts, 0 },
	{ "Who", target_opts, offsetof(struct record, m.target), target_rules },
	{ "Stacks", walk_opts, offsetof(struct record, m.walks) },
	{ "Honesty", honesty_opts, offsetof(struct record, h) },
	{ "Of perf, without effect", nothing_opts, 0 },
	{ 0 },
};

static bool is_there(const char *name)
{
	struct format format;
	bool is = !format_read(name, &format);

	if (is)
		format_free(&format);
	return is;
}

static int sched_record_run(void *cfg, char **operands, struct err *err)
{
	struct record *rec = cfg;
	struct measure *m = &rec->m;
	int ret;

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		if (i && !is_there(events[i]))
			continue;
		ret = measure_add_event(m, events[i], err);
		if (ret)
			return ret;
	}
	m->target.all |= !m->target.pids.n && !m->target.tids.n && !m->target.uids.n && !m->target.comms.n && !m->target.cgroups.n;
	m->ring_kb = m->ring_kb ? m->ring_kb : RING_KB;
	m->keeps_self = true;
	if (!rec->callgraph && m->walks.call_graph == CALL_GRAPH_AUTO)
		m->walks.call_graph = CALL_GRAPH_NONE;
	return record_run(cfg, operands, err);
}

const struct cmd cmd_sched_record = {
	.name = "sched record",
	.summary = "the scheduler's tracepoints into a perf.data file",
	.operands = "[COMMAND [ARG...]]",
	.groups = sched_record_groups,
	.cfg_size = sizeof(struct record),
	.examples = "skep sched record -o sched.data -- sleep 1    then: perf sched timehist -i sched.data\n"
		    "skep sched record -o sched.data --duration 2\n",
	.run = sched_record_run,
};
