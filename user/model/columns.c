/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The table of columns, and perf's rules of -s and -F. */
#include "model/columns.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "util/near.h"

#define PERCENT_WIDTH 8
#define COUNT_WIDTH 12

#define BRANCHES .needs = PERF_SAMPLE_BRANCH_STACK, .how = "branch stacks (perf record -b)"
#define ADDRESSES .needs = PERF_SAMPLE_ADDR, .how = "data addresses (perf record -d)"
#define SOURCES .needs = PERF_SAMPLE_DATA_SRC, .how = "data sources (perf mem record)"

const struct report_column_row report_columns[REPORT_COLUMNS] = {
	[KEY_COMM] = { "comm", NULL, "Command" },
	[KEY_PID] = { "pid", NULL, "    Pid:Command" },
	[KEY_TID] = { "tid", NULL, "    Tid:Command" },
	[KEY_CPU] = { "cpu", NULL, "CPU" },
	[KEY_DSO] = { "dso", "obj", "Shared Object" },
	[KEY_SYM] = { "sym", "symbol", "Symbol" },
	[KEY_EVENT] = { "event", NULL, "Event" },
	[KEY_SRCLINE] = { "srcline", NULL, "Source:Line", .slots = 3 },
	[KEY_SRCFILE] = { "srcfile", NULL, "Source File", .slots = 1 },
	[KEY_PARENT] = { "parent", NULL, "Parent symbol", .slots = 1 },
	[KEY_TIME] = { "time", NULL, "Time", .slots = 1 },
	[KEY_TRACE] = { "trace", NULL, "Trace output", .slots = 1 },
	[KEY_SOCKET] = { "socket", NULL, "Socket", .slots = 1 },
	[KEY_DSO_FROM] = { "dso_from", NULL, "Source Shared Object", .slots = 1, BRANCHES },
	[KEY_DSO_TO] = { "dso_to", NULL, "Target Shared Object", .slots = 1, BRANCHES },
	[KEY_SYM_FROM] = { "symbol_from", "sym_from", "Source Symbol", .slots = 2, BRANCHES },
	[KEY_SYM_TO] = { "symbol_to", "sym_to", "Target Symbol", .slots = 2, BRANCHES },
	[KEY_SRCLINE_FROM] = { "srcline_from", NULL, "From Source:Line", .slots = 3, BRANCHES },
	[KEY_SRCLINE_TO] = { "srcline_to", NULL, "To Source:Line", .slots = 3, BRANCHES },
	[KEY_MISPREDICT] = { "mispredict", NULL, "Branch Mispredicted", .slots = 1, BRANCHES },
	[KEY_IN_TX] = { "in_tx", NULL, "Branch in transaction", .slots = 1, BRANCHES },
	[KEY_ABORT] = { "abort", NULL, "Transaction abort", .slots = 1, BRANCHES },
	[KEY_CYCLES] = { "cycles", NULL, "Basic Block Cycles", .slots = 1, BRANCHES },
	[KEY_LOCAL_WEIGHT] = { "local_weight", NULL, "Local Weight", .slots = 1 },
	[KEY_WEIGHT] = { "weight", NULL, "Weight", .slots = 1 },
	[KEY_LOCAL_INS_LAT] = { "local_ins_lat", NULL, "Local INSTR Latency", .slots = 1 },
	[KEY_INS_LAT] = { "ins_lat", NULL, "INSTR Latency", .slots = 1 },
	[KEY_LOCAL_P_STAGE_CYC] = { "local_p_stage_cyc", NULL, "Local Pipeline Stage Cycle", .slots = 1 },
	[KEY_P_STAGE_CYC] = { "p_stage_cyc", NULL, "Pipeline Stage Cycle", .slots = 1 },
	[KEY_TRANSACTION] = { "transaction", NULL, "Transaction", .slots = 1 },
	[KEY_ADDR] = { "addr", NULL, "Address", .slots = 1 },
	[KEY_CODE_PAGE_SIZE] = { "code_page_size", NULL, "Code Page Size", .slots = 1 },
	[KEY_DATA_PAGE_SIZE] = { "data_page_size", NULL, "Data Page Size", .slots = 1, .needs = PERF_SAMPLE_DATA_PAGE_SIZE,
				 .how = "sizes of pages (perf record --data-page-size)" },
	[KEY_PHYS_DADDR] = { "phys_daddr", NULL, "Data Physical Address", .slots = 1, .needs = PERF_SAMPLE_PHYS_ADDR,
			     .how = "physical addresses (perf record --phys-data)" },
	[KEY_MEM] = { "mem", NULL, "Memory access", .slots = 1, SOURCES },
	[KEY_TLB] = { "tlb", NULL, "TLB access", .slots = 1, SOURCES },
	[KEY_SNOOP] = { "snoop", NULL, "Snoop", .slots = 1, SOURCES },
	[KEY_LOCKED] = { "locked", NULL, "Locked", .slots = 1, SOURCES },
	[KEY_BLOCKED] = { "blocked", NULL, "Blocked", .slots = 1, SOURCES },
	[KEY_CGROUP] = { "cgroup", NULL, "Cgroup", .slots = 1 },
	[KEY_PARALLELISM] = { "parallelism", NULL, "Parallelism", .slots = 1 },
	[KEY_SYM_SIZE] = { "symbol_size", NULL, "Symbol size", .slots = 1 },
	[KEY_DSO_SIZE] = { "dso_size", NULL, "DSO size", .slots = 1 },
	[KEY_CGROUP_ID] = { "cgroup_id", NULL, "cgroup id (dev/inode)", .slots = 2 },
	[KEY_HOST] = { "host", NULL, "Host", .slots = 1 },
	[KEY_UNIT] = { "unit", NULL, "Unit", .slots = 1 },
	[KEY_CONTAINER] = { "container", NULL, "Container", .slots = 1 },
	[KEY_CONTAINER_NAME] = { "container_name", NULL, "Container Name", .slots = 1 },
	[KEY_IMAGE] = { "image", NULL, "Image", .slots = 1 },
	[KEY_EXE] = { "exe", NULL, "Executable", .slots = 1 },
	[KEY_BUILD_ID] = { "build_id", NULL, "Build ID", .slots = 1 },
	[KEY_SYM_DADDR] = { "symbol_daddr", NULL, "Data Symbol", .slots = ADDRESS_SLOTS, ADDRESSES },
	[KEY_DSO_DADDR] = { "dso_daddr", NULL, "Data Object", .slots = 1, ADDRESSES },
	[KEY_SYM_IADDR] = { "symbol_iaddr", NULL, "Code Symbol", .slots = ADDRESS_SLOTS },
	[KEY_CACHE_LINE] = { "dcacheline", NULL, "Data Cacheline", .slots = ADDRESS_SLOTS + 1, ADDRESSES },
	[SUM_NOW] = { "now", NULL, "Now", PERCENT_WIDTH },
	[SUM_CHILDREN] = { "overhead_children", NULL, "Children", PERCENT_WIDTH },
	[SUM_SELF] = { "overhead", NULL, "Overhead", PERCENT_WIDTH },
	[SUM_SYS] = { "overhead_sys", NULL, "sys", PERCENT_WIDTH },
	[SUM_US] = { "overhead_us", NULL, "usr", PERCENT_WIDTH },
	[SUM_GUEST_SYS] = { "overhead_guest_sys", NULL, "guest sys", PERCENT_WIDTH + 1 },
	[SUM_GUEST_US] = { "overhead_guest_us", NULL, "guest usr", PERCENT_WIDTH + 1 },
	[SUM_SAMPLES] = { "sample", NULL, "Samples", COUNT_WIDTH },
	[SUM_PERIOD] = { "period", NULL, "Period", COUNT_WIDTH },
	[SUM_LATENCY_CHILDREN] = { "latency_children", NULL, "Latency", PERCENT_WIDTH },
	[SUM_LATENCY] = { "latency", NULL, "Latency", PERCENT_WIDTH },
};

