/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep top: where samples fall now, and since the start. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/refusal.h"
#include "cmd/browser.h"
#include "cmd/cmd.h"
#include "cmd/nothing.h"
#include "cmd/offcpu.h"
#include "cmd/top.h"
#include "cmd/top_store.h"
#include "cmd/top_tabs.h"
#include "render/rows/report.h"
#include "render/rows/rows.h"
#include "ui/screen.h"
#include "ui/terminal.h"
#include "util/interrupt.h"
#include "util/log.h"
#include "util/num.h"
#include "util/text.h"

#define REFRESH_NS 1000000000ull
#define REFRESH_MIN_NS 10000000ull
#define HEAD_LINES 5	/* of a table on a terminal, with those below it */

static int set_n(void *base, const char *text, struct err *err)
{
	struct top_options *o = base;

	if (!text) {
		o->request.counts = true;
		return 0;
	}
	if (num_u64(text, UINT32_MAX, &o->refreshes) || !o->refreshes)
		return err_exit(err, -EINVAL, EXIT_USAGE, "bad value '%s' of '-n': expected the number of refreshes, or nothing for numbers of samples", text);
	return 0;
}

static const struct opt top_opts[] = {
	{ 'd', "delay", "TIME", OPT_DURATION, offsetof(struct top_options, refresh_ns), "refresh every TIME (2, 500ms; default 1 s, with --store 10 s)" },
	{ 's', "sort", "KEY,...", OPT_TEXT, offsetof(struct top_options, request.sort),
	  "what rows are summed by: comm, pid, tid, dso, sym, cgroup, event (default: comm,dso,sym); +KEY adds to these; with --store the keys of skep report" },
	{ 0, "by", "KEY,...", OPT_TEXT, offsetof(struct top_options, by), "of -e 'syscalls:*': what calls are summed by: comm, syscall (default: both)" },
	{ 'n', "refreshes", "[=N]", OPT_CALL, 0, "end after N refreshes; without N, as perf's: a column for the number of samples", set_n,
	  .takes_next = true, .lone_letter = true },
	{ 0, "show-nr-samples", NULL, OPT_FLAG, offsetof(struct top_options, request.counts), "a column for the number of samples" },
	{ 0, "show-total-period", NULL, OPT_FLAG, offsetof(struct top_options, request.period), "a column for the sum of periods" },
	{ 'E', "entries", "N", OPT_U64, offsetof(struct top_options, entries), "at most N rows (default: what fits on the terminal; elsewhere 20)" },
	{ 'g', NULL, NULL, OPT_FLAG, offsetof(struct top_options, callers), "callers below each row of a table; the screen has them in any case" },
	{ 'z', "zero", NULL, OPT_FLAG, offsetof(struct top_options, zero), "begin again with each refresh" },
	{ 'K', "hide_kernel_symbols", NULL, OPT_FLAG, offsetof(struct top_options, m.all_user), "only what happens in user space" },
	{ 'U', "hide_user_symbols", NULL, OPT_FLAG, offsetof(struct top_options, m.all_kernel), "only what happens in the kernel" },
	{ 0, "format", "FORMAT", OPT_TEXT, offsetof(struct top_options, format), "text, or json: an object for each row, a line each", .values = "text|json" },
	{ 0, "stdio", NULL, OPT_FLAG, offsetof(struct top_options, stdio), "tables, one after the other, also on a terminal" },
	{ 0, "tui", NULL, OPT_FLAG, offsetof(struct top_options, tui), "the screen, which a terminal gets in any case, or an error" },
	{ 0, "json", NULL, OPT_FLAG, offsetof(struct top_options, json), "as --format json" },
	{ 0 },
};

static const struct opt_rule top_rules[] = {
	{ "store", .not_with = MEASURE_WORDS "|no-kernel|no-user|event|by|zero|hide_kernel_symbols|hide_user_symbols|" OPT_COMMAND, .why = "it is of what runs now" },
	{ "hide_kernel_symbols", .not_with = "hide_user_symbols", .why = "they leave nothing" },
	{ "json", .not_with = "format" },
	{ "tui", .not_with = "stdio" },
	{ "tui", .not_with = "json" },
	{ 0 },
};

#define OF_ANNOTATE "for annotated code"

