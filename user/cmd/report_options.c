/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* perf report's options: taken, taken without effect, or refused with what to type instead. */
#include "cmd/report_options.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "render/rows/rows.h"
#include "util/num.h"

#define AT(field) offsetof(struct report_options, field)

static void set_chain_min(struct report_options *r, double percent)
{
	r->chains.min_percent = percent;
	r->chain_min_given = true;
}

static int set_limit(void *base, const char *text, struct err *err)
{
	struct report_options *r = base;
	int ret = num_double(text, 100, &r->percent_limit);

	set_chain_min(r, r->percent_limit); /* as in perf, where the last one counts */
	return ret ? err_exit(err, ret, EXIT_USAGE, "bad value '%s' of '--percent-limit': expected 0 to 100", text) : 0;
}

static int set_group_first(void *base, const char *text, struct err *err)
{
	struct report_options *r = base;
	int ret = num_u64(text, UINT16_MAX, &r->group_first);

	r->group = true;
	return ret ? err_exit(err, ret, EXIT_USAGE, "bad value '%s' of '--group-sort-idx': expected the number of an event", text) : 0;
}

static int set_widths(void *base, const char *text, struct err *err)
{
	struct report_options *r = base;
	char *list = strdup(text), *rest = list, *word;
	int ret = list ? 0 : -ENOMEM;

	while (!ret && (word = strsep(&rest, ",")))
		ret = r->nr_widths < REPORT_WIDTHS_MAX ? num_u64(word, 1000, &r->widths[r->nr_widths++]) : -E2BIG;
	free(list);
	return ret ? err_exit(err, ret, EXIT_USAGE, "bad value '%s' of '--column-widths': expected up to %d numbers, separated by commas", text,
			      REPORT_WIDTHS_MAX) : 0;
}

/* The words of -g, each with where it goes; as in perf, their first letters are enough. */
enum chain_word { WORD_MODE, WORD_ORDER, WORD_VALUE, WORD_KEY };

static const struct {
	const char *name;
	enum chain_word what;
	int value;
} chain_words[] = {
	{ "graph", WORD_MODE, CHAINS_GRAPH },	     { "flat", WORD_MODE, CHAINS_FLAT },
	{ "fractal", WORD_MODE, CHAINS_FRACTAL },    { "folded", WORD_MODE, CHAINS_FOLDED },
	{ "none", WORD_MODE, CHAINS_NONE },	     { "caller", WORD_ORDER, REPORT_ORDER_CALLER },
	{ "callee", WORD_ORDER, REPORT_ORDER_CALLEE }, { "percent", WORD_VALUE, CHAINS_SHARE },
	{ "period", WORD_VALUE, CHAINS_PERIOD },     { "count", WORD_VALUE, CHAINS_COUNT },
	{ "function", WORD_KEY, 0 },
};

/* numbers: how many came before: the first is the threshold, the second the limit. */
static int take_chain_word(struct report_options *r, const char *word, size_t len, int *numbers)
{
	char number[32];
	double value;

	for (size_t i = 0; i < sizeof(chain_words) / sizeof(chain_words[0]); i++) {
		if (strncmp(chain_words[i].name, word, len) != 0)
			continue;
		if (chain_words[i].what == WORD_MODE)
			r->chains.mode = (enum chains_mode)chain_words[i].value;
		else if (chain_words[i].what == WORD_ORDER)
			r->order = (enum report_order)chain_words[i].value;
		else if (chain_words[i].what == WORD_VALUE)
			r->chains.value = (enum chains_value)chain_words[i].value;
		return 0;
	}
	if (len >= sizeof(number) || *numbers > 1)
		return -EINVAL;
	memcpy(number, word, len);
	number[len] = '\0';
	if (++*numbers == 2)
		return num_u64(number, UINT32_MAX, &r->chains.limit);
	if (num_double(number, 100, &value))
		return -EINVAL;
	set_chain_min(r, value);
	return 0;
}