#define NO_PROGRAM "needs the code between branches, which skep report does not read"
#define NO_ADDRESS "is not kept: symbol_from, symbol_to, srcline_from and srcline_to name places of branches"

/* Keys of perf that no file gives to skep. */
static const struct {
	const char *word, *why;
} refused[] = {
	{ "trace_fields", "needs the fields of tracepoints, which skep report does not read: skep script prints them" },
	{ "ipc_null", NO_PROGRAM },
	{ "ipc_lbr", NO_PROGRAM },
	{ "addr_from", NO_ADDRESS },
	{ "addr_to", NO_ADDRESS },
};

static bool is_word(const char *name, const char *word, size_t len)
{
	return name && strlen(name) == len && !strncasecmp(name, word, len);
}

static int refuse(const char *list, const char *word, size_t len, const char *kind, struct err *err)
{
	struct near near;

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (is_word(refused[i].word, word, len)) {
			err_exit(err, -EINVAL, EXIT_USAGE, "%s '%s' %s", kind, refused[i].word, refused[i].why);
			err_caret(err, list, word - list);
			return -EINVAL;
		}
	err_exit(err, -EINVAL, EXIT_USAGE, "bad %s in '%s': there is none named '%.*s'", kind, list, (int)len, word);
	err_caret(err, list, word - list);
	near_init(&near, word, len);
	for (int c = 0; c < REPORT_COLUMNS; c++)
		near_offer(&near, report_columns[c].name, strlen(report_columns[c].name));
	if (near_is_close(&near))
		near_hint(&near, err);
	else
		err_hint(err, "skep report -h lists them");
	return -EINVAL;
}