static const struct opt nothing_opts[] = {
	{ 0, "force", NULL, OPT_NOTHING, 0, "no file is read" },
	{ 0, "mmap-pages", "N", OPT_NOTHING, 0, "the kernel sums: -m is only for what its table has no room for" },
	{ 0, "overwrite", NULL, OPT_NOTHING, 0, "the kernel sums: there is no ring to overwrite" },
	{ 0, "num-thread-synthesize", "N", OPT_NOTHING, 0, "one thread reads /proc" },
	{ 0, "proc-map-timeout", "MS", OPT_NOTHING, 0, "a process whose mappings cannot be read is reported" },
	{ 0, "ignore-vmlinux", NULL, OPT_NOTHING, 0, "names of the kernel are those of /proc/kallsyms" },
	{ 0, "demangle-kernel", NULL, OPT_NOTHING, 0, "names are demangled wherever they are" },
	{ 0, "raw-trace", NULL, OPT_NOTHING, 0, "texts of tracepoints are not shown" },
	{ 0, "source", NULL, OPT_NOTHING, 0, OF_ANNOTATE },
	{ 0, "asm-raw", NULL, OPT_NOTHING, 0, OF_ANNOTATE },
	{ 'M', "disassembler-style", "STYLE", OPT_NOTHING, 0, OF_ANNOTATE },
	{ 0, "objdump", "PATH", OPT_NOTHING, 0, OF_ANNOTATE },
	{ 0, "addr2line", "PATH", OPT_NOTHING, 0, "skep reads line tables itself" },
	{ 0, "prefix", "PREFIX", OPT_NOTHING, 0, OF_ANNOTATE },
	{ 0, "prefix-strip", "N", OPT_NOTHING, 0, OF_ANNOTATE },
	{ 0 },
};

static const struct opt_group top_groups[] = {
	{ "Rows", top_opts, 0, top_rules },
	{ "Store", store_opts, offsetof(struct top_options, store), store_rules },
	{ "Stacks", walk_opts, offsetof(struct top_options, m.walks) },
	{ "Target", target_opts, offsetof(struct top_options, m.target), target_rules },
	{ "Sampling", measure_opts, offsetof(struct top_options, m), measure_rules },
	{ "Honesty", honesty_opts, offsetof(struct top_options, h) },
	{ "Of perf, without effect", nothing_opts, 0 },
	{ 0 },
};

#define KEYS_HERE (KEY_BIT(KEY_COMM) | KEY_BIT(KEY_PID) | KEY_BIT(KEY_TID) | KEY_BIT(KEY_CGROUP) | KEY_BIT(KEY_DSO) | KEY_BIT(KEY_SYM) | KEY_BIT(KEY_EVENT))

int top_check_keys(const struct report_layout *l, bool has_cgroup, struct err *err)
{
	enum report_column other = report_layout_other(l, KEYS_HERE);

	if (l->with[KEY_CGROUP] && !has_cgroup)
		return err_exit(err, -EPERM, EXIT_CANNOT, "sort key 'cgroup' needs root: a BPF program reads it");
	if (other == KEY_MAX)
		return 0;
	err_exit(err, -EINVAL, EXIT_USAGE, "sort key '%s' is not one of skep top, which sums samples in the kernel", report_columns[other].name);
	err_hint(err, "skep record, then skep report -s %s", report_columns[other].name);
	return -EINVAL;
}

static void free_tables(struct top_view *v)
{
	live_table_free(&v->live);
	live_table_free(&v->last);
	tree_free(&v->tree);
	tree_free(&v->last_tree);
	memset(&v->last, 0, sizeof(v->last));
	memset(&v->last_tree, 0, sizeof(v->last_tree));
}

/* What an event counts is settled when it is opened. */
static void name_views(struct top *top)
{
	for (int i = 0; i < top->nr_events; i++) {
		top->views[i].profile.event = top->o->m.events[i].name;
		top->views[i].profile.unit = top->o->m.events[i].unit;
	}
}

void top_look(struct top_view *v)
{
	v->seen = &v->live;
	v->seen_tree = v->at.tree;
	v->shown = v->profile;
	v->shown_n = v->at.folded - v->zeroed;
}

int top_see(struct top_view *v)
{
	top_look(v);
	return live_table_round(&v->live, v->profile.weight);
}

