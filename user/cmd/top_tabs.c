/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "cmd/top_tabs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "capture/byrows.h"
#include "capture/source/callsby.h"
#include "capture/source/net.h"
#include "capture/source/offcpu.h"
#include "capture/source/sched.h"
#include "cmd/kernel_names.h"
#include "event/columns.h"
#include "util/text.h"

struct tab {
	const struct schema *schema; /* NULL: there are samples */
	uint64_t keys;
	bool is_attached;
	bool shows_round; /* else all since it was attached */
	int sort;
	struct table round; /* what came since the last refresh */
	struct table last, sum; /* what is shown: of the last round, of all */
	struct table later; /* while the picture is held: what is to be added to the sum */
	bool is_zeroed; /* the sum begins with the next round: part of this one was before */
	struct rows_view of_round, of_sum;
	uint64_t since_ns, ended_ns; /* the sum began, the last round ended: since the start of the run */
};

struct top_tabs {
	struct tab tabs[TOP_TABS];
	struct byrows_schema call_schema;
	struct callsby_cfg calls;
	struct net_cfg net;
	struct kernel_names names;
	struct sched_schema sched_schema;
	struct sched_cfg sched;
	struct offcpu_cfg off;
};

static const struct preset {
	const char *name;
	const char *nothing; /* where there are no rows */
} presets[TOP_TABS] = {
	[TOP_CPU] = { "CPU" },
	[TOP_CALLS] = { "system calls", "no system call has returned yet" },
	[TOP_NET] = { "network", "no packet was sent or received yet" },
	[TOP_SCHED] = { "scheduler", "no task ran yet" },
	[TOP_OFF] = { "off-CPU time" },
};

const char *top_tab_name(int tab)
{
	return presets[tab].name;
}

bool top_tab_has_samples(int tab)
{
	return tab == TOP_CPU || tab == TOP_OFF;
}

/* keys: what its rows are summed by; hide: columns, of these too, that are not shown. */
static void set_rows(struct tab *tab, const struct schema *schema, uint64_t keys, uint64_t hide)
{
	tab->schema = schema;
	tab->keys = keys;
	tab->sort = schema->sort;
	tab->of_round = tab->of_sum = (struct rows_view){ .keys = keys & ~hide, .hide = hide, .cgroup_path = target_cgroup_path };
}

static void set_calls(struct top_tabs *t, uint32_t by)
{
	static const struct event all = { .kind = EVENT_SYSCALL, .config = SYSCALL_ANY };
	const struct byrows_cfg rows = { .count = "calls", .values = BYROWS_LATENCY, .offered = by ? by : TOP_CALLS_BY };
	const struct schema *schema = &t->call_schema.schema;

	byrows_schema(&t->call_schema, &rows);
	t->calls = (struct callsby_cfg){ .events = &all, .nr_events = 1, .by = rows.offered, .latency = true, .schema = schema };
	set_rows(&t->tabs[TOP_CALLS], schema, byrows_keys(rows.offered, 0), 0);
}

static void set_net(struct top_tabs *t, const struct target *target)
{
	uint64_t shown = 1ull << NET_COL_COMM | 1ull << NET_COL_PID, keys = net_keys(shown);

	t->net = (struct net_cfg){ .keys = keys, .names = { kernel_name, &t->names }, .is_whole = target_is_whole(target) };
	set_rows(&t->tabs[TOP_NET], &net_schema, keys, keys & ~shown);
}

static void set_sched(struct top_tabs *t)
{
	const struct schema *schema = &t->sched_schema.schema;

	sched_schema(&t->sched_schema, false);
	t->sched = (struct sched_cfg){ .schema = schema, .by = BY_COMM | BY_PID };
	set_rows(&t->tabs[TOP_SCHED], schema, rows_keys(t->sched.by), 0);
}

struct top_tabs *top_tabs_new(const struct target *target, uint16_t off_event, bool has_cgroup, uint32_t calls_by)
{
	struct top_tabs *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	set_calls(t, calls_by);
	set_net(t, target);
	set_sched(t);
	t->off = (struct offcpu_cfg){ .aggregate = true, .by_tid = true, .from_caller = true, .parts = OFFCPU_PART_ALL, .event = off_event, .has_cgroup = has_cgroup };
	return t;
}

static struct source *make_source(const struct top_tabs *t, int i)
{
	switch (i) {
	case TOP_CALLS: return src_callsby_new(&t->calls);
	case TOP_NET: return src_net_new(&t->net);
	case TOP_SCHED: return src_sched_new(&t->sched);
	default: return src_offcpu_new(&t->off);
	}
}

void top_tabs_free(struct top_tabs *t)
{
	if (!t)
		return;
	for (int i = 0; i < TOP_TABS; i++) {
		table_free(&t->tabs[i].round);
		table_free(&t->tabs[i].last);
		table_free(&t->tabs[i].sum);
		table_free(&t->tabs[i].later);
	}
	kernel_names_close(&t->names);
	free(t);
}