/* A whole word, else the first column that begins with it, as in perf. -EINVAL with err filled. */
static int take_word(const char *list, const char *word, size_t len, const char *kind, struct err *err)
{
	for (int i = 0; i < REPORT_COLUMNS; i++)
		if (is_word(report_columns[i].name, word, len) || is_word(report_columns[i].alias, word, len))
			return i;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (is_word(refused[i].word, word, len))
			return refuse(list, word, len, kind, err);
	for (int i = 0; i < REPORT_COLUMNS && len > 1; i++)
		if (!strncasecmp(report_columns[i].name, word, len) ||
		    (report_columns[i].alias && !strncasecmp(report_columns[i].alias, word, len)))
			return i;
	return refuse(list, word, len, kind, err);
}

static bool has(const enum report_column *list, uint32_t n, enum report_column c)
{
	for (uint32_t i = 0; i < n; i++)
		if (list[i] == c)
			return true;
	return false;
}

static void show(struct report_layout *l, enum report_column c)
{
	if (!has(l->shown, l->nr_shown, c))
		l->shown[l->nr_shown++] = c;
	l->with[c] = true;
}

static void order(struct report_layout *l, enum report_column c)
{
	if (!has(l->order, l->nr_order, c))
		l->order[l->nr_order++] = c;
	if (c < KEY_MAX && !has(l->keys, l->nr_keys, c))
		l->keys[l->nr_keys++] = c;
	l->with[c] = true;
}

/* The same of a column that --sort names: it is shown, too. */
static void sort(struct report_layout *l, enum report_column c)
{
	order(l, c);
	l->sorted[c] = true;
}

typedef void take_fn(struct report_layout *l, enum report_column c);

static int take_list(struct report_layout *l, const char *list, const char *words, const char *kind, take_fn *take, struct err *err)
{
	for (const char *at = words;; at++) {
		size_t len = strcspn(at, ", ");
		int c = take_word(list, at, len, kind, err);

		if (c < 0)
			return c;
		take(l, (enum report_column)c);
		at += len;
		if (!*at)
			return 0;
	}
}

static bool is_strict(const char *list)
{
	return list && *list != '+';
}

/* The same of a sum that the order has: with latencies perf shows no others, unless -F names them. */
static void show_ordered(struct report_layout *l, enum report_column c)
{
	if (has(l->order, l->nr_order, c))
		show(l, c);
}

/* Each where perf has it (perf_hpp__init()). */
static void latency_sums(struct report_layout *l, const struct report_request *q)
{
	if (q->by_latency)
		show_ordered(l, SUM_LATENCY_CHILDREN);
	show_ordered(l, SUM_CHILDREN);
	show_ordered(l, SUM_LATENCY_CHILDREN);
	if (q->by_latency)
		show_ordered(l, SUM_LATENCY);
	show_ordered(l, SUM_SELF);
	show_ordered(l, SUM_LATENCY);
}

/* The sums that stand before all keys, unless -F gives the columns. */
static void default_sums(struct report_layout *l, const struct report_request *q)
{
	if (q->now)
		show(l, SUM_NOW);
	if (q->latency) {
		latency_sums(l, q);
	} else {
		if (q->children)
			show(l, SUM_CHILDREN);
		show(l, SUM_SELF);
	}
	if (q->utilization) {
		show(l, SUM_SYS);
		show(l, SUM_US);
	}
	if (q->counts)
		show(l, SUM_SAMPLES);
	if (q->period)
		show(l, SUM_PERIOD);
}

/* Whether the order begins with it: -s and -F do not say another place for it. perf looks for the name anywhere in -s (setup_overhead()). */
static bool leads(const struct report_request *q, const char *sum)
{
	return !is_strict(q->fields) && (!q->sort || !strstr(q->sort, sum));
}

static void lead(struct report_layout *l, const struct report_request *q, enum report_column sum)
{
	if (leads(q, report_columns[sum].name))
		order(l, sum);
}