int top_begin_again(struct top_view *v)
{
	int ret = live_table_zero(&v->live, &v->last);

	v->profile.weight = 0;
	v->zeroed = v->at.folded;
	v->seen = &v->last;
	if (ret || !v->at.tree)
		return ret;
	tree_free(&v->last_tree);
	v->last_tree = v->tree;
	v->seen_tree = &v->last_tree;
	return tree_init(&v->tree);
}

void top_take_losses(struct top *top)
{
	for (int i = 0; i < top->nr_views; i++)
		for (int why = 0; why < LOSS_MAX; why++) {
			top->total.losses[why] += top->views[i].profile.losses[why];
			top->views[i].profile.losses[why] = 0;
		}
}

static int choose(void *arg, uint32_t event, struct fold_view **ret_view)
{
	struct top *top = arg;

	*ret_view = event < (uint32_t)top->nr_views ? &top->views[event].at : NULL;
	return 0;
}

int top_make_tables(struct top *top, struct err *err)
{
	int ret = 0;

	for (int i = 0; i < top->nr_views && !ret; i++) {
		struct top_view *v = &top->views[i];

		free_tables(v);
		v->profile = (struct profile){ .event = OFFCPU_EVENT, .unit = "ns" };
		v->folded = v->zeroed = 0;
		v->at = (struct fold_view){ .profile = &v->profile, .table = &v->live.table };
		ret = live_table_init(&v->live, &top->o->request, err);
		if (!ret && top->o->m.walks.call_graph != CALL_GRAPH_NONE) {
			v->at.tree = &v->tree;
			ret = tree_init(&v->tree);
		}
		top->pic->fold.root = fold_root_of(&v->live.table.layout);
		top->pic->names.by_process = top->pic->fold.root == ROOT_PID && !v->live.table.layout.with[KEY_COMM];
	}
	name_views(top);
	return ret;
}

static int make_views(struct top *top, struct err *err)
{
	top->nr_events = top->o->m.nr_events;
	top->nr_views = top->nr_events + (top->o->is_screen && top->nr_events < EVENTS_MAX);
	top->views = calloc(top->nr_views, sizeof(*top->views));
	if (!top->views)
		return -ENOMEM;
	return top_make_tables(top, err);
}

static void free_views(struct top *top)
{
	for (int i = 0; i < top->nr_views; i++)
		free_tables(&top->views[i]);
	free(top->views);
}

const char *const *top_event_names(const struct top *top)
{
	static const char *names[EVENTS_MAX];

	for (int i = 0; i < top->nr_views; i++)
		names[i] = top->views[i].profile.event;
	return names;
}

const char *top_cgroup_name(const void *unused, uint64_t id)
{
	(void)unused;
	return target_cgroup_path(NULL, id);
}

static void print_head(const struct top *top, const struct top_view *v, uint64_t since_start_ns, uint64_t lost, FILE *out)
{
	fprintf(out, "# %.1f s: %llu samples of '", (double)since_start_ns / 1e9, (unsigned long long)(v->at.folded - v->folded));
	text_print(out, v->profile.event);
	fprintf(out, "' in %.1f s, %llu in all; %llu lost\n", (double)(since_start_ns - top->shown_ns) / 1e9, (unsigned long long)v->at.folded,
		(unsigned long long)lost);
}

/* Of the rows that have samples, as many as are wanted. Returns how many that leaves out. */
static size_t cut(const struct top_options *o, struct report *shown)
{
	uint64_t max = o->entries ? o->entries : terminal_room(STDOUT_FILENO, HEAD_LINES);
	size_t all = 0;

	for (size_t i = 0; i < shown->rows.n; i++)
		if (shown->rows.data[i].self)
			shown->rows.data[all++] = shown->rows.data[i];
	shown->rows.n = all < max ? all : max;
	return all - shown->rows.n;
}

static int print_view(const struct top *top, struct top_view *v, uint64_t since_start_ns, uint64_t lost)
{
	struct report_cfg cfg = { .columns = terminal_columns(STDOUT_FILENO), .event_names = top_event_names(top), .cgroup_name = top_cgroup_name, .since_start_ns = since_start_ns, .with_event = top->nr_events > 1 };
	FILE *out = stdout;
	size_t more;

	if (top->o->json) {
		if (top->o->entries)
			cut(top->o, &v->live.shown);
		return render_report_lines(out, &v->live.shown, &v->profile, &cfg);
	}
	if (top->refreshes || v != top->views)
		fputc('\n', out);
	print_head(top, v, since_start_ns, lost, out);
	more = cut(top->o, &v->live.shown);
	if (v->live.shown.rows.n)
		render_report_rows(out, &v->live.shown, &v->profile, &cfg);
	render_report_more(out, more);
	return ferror(out) ? -EIO : 0;
}