static int set_chains(void *base, const char *text, struct err *err)
{
	struct report_options *r = base;
	int numbers = 0, ret;

	r->with_chains = true;
	if (!text) { /* perf's -g is -g graph,0.5,caller,function,percent */
		set_chain_min(r, CHAINS_PERCENT);
		r->order = REPORT_ORDER_CALLER;
	}
	for (const char *at = text; at && *at; at += *at == ',') {
		size_t len = strcspn(at, ",");
		static const char *const keys[] = { "address", "srcline", "branch" };

		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
			if (len && strlen(keys[i]) == len && !strncmp(at, keys[i], len))
				return err_exit(err, -EINVAL, EXIT_USAGE, "'%s' of '--call-graph' is not available: skep compares functions", keys[i]);
		ret = len ? take_chain_word(r, at, len, &numbers) : 0;
		if (ret) {
			err_exit(err, ret, EXIT_USAGE, "bad value '%s' of '--call-graph': expected graph, fractal, flat, folded or none, a percentage, "
				 "a number of branches, caller or callee, percent, period or count", text);
			err_caret(err, text, at - text);
			return ret;
		}
		at += len;
	}
	return 0;
}

static const struct opt file_opts[] = {
	{ 'i', "input", "FILE", OPT_TEXT, AT(input), "file to read (default: perf.data)" },
	{ 'o', "output", "FILE", OPT_TEXT, AT(out), "where to write (default: standard output)" },
	{ 0, "header", NULL, OPT_FLAG, AT(header), "first what the file says of itself" },
	{ 0, "header-only", NULL, OPT_FLAG, AT(file.header_only), "only that" },
	{ 'I', "show-info", NULL, OPT_FLAG, AT(file.whole), "first that, with the machine's CPUs, nodes, caches and memory" },
	{ 0, "stats", NULL, OPT_FLAG, AT(file.stats), "only the number of records of each type" },
	{ 0, "tasks", NULL, OPT_FLAG, AT(file.tasks), "only the threads, under those that made them" },
	{ 0, "mmaps", NULL, OPT_FLAG, AT(file.mmaps), "the same, with what they mapped" },
	{ 'D', "dump-raw-trace", NULL, OPT_FLAG, AT(file.dump), "only all records, as skep script -D prints them" },
	{ 'T', "threads", NULL, OPT_FLAG, AT(with_counts), "after the tables, what each thread counted, if the file says so (perf record -s)" },
	{ 0, "pretty", "HOW", OPT_TEXT, AT(pretty), "normal: a row for each thread, a column for each event; raw: a row for both", .values = "normal|raw" },
	{ 0, "event-index", "N", OPT_TEXT, AT(event_index), "only this event of the file, counted from 0 (default: a table for each)" },
	{ 0 },
};

