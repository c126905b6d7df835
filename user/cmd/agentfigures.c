/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/agentfigures.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/byrows.h"
#include "capture/cost.h"
#include "capture/source/callsby.h"
#include "capture/source/net.h"
#include "capture/source/sched.h"
#include "cmd/kernel_names.h"
#include "cmd/offcpu.h"
#include "model/series.h"
#include "model/table.h"
#include "render/openmetrics.h"
#include "render/rows/rows.h"
#include "serve/http.h"
#include "util/clock.h"
#include "util/log.h"

#define IDLE_ROUNDS 720 /* an hour */
#define ENDED_BYTES (1u << 20) /* 2,500 sockets */

static const struct series_family
	of_cpu = { "skep_cpu_seconds", "CPU time, by samples of a clock.", { "unit" }, SERIES_COUNTER, true },
	of_samples = { "skep_samples", "Samples.", { "event", "unit" }, SERIES_COUNTER },
	of_events = { "skep_events", "Events that were sampled: the sum of the samples' periods.", { "event", "unit" }, SERIES_COUNTER },
	of_off = { "skep_offcpu_seconds", "Time off the CPUs, of waits that have ended.", { "unit" }, SERIES_COUNTER, true },
	of_faults = { "skep_page_faults", "Page faults, by one sample for each 1000.", { "unit" }, SERIES_COUNTER },
	of_run = { "skep_task_run_seconds", "Time that tasks ran, as the scheduler counts it.", { "unit" }, SERIES_COUNTER, true },
	of_delay = { "skep_runqueue_delay_seconds", "How long tasks that could run waited for a CPU.", { "unit" }, SERIES_HIST, true },
	of_calls = { "skep_syscalls", "System calls that have returned.", { "syscall", "error" }, SERIES_COUNTER },
	of_call_time = { "skep_syscall_duration_seconds", "How long system calls took.", { "syscall" }, SERIES_HIST, true },
	of_packets = { "skep_network_packets", "Packets that sockets sent and received, and packets of no socket.", { "unit", "direction" }, SERIES_COUNTER },
	of_bytes = { "skep_network_bytes", "Bytes of payload in these packets.", { "unit", "direction" }, SERIES_COUNTER },
	of_again = { "skep_network_retransmits", "Segments that were sent again.", { "unit" }, SERIES_COUNTER },
	of_drops = { "skep_network_drops", "Packets that the kernel dropped.", { "unit" }, SERIES_COUNTER },
	of_own_cpu = { "skep_agent_cpu_seconds", "CPU time of the agent itself.", { NULL }, SERIES_COUNTER, true },
	of_own_bpf = { "skep_agent_bpf_seconds", "CPU time of its BPF programs.", { NULL }, SERIES_COUNTER, true },
	of_peak = { "skep_agent_peak_resident_bytes", "Peak memory of the agent.", { NULL }, SERIES_GAUGE },
	of_maps = { "skep_agent_map_bytes", "Kernel memory of its BPF maps.", { NULL }, SERIES_GAUGE },
	of_used = { "skep_agent_table_used", "How much of a table in the kernel is used.", { "table" }, SERIES_GAUGE, .is_exempt = true },
	of_room = { "skep_agent_table_room", "What it has room for.", { "table" }, SERIES_GAUGE, .is_exempt = true },
	of_seen = { "skep_agent_samples_seen", "Samples that the kernel took.", { NULL }, SERIES_COUNTER },
	of_lost = { "skep_agent_lost", "What was lost, or is missing of what was kept, by reason.", { "reason" }, SERIES_COUNTER, .is_exempt = true },
	of_sent = { "skep_agent_profiles_sent", "Profiles that servers have taken (--push).", { NULL }, SERIES_COUNTER },
	of_sent_bytes = { "skep_agent_profiles_sent_bytes", "Bytes of these, as the store has them.", { NULL }, SERIES_COUNTER },
	of_dropped = { "skep_agent_profiles_dropped", "Profiles that servers will not get: the spool was full, or they were refused.", { NULL }, SERIES_COUNTER },
	of_failures = { "skep_agent_push_failures", "Tries to send a profile that had no success.", { NULL }, SERIES_COUNTER },
	of_waiting = { "skep_agent_profiles_waiting", "Profiles that servers do not have yet.", { NULL }, SERIES_GAUGE },
	of_values = { "skep_agent_series", "Series that --max-series counts.", { NULL }, SERIES_GAUGE },
	of_round = { "skep_agent_round_timestamp_seconds", "When these figures were made.", { NULL }, SERIES_GAUGE, true },
	of_beyond = { "skep_agent_series_beyond", "How often something was added to 'other': there are --max-series series.", { NULL }, SERIES_COUNTER };