/* ledger: as it is now. 0 or -errno. */
static int refresh(struct top *top, uint64_t since_start_ns, const struct profile *ledger)
{
	bool holds = top_screen_holds(top);
	int ret = 0;

	name_views(top);
	if (top->o->zero && !holds) {
		top->from_ns = top->shown_ns;
		if (top->session)
			session_forget(top->session, true);
	}
	for (int i = 0; i < top->nr_views && !ret && !holds; i++) {
		struct top_view *v = &top->views[i];

		ret = top_see(v);
		if (top->nr_events == 1 && i == 0) /* of several events the sum would have no unit */
			top->total.weight += v->live.shown.whole_now;
		if (!ret && !top->screen && i < top->nr_events)
			ret = print_view(top, v, since_start_ns, profile_lost(ledger));
		v->folded = v->at.folded;
		if (!ret && top->o->zero)
			ret = top_begin_again(v);
	}
	if (!ret && top->screen)
		ret = top_screen_show(top, since_start_ns, ledger);
	top->refreshes++;
	top->shown_ns = since_start_ns;
	return !ret && !top->screen && fflush(stdout) ? -errno : ret;
}

/* The last one of -n N is printed when all is in: then the tables add up to what was counted. */
static int at_interval(void *arg, uint64_t since_start_ns)
{
	struct top *top = arg;
	struct profile ledger = { .receipt.is_not_wanted = true };

	if (top->refreshes + 1 == top->o->refreshes)
		return -ECANCELED;
	session_profile(top->session, &ledger);
	return refresh(top, since_start_ns, &ledger);
}

static int take_row(struct sink *sink, const struct row *row)
{
	return top_screen_row(((struct names *)sink)->interval_arg, row);
}

/* Has something come since the last refresh? */
static bool has_more(const struct top *top)
{
	for (int i = 0; i < top->nr_views; i++)
		if (top->views[i].at.folded != top->views[i].folded)
			return true;
	return false;
}

/* Samples, and where they fell, to the tables; and the last of these. */
static int run(struct top *top, struct top_options *o, int *status, struct err *err)
{
	struct syms_cfg syms_cfg = { .code = top->screen, .servers = SERVERS_ASK };
	struct sample_cfg cfg = { .aggregate = true, .keeps = top->screen, .bpf_stats = o->h.receipt, .max_frames = !top->screen && o->m.walks.call_graph == CALL_GRAPH_NONE, .by_tid = top->screen || top->views[0].live.table.layout.with[KEY_TID] };
	struct picture *pic = top->pic;
	uint64_t kept = 0;
	int ret;

	o->m.ret_session = &top->session;
	pic->names.leaf_only = o->m.walks.call_graph == CALL_GRAPH_NONE;
	if (top->screen) {
		o->m.input = top_screen_input;
		o->m.input_arg = top;
		o->m.opened = top_screen_opened;
		o->m.opened_arg = top;
		pic->names.sink.row = take_row;
		interrupts_on_give_up(INTERRUPT_SCREEN, screen_give_up);
	}
	pic->names.interval = at_interval;
	pic->names.interval_arg = top;
	pic->fold.view = (struct fold_view){ .profile = &top->total };
	pic->fold.choose = choose;
	pic->fold.choose_arg = top;
	ret = live_run(&o->m, &cfg, &syms_cfg, pic, status, err);
	top->session = NULL;
	top_take_losses(top);
	if (!ret && ((top->screen && !o->zero) || has_more(top) || top->refreshes + 1 == o->refreshes))
		ret = refresh(top, top->total.duration_ns, &top->total);
	if (!ret && top->screen)
		ret = top_screen_stay(top);
	for (int i = 0; i < top->nr_views; i++)
		kept += top->views[i].at.folded;
	if (!ret && !kept && !o->is_screen)
		return nothing_sampled(&top->total, NULL, *status, err);
	if (!ret && o->json)
		rows_format("json")->end(stdout, &top->total);
	return ret;
}

