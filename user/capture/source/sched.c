/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sums of live tasks from an iterator, those of the ended from a map. */
#include "capture/source/sched.h"

#include <bpf/libbpf.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/sched.h"
#include "capture/base.h"
#include "capture/iter.h"
#include "capture/load.h"
#include "capture/rows.h"
#include "capture/tasks.h"
#include "skel/sched.skel.h"
#include "types/btf.h"
#include "util/clock.h"

#define WHAT "the program that sums what the scheduler does"
#define ROWS_MAX (1u << 20)

struct src_sched {
	struct source source; /* first: a pointer to it is one to us */
	const struct sched_cfg *cfg;
	struct base base;
	struct sched_bpf *skel;
	struct tasks tasks;
	const struct place *place;
	struct by_places at;
	struct rows_ended ended;
	uint32_t by; /* of the key in the kernel */
	int cpus;
	uint64_t start_ns;
	struct sink *sink; /* of the walk */
};

/* Where several tasks have one key, no two CPUs write one row. */
static void set_knobs(struct src_sched *src)
{
	struct sched_bpf__rodata *ro = src->skel->rodata;
	uint64_t rows = src->cfg->rows_max ? src->cfg->rows_max : SCHED_ROWS_DEFAULT;

	src->by = src->cfg->by & BY_TID ? src->cfg->by : src->cfg->by | BY_CPU;
	ro->cfg_by = src->by;
	bpf_map__set_key_size(src->skel->maps.rows, rows_layout(src->by, 0, 0, &src->at));
	bpf_map__set_max_entries(src->skel->maps.rows, rows < ROWS_MAX ? rows : ROWS_MAX);
	if (!(src->cfg->by & (BY_TID | BY_PID | BY_COMM))) /* few: of tasks, many may end before the kernel has more memory at hand */
		bpf_map__set_map_flags(src->skel->maps.rows, object_hash_flags());
	ro->cfg_at = src->at;
	ro->cfg_hist = src->cfg->hist;
	src->base.watched[0] = src->skel->progs.sched_switch;
	if (btf_struct_bytes(object_kernel_types(), "sched_info"))
		return;
	bpf_program__set_autoload(src->skel->progs.sched_wakeup, true);
	bpf_program__set_autoload(src->skel->progs.sched_wakeup_new, true);
	src->base.watched[1] = src->skel->progs.sched_wakeup;
	src->base.watched[2] = src->skel->progs.sched_wakeup_new;
}

static int open_source(struct source *source, const struct place *place, struct err *err)
{
	struct src_sched *src = (struct src_sched *)source;
	struct sched_bpf *skel;
	int ret;

	src->place = place;
	src->cpus = libbpf_num_possible_cpus();
	ret = BASE_OPEN(&src->base, src->skel, sched, err);
	if (ret)
		return ret;
	skel = src->skel;
	set_knobs(src);
	src->tasks = (struct tasks)TASKS_OF(skel);
	ret = tasks_set(&src->tasks, place, err);
	if (ret)
		return ret;
	src->base.cgroup_ids = skel->rodata->cfg_cgroup_ids;
	ret = base_load(&src->base, place, err);
	if (ret)
		return ret;
	const struct tasks_hook hooks[] = {
		TASKS_STATE_HOOKS(skel),
		{ skel->progs.sched_switch, &skel->links.sched_switch },
		{ skel->progs.sched_wakeup, &skel->links.sched_wakeup },
		{ skel->progs.sched_wakeup_new, &skel->links.sched_wakeup_new },
		{ skel->progs.sched_migrate, &skel->links.sched_migrate },
	};

	return tasks_attach(hooks, sizeof(hooks) / sizeof(*hooks), skel->progs.task_first, err);
}

static void start(struct source *source)
{
	struct src_sched *src = (struct src_sched *)source;

	base_watch(&src->base);
	src->start_ns = now_ns();
	tasks_start(&src->tasks);
}

static void stop(struct source *source)
{
	tasks_stop(&((struct src_sched *)source)->tasks);
}