static const struct opt row_opts[] = {
	{ 's', "sort", "KEY,...", OPT_TEXT, AT(request.sort),
	  "comm, pid, tid, cpu, socket, dso, sym, event, srcline, srcfile, parent, time, trace, addr, cgroup, cgroup_id, symbol_size, dso_size, symbol_daddr, dso_daddr, symbol_iaddr, dcacheline, mem, tlb, snoop, locked, blocked, phys_daddr, data_page_size, code_page_size, weight, "
	  "local_weight, ins_lat, local_ins_lat, p_stage_cyc, local_p_stage_cyc, transaction, parallelism; of branches dso_from, dso_to, symbol_from, symbol_to, "
	  "srcline_from, srcline_to, mispredict, in_tx, abort, cycles; of a store " SAMPLE_LABELS_LISTED " (default: comm,dso,sym); +KEY adds to these" },
	{ 'F', "fields", "COLUMN,...", OPT_TEXT, AT(request.fields),
	  "columns: keys, overhead, overhead_children, overhead_sys, overhead_us, latency, latency_children, sample, period; +COLUMN adds one" },
	{ 0, "children", NULL, OPT_FLAG, AT(children), "a column that includes callees, and the order by it (default)" },
	{ 0, "no-children", NULL, OPT_FLAG, AT(no_children), "sort by self, without the column that includes callees" },
	{ 'n', "show-nr-samples", NULL, OPT_FLAG, AT(request.counts), "a column for the number of samples" },
	{ 0, "show-total-period", NULL, OPT_FLAG, AT(request.period), "a column for the sum of periods" },
	{ 0, "show-cpu-utilization", NULL, OPT_FLAG, AT(request.utilization), "columns for the shares of kernel and user space" },
	{ 0, "showcpuutilization", NULL, OPT_FLAG, AT(request.utilization), "the same, as perf spells it" },
	{ 0, "latency", NULL, OPT_FLAG, AT(request.by_latency),
	  "shares of the time that the program takes, first and in this order: each sample is divided by the threads that ran then (skep record --latency; "
	  "such files have the column in any case)" },
	{ 0, "percent-limit", "PCT", OPT_CALL, 0, "leave out rows below PCT percent", set_limit },
	{ 0, "percentage", "HOW", OPT_TEXT, AT(percentage), "absolute (default): of all samples; relative: of those that are shown",
	  .values = "relative|absolute" },
	{ 0, "top", "N", OPT_U64, AT(limits.max), "only the first N rows" },
	{ 0, "hierarchy", NULL, OPT_FLAG, AT(hierarchy), "keys below each other, with --no-children" },
	{ 0, "group", NULL, OPT_FLAG, AT(group), "one table, with columns for each event (default: a table for each)" },
	{ 0, "group-sort-idx", "N", OPT_CALL, 0, "the same, rows by number N of the events, counted from 0", set_group_first },
	{ 0, "no-group", NULL, OPT_FLAG, AT(no_group), "a table for each event (default)" },
	{ 'b', "branch-stack", NULL, OPT_FLAG, AT(branches), "branches instead of samples, each worth 1, by such keys (default: " REPORT_BRANCH_KEYS "; "
	  "without -g and --children the default for files that have some)" },
	{ 0, "no-branch-stack", NULL, OPT_FLAG, AT(no_branches), "samples, also of such files" },
	{ 0, "mem-mode", NULL, OPT_FLAG, AT(pick.costs),
	  "sums of the weights of samples (costs of memory accesses), by such keys (default: " REPORT_MEMORY_KEYS ")" },
	{ 0, "time-quantum", "TIME", OPT_DURATION, AT(request.quantum_ns), "of the key time (default 100ms)" },
	{ 0, "full-source-path", NULL, OPT_FLAG, AT(request.long_files), "source files with their path" },
	{ 0, "ns", NULL, OPT_FLAG, AT(long_times), "times in nanoseconds" },
	{ 'w', "column-widths", "N,...", OPT_CALL, 0, "widths of the columns, 0: as wide as their texts", set_widths },
	{ 't', "field-separator", "TEXT", OPT_TEXT, AT(separator), "TEXT between columns, and no blanks" },
	{ 0, "format", "FORMAT", OPT_TEXT, AT(format), "text (default), csv or json", .values = ROWS_FORMATS },
	{ 0, "json", NULL, OPT_FLAG, AT(json), "the same as --format json" },
	{ 0, "stdio", NULL, OPT_FLAG, offsetof(struct report_options, stdio), "text, also on a terminal, which gets a screen otherwise" },
	{ 0 },
};

static const struct opt_rule report_rules[] = {
	{ "json", .not_with = "format" },
	{ "children", .not_with = "no-children" },
	{ "group|group-sort-idx", .not_with = "no-group" },
	{ "group|group-sort-idx", .not_with = "hierarchy|event-index|json|format=json|format=csv", .why = "they show each event by itself" },
	{ "branch-stack", .not_with = "no-branch-stack" },
	{ "branch-stack", .not_with = "children|call-graph|inverted|mem-mode|parent|ignore-callees|max-stack", .why = "a branch has no callers" },
	{ "mem-mode", .not_with = "children", .why = "costs are of the access itself" },
	{ "latency", .not_with = "branch-stack|mem-mode", .why = "it divides the time of samples" },
	{ "hierarchy", .not_with = "fields|children|top|field-separator|column-widths|json|format=json|format=csv" },
	{ "header|header-only|show-info|stats|tasks|mmaps|dump-raw-trace", .not_with = "json|format=json|format=csv", .why = "they are text" },
	{ "threads", .not_with = "json|format=json|format=csv|header-only|stats|tasks|mmaps|dump-raw-trace", .why = "it prints a table after the others" },
	{ "header-only", .not_with = "stats|tasks|mmaps", .why = "it prints one of them" },
	{ "dump-raw-trace", .not_with = "header-only|stats|tasks|mmaps", .why = "it prints one of them" },
	{ "stats", .not_with = "tasks|mmaps", .why = "it prints one of them" },
	{ "store", .not_with = "input" },
	{ "store", .not_with = "header|header-only|show-info|stats|tasks|mmaps|dump-raw-trace|threads", .why = "they are of recordings" },
	{ 0 },
};