/* A source's rows, by the keys of its families. */
struct view {
	const struct schema *schema; /* NULL: not attached */
	struct table round;
	int sort;
	int (*take)(struct figures *f, const struct row *row);
};

enum { VIEW_CALLS, VIEW_SCHED, VIEW_NET, VIEWS };

struct figures {
	const struct figures_cfg *cfg;
	struct http *http;
	struct series series;
	struct view views[VIEWS];
	struct byrows_schema call_schema;
	struct callsby_cfg calls;
	struct sched_schema sched_schema;
	struct sched_cfg sched;
	struct net_cfg net;
	struct kernel_names names;
};

/* A row's unit: of a control group; else what its label says it is of, without a key; else what has no group. */
static const char *unit_of(const struct figures *f, const struct row *row, size_t column)
{
	bool has_key = !row->label || !(row->none >> column & 1);
	const char *unit = has_key ? agent_labels_unit(f->cfg->labels, row->values[column].num) : NULL;

	return unit ? unit : row->label ? row->label : "(unknown)";
}

static int take_call(struct figures *f, const struct row *row)
{
	const struct value *v = row->values;
	const struct rows_view plain = { 0 };
	const char *call = row->label ? row->label : v[ROWS_SYSCALL].text;
	char error[32];
	int ret;

	rows_cell(error, sizeof(error), row, ROWS_ERRNO, &plain, true);
	ret = series_add(&f->series, &of_calls, (const char *[]){ call, row->label ? row->label : error }, v[BYROWS_COUNT].num);
	return ret ? ret : series_add_hist(&f->series, &of_call_time, &call, v[BYROWS_SLOTS].slots, v[BYROWS_TOTAL].num);
}

static int take_sched(struct figures *f, const struct row *row)
{
	const char *unit = unit_of(f, row, ROWS_CGROUP);
	int ret = series_add(&f->series, &of_run, &unit, row->values[SCHED_COL_RUN].num);

	return ret ? ret : series_add_hist(&f->series, &of_delay, &unit, row->values[SCHED_COL_WAIT_SLOTS].slots, row->values[SCHED_COL_WAIT].num);
}

static int take_net(struct figures *f, const struct row *row)
{
	const char *sent[] = { unit_of(f, row, NET_COL_CGROUP), "out" }, *received[] = { sent[0], "in" };
	const struct {
		const struct series_family *family;
		const char *const *texts;
		enum net_column column;
	} all[] = {
		{ &of_packets, sent, NET_COL_TX_PACKETS }, { &of_packets, received, NET_COL_RX_PACKETS },
		{ &of_bytes, sent, NET_COL_TX_BYTES }, { &of_bytes, received, NET_COL_RX_BYTES },
		{ &of_again, sent, NET_COL_RETRANSMITS }, { &of_drops, sent, NET_COL_DROPS },
	};
	int ret = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && !ret; i++)
		if (row_knows(row, all[i].column))
			ret = series_add(&f->series, all[i].family, all[i].texts, row->values[all[i].column].num);
	return ret;
}