#define ALL_CALLS "syscalls:*"

/* -e 'syscalls:*' is the screen's view of system calls, beside samples: it is no event to be sampled. */
static int check_calls(struct top_options *o, struct err *err)
{
	bool is_all = o->m.nr_event_texts == 1 && !strcmp(o->m.event_texts[0], ALL_CALLS);
	int ret = o->by ? rows_parse_by(o->by, TOP_CALLS_BY, NULL, &o->calls_by, err) : 0;

	if (ret || (!o->by && !is_all))
		return ret;
	if (!is_all) {
		err_exit(err, -EINVAL, EXIT_USAGE, "--by needs -e '" ALL_CALLS "'");
		err_hint(err, "-s sums samples");
		return -EINVAL;
	}
	if (!o->is_screen) {
		err_exit(err, -EINVAL, EXIT_USAGE, "-e '" ALL_CALLS "' needs the screen: a terminal, and no --stdio, --json or -n");
		err_hint(err, "skep stat -a -e '" ALL_CALLS "' --by %s -I 1000", o->by ? o->by : "comm,syscall");
		return -EINVAL;
	}
	o->m.nr_event_texts = 0;
	o->m.event_text = NULL;
	o->calls_first = true;
	return 0;
}

/* How it is shown, and how often. */
static int check_shown(struct top_options *o, struct err *err)
{
	if (o->refresh_ns && o->refresh_ns < REFRESH_MIN_NS)
		return err_exit(err, -ERANGE, EXIT_USAGE, "bad value of '--delay': 10 ms or more");
	o->json |= o->format && !strcmp(o->format, "json");
	o->is_screen = !o->json && !o->stdio && !o->refreshes && browser_has_terminal();
	if (o->tui && (o->json || o->refreshes))
		return err_exit(err, -EINVAL, EXIT_USAGE, "--tui does not go with %s: the screen has no end and no format", o->json ? "--format json" : "-n N");
	if (o->tui && !o->is_screen) {
		err_exit(err, -ENOTTY, EXIT_USAGE, "--tui needs a terminal");
		err_hint(err, "leave it out: there are tables, one after the other");
		return -ENOTTY;
	}
	return 0;
}

static int check(struct top_options *o, char **operands, struct err *err)
{
	struct report_layout layout;
	const char *missing;
	bool may_load = kernel_may_load(&missing);
	int ret;

	o->request.now = true;
	ret = report_layout_parse(&layout, &o->request, err);
	if (!ret)
		ret = top_check_keys(&layout, may_load, err);
	if (!ret)
		ret = check_calls(o, err);
	if (!o->is_screen && !o->callers && o->m.walks.call_graph == CALL_GRAPH_AUTO) {
		o->m.walks.call_graph = CALL_GRAPH_NONE;
		o->m.walks.max_frames = 0; /* of stacks that are not shown */
	}
	o->m.has_cgroup = may_load && (o->is_screen || layout.with[KEY_CGROUP]);
	o->request.chains = !o->is_screen && o->m.walks.call_graph != CALL_GRAPH_NONE;
	o->m.interval_ns = o->refresh_ns ? o->refresh_ns : REFRESH_NS;
	if (!ret && !operands[0] && !target_is_given(&o->m.target))
		o->m.target.all = true;
	return ret ? ret : measure_check(&o->m, operands, err);
}

static int top_run(void *cfg, char **operands, struct err *err)
{
	struct top_options *o = cfg;
	struct top top = { .o = o };
	int status = 0, ret = check_shown(o, err);

	if (!ret && o->store.path)
		return top_store(o, operands, err);
	if (!ret)
		ret = check(o, operands, err);
	if (!ret && !(top.pic = picture_new(NULL)))
		ret = -ENOMEM;
	if (!ret)
		ret = make_views(&top, err);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO && o->is_screen; fd++)
		o->m.target.mutes |= isatty(fd) ? 1 << fd : 0;
	if (!ret && o->is_screen)
		ret = top_screen_open(&top, err);
	if (!ret)
		ret = run(&top, o, &status, err);
	top_screen_close(&top);
	if (!ret) {
		honesty_print(&o->h, &top.total);
		ret = honesty_exit(&o->h, &top.total, status, err);
	}
	free_views(&top);
	picture_free(top.pic);
	measure_free(&o->m);
	return ret == -ENOMEM && !err->text[0] ? err_set(err, ret, "out of memory") : ret;
}