void sched_schema(struct sched_schema *ret, bool hist)
{
	static const struct column columns[SCHED_COLUMNS] = {
		[SCHED_COL_RUN] = { "run_ns", "run", "run", VALUE_DURATION, ROLE_SUM, IN_ALL, .width = 7 },
		[SCHED_COL_WAIT] = { "wait_ns", "wait", "wait", VALUE_DURATION, ROLE_SUM, IN_ALL, .width = 7 },
		[SCHED_COL_SLEEP] = { "sleep_ns", "sleep", NULL, VALUE_DURATION, ROLE_SUM, IN_ALL, .width = 7 },
		[SCHED_COL_BLOCKED] = { "blocked_ns", "blocked", NULL, VALUE_DURATION, ROLE_SUM, IN_ALL, .width = 7 },
		[SCHED_COL_STOPPED] = { "stopped_ns", "stopped", NULL, VALUE_DURATION, ROLE_SUM, IN_ALL, .width = 7, .spare = 8 },
		[SCHED_COL_VOLUNTARY] = { "voluntary", "volunt.", NULL, VALUE_NUMBER, ROLE_SUM, IN_ALL, .width = 7, .spare = 4 },
		[SCHED_COL_INVOLUNTARY] = { "involuntary", "preempt", NULL, VALUE_NUMBER, ROLE_SUM, IN_ALL, .width = 7, .spare = 4 },
		[SCHED_COL_WAKEUPS] = { "wakeups", "wakeups", NULL, VALUE_NUMBER, ROLE_SUM, IN_ALL, .width = 7, .spare = 6 },
		[SCHED_COL_MIGRATIONS] = { "migrations", "migrat.", "migrations", VALUE_NUMBER, ROLE_SUM, IN_ALL, .width = 7, .spare = 7 },
		[SCHED_COL_WAITS] = { "waits", "waits", NULL, VALUE_NUMBER, ROLE_SUM, IN_ALL, .width = 7, .spare = 3 },
		[SCHED_COL_MEAN] = { "wait_mean_ns", "mean", NULL, VALUE_DURATION, ROLE_MEAN, IN_ALL, 7, .of = SCHED_COL_WAITED, .per = SCHED_COL_WAITS, .spare = 2 },
		[SCHED_COL_P50] = { "wait_p50_ns", "p50", NULL, VALUE_DURATION, ROLE_QUANTILE, IN_ALL, 7, .of = SCHED_COL_WAIT_SLOTS, .part = 0.5, .spare = 5 },
		[SCHED_COL_P99] = { "wait_p99_ns", "p99", NULL, VALUE_DURATION, ROLE_QUANTILE, IN_ALL, 7, .of = SCHED_COL_WAIT_SLOTS, .part = 0.99, .spare = 1 },
		[SCHED_COL_MAX] = { "wait_max_ns", "max", "max", VALUE_DURATION, ROLE_MAX, IN_ALL, 7, .of = SCHED_COL_WAIT_SLOTS },
		[SCHED_COL_MAX_AT] = { "wait_max_at_ns", "at", NULL, VALUE_MOMENT, ROLE_AT, IN_ALL, 7, 3, .of = SCHED_COL_MAX, .spare = 9 },
		[SCHED_COL_WAIT_SLOTS] = { "wait_slots", "waits", NULL, VALUE_HIST, ROLE_HIST, IN_TEXT | IN_JSON, 34, .of = SCHED_COL_MAX, .per = VALUE_DURATION },
		[SCHED_COL_RUN_SLOTS] = { "run_slots", "runs", NULL, VALUE_HIST, ROLE_HIST, IN_TEXT | IN_JSON, 34, .of = -1, .per = VALUE_DURATION },
		[SCHED_COL_SLEEP_SLOTS] = { "sleep_slots", "sleeps", NULL, VALUE_HIST, ROLE_HIST, IN_TEXT | IN_JSON, 34, .of = -1, .per = VALUE_DURATION },
		[SCHED_COL_WAITED] = { "waited_ns", NULL, NULL, VALUE_DURATION, ROLE_SUM, .in = 0 },
		[SCHED_COL_OFF] = { "off_ns", NULL, "sleep", VALUE_DURATION, ROLE_SUM, .in = 0 },
		[SCHED_COL_SWITCHES] = { "switches", NULL, "switches", VALUE_NUMBER, ROLE_SUM, .in = 0 },
	};

	memcpy(ret->columns, columns, sizeof(columns));
	rows_columns(ret->columns, BY_COMM | BY_PID | BY_TID | BY_USER | BY_CGROUP);
	if (!hist) {
		ret->columns[SCHED_COL_WAIT_SLOTS].in = IN_JSON;
		ret->columns[SCHED_COL_RUN_SLOTS].in = ret->columns[SCHED_COL_SLEEP_SLOTS].in = 0;
	}
	ret->schema = (struct schema){ ret->columns, SCHED_COLUMNS, -1, .sort = SCHED_COL_WAIT };
}