/* The sums that the order begins with, as perf's setup_overhead(): without --latency none where -s names one. */
static void lead_latency(struct report_layout *l, const struct report_request *q)
{
	bool children = q->children;

	if (q->by_latency) {
		if (children) {
			lead(l, q, SUM_LATENCY_CHILDREN);
			lead(l, q, SUM_CHILDREN);
		}
		lead(l, q, SUM_LATENCY);
		lead(l, q, SUM_SELF);
	} else if (leads(q, "overhead") && leads(q, "latency")) {
		if (children) {
			order(l, SUM_CHILDREN);
			order(l, SUM_LATENCY_CHILDREN);
		}
		order(l, SUM_SELF);
		order(l, SUM_LATENCY);
	}
}

/* The order of rows: by the sums and then by -s; by -s alone where -F gives the columns; by the columns where only -F is given. */
static int take_order(struct report_layout *l, const struct report_request *q, struct err *err)
{
	bool strict = is_strict(q->sort);
	int ret;

	if (!q->sort && is_strict(q->fields))
		return take_list(l, q->fields, q->fields, "field", order, err);
	if (q->now)
		order(l, SUM_NOW);
	if (q->latency)
		lead_latency(l, q);
	else if (q->children)
		lead(l, q, SUM_CHILDREN);
	if (!q->latency)
		lead(l, q, SUM_SELF);
	if (!strict)
		take_list(l, REPORT_KEYS, REPORT_KEYS, "sort key", order, err);
	ret = q->sort ? take_list(l, q->sort, q->sort + !strict, "sort key", sort, err) : 0;
	if (!ret && q->with_parent)
		order(l, KEY_PARENT);
	return ret;
}

/* Columns that have one text stand in no row, as in perf. */
static void hide(struct report_layout *l, const struct report_request *q)
{
	uint32_t n = 0, keys = 0;

	for (uint32_t i = 0; i < l->nr_shown; i++)
		keys += l->shown[i] < KEY_MAX && !q->hidden[l->shown[i]];
	for (uint32_t i = 0; i < l->nr_shown && keys; i++)
		if (l->shown[i] >= KEY_MAX || !q->hidden[l->shown[i]])
			l->shown[n++] = l->shown[i];
	l->nr_shown = keys ? n : l->nr_shown;
}

int report_layout_parse(struct report_layout *l, const struct report_request *q, struct err *err)
{
	int ret;

	*l = (struct report_layout){ 0 };
	ret = take_order(l, q, err);
	memset(l->with, 0, sizeof(l->with)); /* of the sums those that are shown */
	if (!ret && !is_strict(q->fields))
		default_sums(l, q);
	if (!ret && q->fields)
		ret = take_list(l, q->fields, q->fields + !is_strict(q->fields), "field", show, err);
	if (!ret && !q->now && (has(l->shown, l->nr_shown, SUM_NOW) || has(l->order, l->nr_order, SUM_NOW)))
		ret = err_exit(err, -EINVAL, EXIT_USAGE, "the column 'now' is one of skep top");
	if (ret)
		return ret;
	for (uint32_t i = 0; i < l->nr_order; i++)
		if (l->order[i] < KEY_MAX || (l->sorted[l->order[i]] && !is_strict(q->fields)))
			show(l, l->order[i]);
	hide(l, q);
	for (uint32_t i = 0; i < l->nr_shown; i++)
		if (l->shown[i] < KEY_MAX && !has(l->keys, l->nr_keys, l->shown[i]))
			l->keys[l->nr_keys++] = l->shown[i];
	return 0;
}

static uint32_t without_latency(enum report_column *list, uint32_t nr)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < nr; i++)
		if (list[i] != SUM_LATENCY && list[i] != SUM_LATENCY_CHILDREN)
			list[n++] = list[i];
	return n;
}

enum report_column report_layout_other(const struct report_layout *l, uint64_t keys)
{
	for (uint32_t i = 0; i < l->nr_keys; i++)
		if (!(keys & KEY_BIT(l->keys[i])))
			return l->keys[i];
	return KEY_MAX;
}

uint32_t report_layout_labels(const struct report_layout *l)
{
	uint32_t bits = 0;

	for (uint32_t i = 0; i < l->nr_keys; i++)
		if (label_key_is(l->keys[i]))
			bits |= 1u << (l->keys[i] - KEY_LABEL_FIRST);
	return bits;
}

bool report_layout_has_lines(const struct report_layout *l)
{
	return l->with[KEY_SRCLINE] || l->with[KEY_SRCFILE] || l->with[KEY_SRCLINE_FROM] || l->with[KEY_SRCLINE_TO];
}

void report_layout_no_latency(struct report_layout *l)
{
	l->nr_shown = without_latency(l->shown, l->nr_shown);
	l->nr_order = without_latency(l->order, l->nr_order);
	l->with[SUM_LATENCY] = l->with[SUM_LATENCY_CHILDREN] = false;
}