#define NO_BRANCHES "records branches, which skep does not"
#define NOT_HERE "is not available here"

static const struct opt_other top_others[] = {
	{ "--children", NOT_HERE, "skep top, then Enter on a row" },
	{ "--ignore-callees", NOT_HERE, "skep record, then skep report --ignore-callees" },
	{ "-b", NO_BRANCHES, "perf top -b" },
	{ "--branch-any", NO_BRANCHES, "perf top -b" },
	{ "-j", NO_BRANCHES, "perf top -j" },
	{ "--branch-filter", NO_BRANCHES, "perf top -j" },
	{ "--branch-history", NO_BRANCHES, "perf top --branch-history" },
	{ "--stitch-lbr", NO_BRANCHES, "perf top --stitch-lbr" },
	{ "--sym-annotate", NOT_HERE, "skep flame --annotate FUNCTION" },
	{ "--fields", NOT_HERE, "-s chooses the columns" },
	{ "--hierarchy", NOT_HERE, "skep record, then skep report --hierarchy" },
	{ "--comms", NOT_HERE, "--comm chooses threads" },
	{ "--dsos", NOT_HERE, "skep record, then skep report --dsos" },
	{ "--symbols", NOT_HERE, "skep record, then skep report --symbols" },
	{ "--percent-limit", NOT_HERE, "-E N" },
	{ "--percentage", NOT_HERE, "skep record, then skep report --percentage" },
	{ "-f", NOT_HERE, "-E N" },
	{ "--count-filter", NOT_HERE, "-E N" },
	{ "-w", NOT_HERE, "leave it out" },
	{ "--column-widths", NOT_HERE, "leave it out" },
	{ "--group", "is not available: events are sampled each by itself, and each has its table", "-e EVENT,EVENT" },
	{ "--group-sort-idx", "is not available: events are sampled each by itself, and each has its table", "-e EVENT,EVENT" },
	{ "--switch-on", NOT_HERE, "skep record, then skep report --switch-on" },
	{ "--switch-off", NOT_HERE, "skep record, then skep report --switch-off" },
	{ "--show-on-off-events", NOT_HERE, "skep record, then skep report --switch-on" },
	{ "-D", "shows tables of perf", "skep list k:FUNCTION" },
	{ "--dump-symtab", "shows tables of perf", "skep list k:FUNCTION" },
	{ "-i", "is not available: children are measured, too", "-t TID measures threads only" },
	{ "--no-inherit", "is not available: children are measured, too", "-t TID measures threads only" },
	{ "-k", "is for other kernels: names are those of the running one", "skep record, then skep report -k FILE" },
	{ "--vmlinux", "is for other kernels: names are those of the running one", "skep record, then skep report -k FILE" },
	{ "--kallsyms", "is for other kernels: names are those of the running one", "skep record, then skep report --kallsyms FILE" },
	{ "-r", NOT_HERE, "chrt -f PRIORITY skep top" },
	{ "--realtime", NOT_HERE, "chrt -f PRIORITY skep top" },
	{ "--all-cgroups", NOT_HERE, "-G PATH, or skep record --all-cgroups" },
	{ "--namespaces", NOT_HERE, "skep record --namespaces" },
	{ "--no-bpf-event", "is not available: names of BPF programs need their records", "leave it out" },
	{ 0 },
};

const struct cmd cmd_top = {
	.name = "top",
	.summary = "show where samples fall, as it happens",
	.operands = "[-- COMMAND [ARG...]]",
	.groups = top_groups,
	.cfg_size = sizeof(struct top_options),
	.examples = "skep top                               where samples fall, each second\n"
		    "skep top -d 2 -s comm,dso              programs and objects, every two seconds\n"
		    "skep top -F 49 -ns comm                cheap enough to leave on, with numbers of samples\n"
		    "skep top -e k:vfs_read -s comm -n 5    who reads files, five times\n"
		    "skep top --store --since 10m -s unit,sym   what skep agent has kept, as it grows\n"
		    "skep top -n 3 --json | jq -c '[.comm, .sym, .now_pct]'\n",
	.run = top_run,
	.others = top_others,
};