static int set_view(struct figures *f, int i, const struct schema *schema, uint64_t keys, int (*take)(struct figures *f, const struct row *row))
{
	f->views[i] = (struct view){ .schema = schema, .sort = schema->sort, .take = take };
	return table_init(&f->views[i].round, schema, keys);
}

static int set_calls(struct figures *f)
{
	static const struct event all = { .kind = EVENT_SYSCALL, .config = SYSCALL_ANY };
	const struct byrows_cfg rows = { .count = "calls", .values = BYROWS_LATENCY, .offered = BY_SYSCALL | BY_ERRNO };

	byrows_schema(&f->call_schema, &rows);
	f->calls = (struct callsby_cfg){ .events = &all, .nr_events = 1, .by = rows.offered, .latency = true, .bpf_stats = true, .schema = &f->call_schema.schema };
	return set_view(f, VIEW_CALLS, f->calls.schema, byrows_keys(rows.offered, 0), take_call);
}

static int set_sched(struct figures *f)
{
	sched_schema(&f->sched_schema, false);
	f->sched = (struct sched_cfg){ .schema = &f->sched_schema.schema, .by = BY_CGROUP, .bpf_stats = true };
	return set_view(f, VIEW_SCHED, f->sched.schema, rows_keys(f->sched.by), take_sched);
}

static int set_net(struct figures *f)
{
	f->net = (struct net_cfg){ .keys = net_keys(1ull << NET_COL_CGROUP), .names = { kernel_name, &f->names }, .is_whole = true, .bpf_stats = true,
				  .ended_bytes = ENDED_BYTES };
	return set_view(f, VIEW_NET, &net_schema, f->net.keys, take_net);
}

static int publish(struct figures *f)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	int ret;

	if (!out)
		return -ENOMEM;
	openmetrics_write(out, &f->series);
	ret = fclose(out) ? -ENOMEM : http_publish(f->http, "/metrics", OPENMETRICS_TYPE, text, n);
	free(text);
	return ret;
}

int figures_open(const struct figures_cfg *cfg, struct figures **ret_figures, struct err *err)
{
	struct figures *f = calloc(1, sizeof(*f));
	int ret;

	if (!f)
		return err_set(err, -ENOMEM, "out of memory");
	f->cfg = cfg;
	ret = series_init(&f->series, cfg->max_series ? cfg->max_series : FIGURES_SERIES_DEFAULT);
	if (!ret && cfg->calls)
		ret = set_calls(f);
	if (!ret && cfg->sched)
		ret = set_sched(f);
	if (!ret && cfg->net)
		ret = set_net(f);
	ret = ret ? err_set(err, ret, "out of memory") : http_open(cfg->listen, &f->http, err);
	if (!ret)
		ret = publish(f) || http_publish(f->http, "/healthz", "text/plain", "ok\n", 3) ? err_set(err, -ENOMEM, "out of memory") : 0;
	if (ret) {
		figures_close(f);
		return ret;
	}
	log_note("note: figures are at http://%s/metrics", http_address(f->http));
	*ret_figures = f;
	return 0;
}

void figures_close(struct figures *f)
{
	if (!f)
		return;
	http_close(f->http);
	for (int i = 0; i < VIEWS; i++)
		if (f->views[i].schema)
			table_free(&f->views[i].round);
	series_free(&f->series);
	kernel_names_close(&f->names);
	free(f);
}

struct http *figures_http(const struct figures *f)
{
	return f->http;
}

int figures_attach(struct figures *f, struct session *session, struct err *err)
{
	int ret = 0;

	if (f->cfg->calls)
		ret = session_add(session, src_callsby_new(&f->calls), err);
	if (!ret && f->cfg->sched)
		ret = session_add(session, src_sched_new(&f->sched), err);
	if (!ret && f->cfg->net)
		ret = session_add(session, src_net_new(&f->net), err);
	return ret;
}