void sched_values(const struct sched_sums *s, int64_t offset_ns, uint64_t start_ns, uint64_t slots[SCHED_HISTS][HIST_SLOTS], struct value *v)
{
	uint64_t at_ns = s->wait_max_at_ns ? s->wait_max_at_ns + offset_ns : 0;

	v[SCHED_COL_RUN].num = s->ns[SCHED_RUNNING];
	v[SCHED_COL_WAIT].num = s->ns[SCHED_WAITING];
	v[SCHED_COL_SLEEP].num = s->ns[SCHED_SLEEPING];
	v[SCHED_COL_BLOCKED].num = s->ns[SCHED_BLOCKED];
	v[SCHED_COL_STOPPED].num = s->ns[SCHED_STOPPED];
	v[SCHED_COL_OFF].num = s->ns[SCHED_SLEEPING] + s->ns[SCHED_BLOCKED] + s->ns[SCHED_STOPPED];
	v[SCHED_COL_VOLUNTARY].num = s->voluntary;
	v[SCHED_COL_INVOLUNTARY].num = s->involuntary;
	v[SCHED_COL_SWITCHES].num = s->voluntary + s->involuntary;
	v[SCHED_COL_WAKEUPS].num = s->wakeups;
	v[SCHED_COL_MIGRATIONS].num = s->migrations;
	v[SCHED_COL_WAITS].num = s->waits;
	v[SCHED_COL_WAITED].num = s->waited_ns;
	v[SCHED_COL_MAX].num = s->wait_max_ns;
	v[SCHED_COL_MAX_AT].num = at_ns > start_ns ? at_ns - start_ns : 0;
	for (int i = 0; i < HIST_SLOTS; i++) {
		slots[0][i] = s->wait_slots[i];
		slots[1][i] = s->run_slots[i];
		slots[2][i] = s->off_slots[i];
	}
	v[SCHED_COL_WAIT_SLOTS].slots = slots[0];
	v[SCHED_COL_RUN_SLOTS].slots = slots[1];
	v[SCHED_COL_SLEEP_SLOTS].slots = slots[2];
}

static int deliver(struct src_sched *src, struct value *values, const struct sched_sums *sums, struct row row)
{
	uint64_t slots[SCHED_HISTS][HIST_SLOTS];

	sched_values(sums, src->tasks.offset_ns, src->start_ns, slots, values);
	row.schema = src->cfg->schema;
	row.values = values;
	return src->sink->row(src->sink, &row);
}

static int deliver_live(void *arg, const void *record)
{
	const struct sched_task *t = record;
	struct src_sched *src = arg;
	struct value values[SCHED_COLUMNS] = { 0 };
	char comm[COMM_LEN];

	memcpy(comm, t->comm, sizeof(comm));
	comm[COMM_LEN - 1] = '\0';
	values[ROWS_COMM].text = comm;
	values[ROWS_PID].num = t->pid;
	values[ROWS_TID].num = t->tid;
	values[ROWS_USER].num = t->uid;
	values[ROWS_CGROUP].num = t->cgroup;
	values[ROWS_START].num = t->start;
	return deliver(src, values, &t->sums, (struct row){ .none = rows_none(src->cfg->by) });
}

/* A row of tasks that have ended, or of all CPUs what did not fit. */
static int deliver_row(void *arg, const void *key, const void *per_cpu)
{
	struct src_sched *src = arg;
	const struct sched_sums *sums = per_cpu;
	struct value values[SCHED_COLUMNS] = { 0 };
	struct row row = { .is_total = true };
	char comm[COMM_LEN];
	int ret = 0;

	if (key)
		row.none = rows_values(key, src->cfg->by, &src->at, comm, values);
	else
		rows_other(&row);
	for (int cpu = 0; cpu < (key ? 1 : src->cpus) && !ret; cpu++)
		ret = deliver(src, values, &sums[cpu], row);
	return ret;
}

static int snapshot(struct source *source, struct sink *sink)
{
	struct src_sched *src = (struct src_sched *)source;
	const struct rows rows = { src->skel->maps.rows, src->skel->maps.other, src, deliver_row, &src->ended };
	int ret;

	src->ended.by = src->by;
	src->ended.at = &src->at;
	src->sink = sink;
	src->skel->bss->run_ask_ns = src->tasks.ended_ns ? src->tasks.ended_ns : tasks_now(&src->tasks);
	ret = iter_read(src->skel->progs.sched_live, sizeof(struct sched_task), deliver_live, src);
	return ret ? ret : rows_walk(&rows);
}

static void add_to_profile(const struct source *source, struct profile *profile)
{
	const struct src_sched *src = (const struct src_sched *)source;
	uint64_t sum[COUNT_MAX], n = base_missed(&src->base);

	base_counts(&src->base, sum);
	base_profile(&src->base, sum, profile);
	if (src->place->pidns.level && src->place->target->all)
		profile_note(profile, "tasks outside this container that ran before the start are not in the table");
	if (n)
		profile_note(profile, "the kernel skipped %llu switches or wake-ups", (unsigned long long)n);
}

static void close_source(struct source *source)
{
	struct src_sched *src = (struct src_sched *)source;

	rows_ended_free(&src->ended);
	base_close(&src->base);
	free(src);
}

struct source *src_sched_new(const struct sched_cfg *cfg)
{
	struct src_sched *src = calloc(1, sizeof(*src));

	if (!src)
		return NULL;
	src->source = (struct source){
		.is_bpf = true,
		.open = open_source,
		.start = start,
		.stop = stop,
		.snapshot = snapshot,
		.profile = add_to_profile,
		.close = close_source,
	};
	src->base = (struct base){ .what = WHAT, .own = "switches", .own_is_apart = true, .has_stats = cfg->bpf_stats, .has_idle = true };
	src->cfg = cfg;
	return &src->source;
}