static const struct opt chain_opts[] = {
	{ 'g', "call-graph", "[=MODE,...]", OPT_CALL, 0,
	  "call chains of each row: graph (default), fractal, flat, folded or none; least percentage, limit; caller or callee; "
	  "percent, period or count", set_chains, .takes_next = true },
	{ 'G', "inverted", NULL, OPT_FLAG, AT(inverted), "the same, callers first" },
	{ 0, "no-call-graph", NULL, OPT_FLAG, AT(without_chains), "no call chains (default)" },
	{ 0 },
};

static const struct opt more_opts[] = {
	{ 0, "parallelism", "LIST", OPT_TEXT, AT(pick.parallelism), "only samples with so many threads running: 1-4,8 (skep record --latency)" },
	{ 'U', "hide-unresolved", NULL, OPT_FLAG, AT(pick.named_only), "only samples in functions that have a name" },
	{ 0, "symbol-filter", "TEXT", OPT_TEXT, AT(limits.symbol), "only rows with TEXT in their symbol" },
	{ 0 },
};

#define OF_ANNOTATE "for annotated code, which this command does not show"

static const struct opt nothing_opts[] = {
	{ 0, "stdio-color", "[=WHEN]", OPT_NOTHING, 0, "tables have no colour", .takes_next = true },
	{ 0, "tui", NULL, OPT_NOTHING, 0, "it is the screen on a terminal, text elsewhere" },
	{ 'f', "force", NULL, OPT_NOTHING, 0, "who owns the file does not matter" },
	{ 'm', "modules", NULL, OPT_NOTHING, 0, "modules have names in any case" },
	{ 0, "ignore-vmlinux", NULL, OPT_NOTHING, 0, "no image of the kernel is read, but that of -k" },
	{ 0, "demangle", NULL, OPT_NOTHING, 0, "the default" },
	{ 0, "demangle-kernel", NULL, OPT_NOTHING, 0, "names of the kernel stay as they are" },
	{ 0, "skip-empty", NULL, OPT_NOTHING, 0, "events without samples have no table" },
	{ 0, "no-itrace", NULL, OPT_NOTHING, 0, "instruction traces are not decoded" },
	{ 0, "disable-order", NULL, OPT_NOTHING, 0, "records are taken in the order of time" },
	{ 0, "raw-trace", NULL, OPT_NOTHING, 0, "the key trace has the text of the event's own format" },
	{ 0, "samples", "N", OPT_NOTHING, 0, "for perf's browser" },
	{ 0, "source", NULL, OPT_NOTHING, 0, OF_ANNOTATE },
	{ 0, "asm-raw", NULL, OPT_NOTHING, 0, OF_ANNOTATE },
	{ 'M', "disassembler-style", "STYLE", OPT_NOTHING, 0, OF_ANNOTATE },
	{ 0, "objdump", "PATH", OPT_NOTHING, 0, OF_ANNOTATE },
	{ 0, "prefix", "PREFIX", OPT_NOTHING, 0, OF_ANNOTATE },
	{ 0, "prefix-strip", "N", OPT_NOTHING, 0, OF_ANNOTATE },
	{ 0, "percent-type", "TYPE", OPT_NOTHING, 0, OF_ANNOTATE },
	{ 0 },
};