int figures_sample(struct figures *f, const struct event *e, bool is_cpu, const struct named *named)
{
	const char *unit = agent_labels_unit(f->cfg->labels, named->at->cgroup), *texts[] = { e->name, unit ? unit : "(unknown)" };
	int ret;

	if (!strcmp(e->name, OFFCPU_EVENT))
		return series_add(&f->series, &of_off, &texts[1], named->at->weight);
	ret = series_add(&f->series, &of_samples, texts, named->at->count);
	if (!ret && is_cpu)
		return series_add(&f->series, &of_cpu, &texts[1], named->at->weight);
	if (!ret && !strcmp(e->name, FAULTS_EVENT))
		return series_add(&f->series, &of_faults, &texts[1], named->at->weight);
	return ret ? ret : series_add(&f->series, &of_events, texts, named->at->weight);
}

int figures_row(struct figures *f, const struct row *row)
{
	for (int i = 0; i < VIEWS; i++)
		if (f->views[i].schema == row->schema)
			return table_add(&f->views[i].round, row);
	return 0;
}

static int add_push(struct figures *f)
{
	struct push_counts c = push_counts(f->cfg->push);
	int ret = series_set(&f->series, &of_sent, NULL, c.sent);

	ret = ret ? ret : series_set(&f->series, &of_sent_bytes, NULL, c.bytes);
	ret = ret ? ret : series_set(&f->series, &of_dropped, NULL, c.dropped);
	ret = ret ? ret : series_set(&f->series, &of_failures, NULL, c.failures);
	return ret ? ret : series_set(&f->series, &of_waiting, NULL, c.waiting);
}

/* What the agent itself took and lost. */
static int add_own(struct figures *f, const struct profile *ledger)
{
	struct receipt own = ledger->receipt;
	int ret;

	cost_of_self(&own);
	ret = series_set(&f->series, &of_own_cpu, NULL, own.own_cpu_ns);
	if (!ret && own.bpf_runs) /* else the kernel does not measure it */
		ret = series_set(&f->series, &of_own_bpf, NULL, own.bpf_ns);
	if (!ret)
		ret = series_set(&f->series, &of_peak, NULL, own.peak_rss_bytes);
	if (!ret)
		ret = series_set(&f->series, &of_maps, NULL, own.map_bytes);
	for (uint32_t i = 0; i < own.nr_fills && !ret; i++) {
		ret = series_set(&f->series, &of_used, &own.fills[i].name, own.fills[i].used);
		ret = ret ? ret : series_set(&f->series, &of_room, &own.fills[i].name, own.fills[i].room);
	}
	if (!ret)
		ret = series_set(&f->series, &of_seen, NULL, ledger->seen);
	for (int i = 0; i < LOSS_MAX && !ret; i++) {
		const char *reason = loss_name(i);

		ret = series_set(&f->series, &of_lost, &reason, ledger->losses[i]);
	}
	if (!ret)
		ret = series_set(&f->series, &of_beyond, NULL, f->series.beyond);
	if (!ret)
		ret = series_set(&f->series, &of_round, NULL, clock_ns(CLOCK_REALTIME));
	if (!ret && f->cfg->push)
		ret = add_push(f);
	return ret ? ret : series_set(&f->series, &of_values, NULL, f->series.nr_lines);
}

int figures_round(struct figures *f, const struct profile *ledger)
{
	int ret = 0;

	for (int i = 0; i < VIEWS && !ret; i++) {
		struct view *v = &f->views[i];

		if (!v->schema)
			continue;
		ret = table_round(&v->round, v->sort);
		for (size_t k = 0; k < v->round.sorted.n && !ret; k++)
			ret = v->take(f, &v->round.sorted.data[k]);
	}
	if (!ret)
		ret = series_round(&f->series, IDLE_ROUNDS);
	if (!ret)
		ret = add_own(f, ledger);
	return ret ? ret : publish(f);
}