/* A sum of nothing. */
static int begin_sum(const struct tab *tab, struct table *sum)
{
	table_free(sum);
	if (table_init(sum, tab->schema, tab->keys))
		return -ENOMEM;
	sum->is_sum = true;
	return table_round(sum, tab->sort);
}

static int begin_sums(struct tab *tab)
{
	return begin_sum(tab, &tab->last) || begin_sum(tab, &tab->sum) || begin_sum(tab, &tab->later) ? -ENOMEM : 0;
}

static int begin(struct tab *tab, uint64_t since_start_ns)
{
	table_free(&tab->round); /* of a try that failed */
	tab->since_ns = tab->ended_ns = since_start_ns;
	return table_init(&tab->round, tab->schema, tab->keys) ? -ENOMEM : begin_sums(tab);
}

int top_tab_attach(struct top_tabs *t, int i, struct session *session, uint64_t since_start_ns, struct err *err)
{
	struct tab *tab = &t->tabs[i];
	int ret;

	if (i == TOP_CPU || tab->is_attached)
		return 0;
	ret = tab->schema ? begin(tab, since_start_ns) : 0;
	if (!ret)
		ret = session_add(session, make_source(t, i), err);
	tab->is_attached = !ret;
	return ret;
}

bool top_tab_is_attached(const struct top_tabs *t, int i)
{
	return t->tabs[i].is_attached;
}

int top_tabs_take(struct top_tabs *t, const struct row *row)
{
	for (int i = 0; i < TOP_TABS; i++)
		if (t->tabs[i].is_attached && t->tabs[i].schema == row->schema)
			return table_add(&t->tabs[i].round, row);
	return 0;
}

/* What a round has to a sum. */
static int add_round(struct table *sum, const struct table *round)
{
	int ret = 0;

	for (size_t i = 0; i < round->sorted.n && !ret; i++)
		ret = table_add(sum, &round->sorted.data[i]);
	return ret;
}

/* What is shown becomes what there is now. */
static int show_round(struct tab *tab, uint64_t since_start_ns)
{
	int ret = table_round(&tab->later, tab->sort);

	if (!ret)
		ret = add_round(&tab->sum, &tab->later);
	if (!ret)
		ret = begin_sum(tab, &tab->later);
	if (!ret)
		ret = table_round(&tab->sum, tab->sort);
	if (!ret)
		ret = begin_sum(tab, &tab->last);
	if (!ret)
		ret = add_round(&tab->last, &tab->round);
	tab->of_round.round_ns = since_start_ns - tab->ended_ns;
	tab->of_sum.round_ns = since_start_ns - tab->since_ns;
	return ret ? ret : table_round(&tab->last, tab->sort);
}

int top_tabs_round(struct top_tabs *t, uint64_t since_start_ns, bool holds)
{
	int ret = 0;

	for (int i = 0; i < TOP_TABS && !ret; i++) {
		struct tab *tab = &t->tabs[i];

		if (!tab->is_attached || !tab->schema)
			continue;
		ret = table_round(&tab->round, tab->sort);
		if (tab->is_zeroed)
			tab->since_ns = since_start_ns;
		else if (!ret)
			ret = add_round(&tab->later, &tab->round);
		tab->is_zeroed = false;
		if (!ret && !holds)
			ret = show_round(tab, since_start_ns);
		tab->ended_ns = since_start_ns;
	}
	return ret;
}

int top_tab_zero(struct top_tabs *t, int i)
{
	struct tab *tab = &t->tabs[i];

	tab->is_zeroed = true;
	tab->of_sum.round_ns = 0;
	return begin_sums(tab);
}

void top_tab_turn(struct top_tabs *t, int i)
{
	t->tabs[i].shows_round = !t->tabs[i].shows_round;
}

int top_tab_sort(struct top_tabs *t, int i, const char *word, struct err *err)
{
	struct tab *tab = &t->tabs[i];
	int ret = columns_sort(word, tab->schema, &tab->sort, err);

	if (!ret)
		ret = table_round(&tab->sum, tab->sort);
	return ret ? ret : table_round(&tab->last, tab->sort);
}

const char *top_tab_sorted(const struct top_tabs *t, int i)
{
	return t->tabs[i].schema->columns[t->tabs[i].sort].sort;
}

void top_tab_page(struct top_tabs *t, int i, struct browser_page *page, char *head, size_t size)
{
	struct tab *tab = &t->tabs[i];

	page->table = NULL;
	page->tree = NULL;
	page->mark_width = 0;
	tab->of_round.sort = tab->of_sum.sort = tab->sort;
	page->rows = tab->shows_round ? &tab->last : &tab->sum;
	page->rows_view = tab->shows_round ? &tab->of_round : &tab->of_sum;
	page->nothing = presets[i].nothing;
	if (tab->shows_round)
		text_append(head, size, 0, "in the last %.1f s", (double)tab->of_round.round_ns / 1e9);
	else
		text_append(head, size, 0, "in %.1f s", (double)tab->of_sum.round_ns / 1e9);
}