const struct opt_group report_groups[] = {
	{ "Report", file_opts, 0, report_rules },
	{ "Report", row_opts, 0 },
	{ "Store", store_opts, AT(store), store_rules },
	{ "Call chains", chain_opts, 0 },
	{ "Call chains", pickstack_opts, AT(stack) },
	{ "Which samples", pick_opts, AT(pick) },
	{ "Which samples", onoff_opts, AT(onoff), onoff_rules },
	{ "Which samples", more_opts, 0 },
	{ "Names", symbol_opts, AT(symbols), symbol_rules },
	{ "Honesty", honesty_opts, AT(h) },
	{ "Of perf, without effect", nothing_opts, 0 },
	{ 0 },
};

#define NO_BRANCHES "joins branch stacks with call chains or code, which skep does not: -b has the branches"
#define WITH_PERF "perf report reads the same file"

const struct opt_other report_others[] = {
	{ "--branch-history", NO_BRANCHES, WITH_PERF },
	{ "--stitch-lbr", NO_BRANCHES, WITH_PERF },
	{ "--total-cycles", NO_BRANCHES, WITH_PERF },
	{ "--itrace", "needs instruction traces, which skep does not decode", WITH_PERF },
	{ "--gtk", "needs a window, and this prints text", "leave it out, or skep flame -o out.html" },
	{ "--socket-filter", "needs the topology of CPUs, which skep does not read", "--cpu CPUS" },
	{ "--show-ref-call-graph", "is not available: chains are those of the event itself", "leave it out" },
	{ 0 },
};

const char *report_format(const struct report_options *r)
{
	return r->json ? "json" : r->format ? r->format : "text";
}

/* A list of one name: the column would say it in each row. */
static bool is_one(const char *list)
{
	return list && !strchr(list, ',') && strncmp(list, "file://", 7) != 0;
}

int report_options_end(struct report_options *r, struct err *err)
{
	bool text = !strcmp(report_format(r), "text");
	struct report_request *q = &r->request;

	r->no_children |= r->hierarchy || r->pick.costs || r->branches;
	r->pick.branches = r->branches;
	if (r->branches && !q->sort && !q->fields)
		q->sort = REPORT_BRANCH_KEYS;
	if (r->pick.costs && !q->sort && !q->fields) {
		r->default_keys = true;
		q->sort = REPORT_MEMORY_KEYS;
	}
	r->pick.onoff = &r->onoff;
	q->children = !r->no_children;
	q->chains = (r->with_chains || r->inverted) && !r->without_chains && r->chains.mode != CHAINS_NONE;
	if (!r->chain_min_given)
		r->chains.min_percent = CHAINS_PERCENT;
	if (r->inverted)
		r->order = REPORT_ORDER_CALLER;
	else if (r->order == REPORT_ORDER_DEFAULT)
		r->order = q->children ? REPORT_ORDER_CALLER : REPORT_ORDER_CALLEE;
	q->from_root = q->chains && text && r->order == REPORT_ORDER_CALLER;
	q->of_callers = q->chains && text && q->children;
	q->hidden[KEY_COMM] = text && is_one(r->pick.comms);
	q->hidden[KEY_DSO] = text && is_one(r->pick.dsos);
	q->hidden[KEY_SYM] = text && is_one(r->pick.symbols);
	r->chains.skip_first = !q->fields && q->sort && !strncmp(q->sort, "sym", 3);
	r->chains.separator = r->separator;
	r->limits.percent = r->hierarchy ? 0 : r->percent_limit;
	r->limits.self_only = r->no_children;
	r->stack.from_root = r->order == REPORT_ORDER_CALLER;
	if (r->stack.parent)
		q->with_parent = true;
	if (r->separator && !text)
		return err_exit(err, -EINVAL, EXIT_USAGE, "--field-separator is of text, and --format is %s", report_format(r));
	if (r->separator && !strcmp(r->separator, "."))
		return err_exit(err, -EINVAL, EXIT_USAGE, "bad value '.' of '--field-separator': it stands for the separator in names");
	return 0;
}
