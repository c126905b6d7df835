/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep report: a perf.data file as a table. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/cgroupnames.h"
#include "cmd/cmd.h"
#include "cmd/measure.h"
#include "cmd/nothing.h"
#include "cmd/replay.h"
#include "cmd/report_latency.h"
#include "cmd/report_options.h"
#include "cmd/report_screen.h"
#include "cmd/script.h"
#include "render/rows/rows.h"
#include "ui/terminal.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/outfile.h"

#define HEAD_LINES 14 /* with notes, and what is below the table */

/* What 100 % is: all samples of the event, or those that are shown. */
static void set_whole(const struct report_options *r, const struct replay *replay, struct replay_view *v)
{
	bool shown = r->percentage && !strcmp(r->percentage, "relative");

	v->table.whole = v->profile.weight;
	v->table.whole_count = v->profile.kept; /* whole_latency is that of the same samples */
	for (int i = v->event; i < replay->nr_events && !shown; i++) {
		struct pick_out out = pick_out(replay->pick, (uint32_t)i), cut = pickstack_out(replay->pickstack, (uint32_t)i);

		if (replay->view_of[i] != v->event)
			continue;
		v->table.whole += out.weight + cut.weight;
		v->table.whole_count += out.count + cut.count;
		v->table.whole_latency += out.latency + cut.latency;
		if (v->table.group.nr) {
			v->table.group.wholes[replay->group_place[i]] += out.weight + cut.weight;
			v->table.group.latencies[replay->group_place[i]] += out.latency + cut.latency;
		}
	}
}

/* "dso: libc.so.6" of each column that is left out. Its length is that of texts and names. */
static void heads_of(const struct report_options *r, const char *(*heads)[2])
{
	const char *const texts[] = { r->pick.comms, r->pick.dsos, r->pick.symbols };
	static const char *const names[] = { "comm", "dso", "symbol" };
	static const enum report_column columns[] = { KEY_COMM, KEY_DSO, KEY_SYM };

	for (int i = 0; i < 3; i++)
		if (r->request.hidden[columns[i]]) {
			(*heads)[0] = names[i];
			(*heads++)[1] = texts[i];
		}
}

/* A line for each row, and one for the ledger. */
static int render_lines(const struct report_options *r, struct replay *replay, const struct report_view *views, struct report_cfg *cfg, FILE *out)
{
	int ret = 0;

	cfg->with_event = replay->views.n > 1;
	cfg->since_start_ns = now_ns() - r->start_ns;
	for (size_t i = 0; i < replay->views.n && !ret; i++)
		ret = render_report_lines(out, views[i].table, views[i].profile, cfg);
	if (!ret)
		rows_format("json")->end(out, &replay->total);
	return ret;
}

/* Below a table that others follow: rows that it has no room for. */
static int end_table(const struct report_options *r, const struct replay *replay, const struct report_view *views, FILE *out)
{
	uint64_t more = 0;

	for (size_t i = 0; i < replay->views.n; i++)
		more += views[i].table->nr_beyond;
	render_report_more(out, more);
	if (r->rounds != 1)
		fputc('\n', out);
	return ferror(out) ? -EIO : 0;
}

static int render(const struct report_options *r, struct replay *replay, const char *const *names, struct report_screen **screen, FILE *out,
		  struct err *err)
{
	const char *heads[4][2] = { { NULL } };
	struct report_cfg cfg = { .event_names = names, .percent_limit = r->percent_limit, .hierarchy = r->hierarchy, .long_times = r->long_times,
				 .long_files = r->request.long_files, .separator = r->separator, .widths = r->widths, .nr_widths = r->nr_widths,
				 .chains = r->chains, .heads = heads, .total = &replay->total, .cgroup_name = cgroup_names_find, .cgroup_arg = &r->cgroups, .columns = out == stdout ? terminal_columns(STDOUT_FILENO) : 0 };
	const char *format = report_format(r);
	bool is_json = !strcmp(format, "json");
	struct report_view *views = calloc(replay->views.n, sizeof(*views));
	int ret = views ? 0 : -ENOMEM;

	heads_of(r, heads);
	for (size_t i = 0; i < replay->views.n && !ret; i++) {
		struct replay_view *v = replay->views.data[i];
		struct report_limits limits = r->limits;

		set_whole(r, replay, v);
		limits.whole = v->table.whole;
		if (r->every_ns && !limits.max && !strcmp(format, "text") && !report_has_screen(r))
			limits.max = terminal_room(STDOUT_FILENO, HEAD_LINES);
		report_sort(&v->table);
		report_cut(&v->table, &limits);
		views[i] = (struct report_view){ &v->table, &v->profile };
	}
	if (!ret && report_has_screen(r)) {
		ret = report_screen(screen, r, replay, views, replay->views.n, &cfg, err);
		if (!ret) { /* the ledger comes after it */
			report_screen_close(*screen);
			*screen = NULL;
		}
		free(views);
		return ret;
	}
	if (!ret && is_json && !r->every_ns)
		ret = render_reports_json(out, views, replay->views.n, &cfg);
	for (size_t i = 0; i < replay->views.n && !ret && !is_json; i++) {
		cfg.is_next = i;
		cfg.with_event = replay->views.n > 1 && !views[i].table->layout.with[KEY_EVENT];
		ret = (strcmp(format, "csv") ? render_report_text : render_report_csv)(out, views[i].table, views[i].profile, &cfg);
	}
	if (!ret && r->every_ns)
		ret = is_json ? render_lines(r, replay, views, &cfg, out) : end_table(r, replay, views, out);
	free(views);
	return ret && !ferror(out) ? err_set(err, ret, "cannot print the table: %s", strerror(-ret)) : 0;
}

/* The names of the file's events, borrowed from the reader; the caller frees the array. NULL: no memory. */
static const char **event_names(const struct data_reader *reader)
{
	const struct data_meta *meta = data_reader_meta(reader);
	const char **names = calloc(meta->nr_events, sizeof(*names));

	for (int i = 0; names && i < meta->nr_events; i++)
		names[i] = meta->events[i].name;
	return names;
}

static int none_left(const struct report_options *r, const struct replay *replay, struct err *err)
{
	uint64_t out = pick_out_all(replay->pick);

	for (int i = 0; i < replay->nr_events; i++)
		out += pickstack_out(replay->pickstack, (uint32_t)i).count;
	if (out)
		return nothing_chosen(out, r->input, err);
	return nothing_sampled(&replay->views.data[0]->profile, r->input, 0, err);
}

/* A key of branches or of memory that no sample has a value for would be a column of nothing. */
static int check_keys(const struct report_options *r, const struct replay *replay, struct err *err)
{
	const struct report_layout *l = &replay->views.data[0]->table.layout;
	const struct data_meta *meta = data_reader_meta(replay->file.reader);
	uint64_t all = 0;

	for (int i = 0; i < meta->nr_events; i++)
		all |= data_reader_attr(replay->file.reader, i)->sample_type;
	for (uint32_t i = 0; i < l->nr_keys; i++) {
		const struct report_column_row *c = &report_columns[l->keys[i]];

		if (branch_key_is(l->keys[i]) && !r->branches && all & c->needs)
			return err_exit(err, -EINVAL, EXIT_USAGE, "sort key '%s' is of branches: it needs -b", c->name);
		if (r->default_keys && c->needs == PERF_SAMPLE_ADDR)
			continue;
		if (c->needs && !(all & c->needs))
			return err_exit(err, -EINVAL, EXIT_USAGE, "sort key '%s': the samples in '%s' have no %s", c->name, r->input, c->how);
	}
	return 0;
}

/* Branches of the CPU's call stack are no jumps: they are in the chains. */
static bool has_branches(const struct data_reader *reader)
{
	for (int i = 0; i < data_reader_meta(reader)->nr_events; i++) {
		const struct perf_event_attr *a = data_reader_attr(reader, i);

		if (a->sample_type & PERF_SAMPLE_BRANCH_STACK && !(a->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK))
			return true;
	}
	return false;
}

struct opened {
	struct report_options *r;
	struct replay *replay;
	int *sockets; /* of each CPU */
};

/* As perf, a file with branches is shown by them. */
static int open_branches(struct opened *o, const struct data_reader *reader, struct err *err)
{
	struct report_options *r = o->r;
	bool has = has_branches(reader);

	if (r->branches && !has)
		return err_exit(err, -EINVAL, EXIT_USAGE, "-b: the samples in '%s' have no branch stacks (perf record -b)", r->input);
	if (!has || r->no_branches || r->children || r->with_chains || r->inverted || r->pick.costs || r->request.by_latency)
		return 0;
	r->branches = true;
	o->replay->branches = true;
	o->replay->named_only = r->pick.named_only;
	return report_options_end(r, err);
}

static int opened(void *arg, struct data_reader *reader, struct err *err)
{
	struct opened *o = arg;
	int ret = data_reader_sockets(reader, &o->sockets, &o->r->request.nr_sockets);

	if (ret)
		return err_set(err, ret, "out of memory");
	o->r->request.sockets = o->sockets;
	o->r->reader = reader;
	ret = open_branches(o, reader, err);
	ret = ret ? ret : report_latency_open(o->r, reader, err);
	o->replay->pic->names.may_sum = !ret && replay_may_sum(o->replay); /* after report_latency_open(), which sets request.latency */
	return ret;
}

static int report_into(struct report_options *r, struct replay *replay, struct report_screen **screen, struct outfile *out, struct err *err)
{
	struct syms_cfg cfg = { .lines = replay->with_lines, .data = replay->with_data };
	const char **names = NULL;
	int64_t bytes;
	struct opened arg = { r, replay, NULL };
	int ret = symbol_options_apply(&r->symbols, &cfg, err);

	replay->opened = opened;
	replay->opened_arg = &arg;
	if (!ret)
		ret = replay_run(replay, &cfg, err);
	if (!ret)
		ret = check_keys(r, replay, err);
	if (!ret)
		ret = report_latency_end(r, replay, err);
	if (!ret && r->with_counts && !r->counts.threads.n)
		profile_note(&replay->views.data[0]->profile, "the file does not say what threads counted: perf record -s has it");
	if (!ret && !replay->views.data[0]->at.folded)
		ret = none_left(r, replay, err);
	if (!ret && !(names = event_names(replay->file.reader)))
		ret = err_set(err, -ENOMEM, "out of memory");
	if (!ret && (r->header || r->file.whole))
		ret = report_header(replay->file.reader, r->file.whole, out->stream, err);
	if (!ret)
		ret = render(r, replay, names, screen, out->stream, err);
	if (!ret && r->with_counts)
		thread_counts_print(out->stream, &r->counts, names, r->pretty && !strcmp(r->pretty, "raw"));
	if (!ret) {
		bytes = outfile_commit(out, err);
		ret = bytes < 0 ? (int)bytes : 0;
		replay->total.receipt.bytes_out = bytes < 0 ? 0 : bytes;
	}
	if (!ret)
		(strcmp(report_format(r), "text") ? honesty_print : honesty_end)(&r->h, &replay->total);
	free(names);
	free(arg.sockets);
	return ret;
}

static int watch(void *arg, const struct data_record *rec)
{
	struct report_options *r = arg;
	int ret = cgroup_names_watch(&r->cgroups, rec);

	if (!ret && r->with_counts)
		ret = thread_counts_watch(&r->counts, r->reader, rec);
	return ret || !r->places ? ret : places_watch(r->places, rec);
}

static int make_places(struct report_options *r, const bool *with, bool *ret_data, struct err *err)
{
	struct places_cfg cfg = {
		.extents = with[KEY_SYM_SIZE] || with[KEY_DSO_SIZE],
		.cgroup_ns = with[KEY_CGROUP_ID],
		.data = with[KEY_SYM_DADDR] || with[KEY_DSO_DADDR] || with[KEY_CACHE_LINE],
		.data_line = with[KEY_CACHE_LINE],
		.code = with[KEY_SYM_IADDR],
	};

	*ret_data = cfg.data;
	if (!cfg.extents && !cfg.cgroup_ns && !cfg.data && !cfg.code)
		return 0;
	r->places = places_new(&cfg);
	return r->places ? 0 : err_set(err, -ENOMEM, "out of memory");
}

/* Every error of the command line is reported before anything is written. */
static int check(struct report_options *r, char **operands, struct replay *replay, struct err *err)
{
	struct report table;
	int ret;

	if (operands[0])
		return err_exit(err, -EINVAL, EXIT_USAGE, "unexpected '%s': use -i FILE to name a file", operands[0]);
	ret = report_options_end(r, err);
	if (!ret)
		ret = report_init(&table, &r->request, err);
	if (ret)
		return ret;
	replay->with_lines = report_layout_has_lines(&table.layout);
	recording_for(&replay->file, &table.layout);
	report_latency_find(r, &table.layout);
	ret = make_places(r, table.layout.with, &replay->with_data, err);
	replay->places = r->places;
	if (table.layout.with[KEY_CGROUP] || table.layout.with[KEY_CGROUP_ID] || r->with_counts) {
		replay->watch = watch;
		replay->watch_arg = r;
	}
	r->pick.traces = table.layout.with[KEY_TRACE];
	r->stack.want_parent = table.layout.with[KEY_PARENT];
	report_free(&table);
	if (ret)
		return ret;
	if (r->out && same_file(r->input, r->out))
		return err_exit(err, -EINVAL, EXIT_USAGE, "-o '%s' would overwrite the file that -i reads", r->out);
	if (r->event_index && replay_event_index(r->event_index, &replay->event, err))
		return -EINVAL;
	ret = pick_new(&r->pick, &replay->pick, err);
	return ret ? ret : pickstack_new(&r->stack, &replay->pickstack, err);
}

static bool leaf_only(const struct report_options *r)
{
	return r->no_children && !r->request.chains && !r->stack.want_parent && !r->stack.ignore_callees && !strcmp(report_format(r), "text");
}

/* What needs no table. */
static int print_file(const struct report_options *r, struct outfile *out, struct err *err)
{
	int ret = r->file.dump ? script_dump(r->input, out->stream, err) : report_file(r->input, &r->file, out->stream, err);
	int64_t bytes = ret && ret != -EBADMSG ? ret : outfile_commit(out, ret ? NULL : err);

	return ret ? ret : bytes < 0 ? (int)bytes : 0;
}

static bool is_file(const struct report_file_cfg *f)
{
	return f->header_only || f->stats || f->tasks || f->mmaps || f->dump;
}

/* REPORT_AGAIN: what the screen is to show next needs other samples, or other sums of them. */
static int run(struct report_options *r, char **operands, struct report_screen **screen, struct err *err)
{
	struct replay replay = { .event = REPLAY_EACH, .request = &r->request, .group = r->group,
				 .group_first = (uint32_t)r->group_first };
	struct outfile out;
	int ret;

	ret = store_options_end(&r->store, err);
	r->input = r->store.path ? r->store.path : r->input ? r->input : "perf.data";
	replay.path = r->input;
	replay.file.span = r->store.path ? &r->store.span : NULL;
	if (!ret)
		ret = check(r, operands, &replay, err);
	if (!ret)
		ret = outfile_open(&out, r->out ? r->out : "-", err);
	if (!ret && is_file(&r->file)) {
		ret = print_file(r, &out, err);
		outfile_abort(&out);
	} else if (!ret) {
		replay.pic = picture_new(NULL);
		if (replay.pic && report_has_screen(r))
			report_screen_prepare(r, &replay);
		else if (replay.pic)
			replay.pic->names.leaf_only = leaf_only(r); /* the other formats have totals in any case */
		ret = replay.pic ? report_into(r, &replay, screen, &out, err) : err_set(err, -ENOMEM, "out of memory");
		replay_close(&replay);
		picture_free(replay.pic);
		outfile_abort(&out);
	}
	pick_free(replay.pick);
	pickstack_free(replay.pickstack);
	cgroup_names_free(&r->cgroups);
	thread_counts_free(&r->counts);
	places_free(r->places);
	store_options_free(&r->store);
	r->is_empty = ret == -ENODATA;
	return ret ? ret : honesty_exit(&r->h, &replay.total, 0, err);
}

/* Between two readings that are printed. *ret and err: how the last one ended; a note says so if the store had nothing. False: it was the last. */
static bool wait_for_next(const struct report_options *r, uint64_t round, int *ret, struct err *err)
{
	struct timespec wait = { (time_t)(r->every_ns / NS_PER_S), (long)(r->every_ns % NS_PER_S) };

	if (*ret && !(r->is_empty && round > 1))
		return false;
	if (*ret)
		log_note("note: %s", err->text);
	*ret = 0;
	*err = (struct err){ 0 };
	if (round == r->rounds || fflush(stdout))
		return false;
	nanosleep(&wait, NULL);
	return true;
}

int report_show(struct report_options *r, char **operands, struct err *err)
{
	bool has_screen = report_has_screen(r), is_again;
	struct report_options typed = *r;
	struct report_screen *screen = NULL;
	int ret;

	for (uint64_t round = 1;; round++) {
		ret = run(r, operands, &screen, err);
		if (ret < 0 && screen)
			ret = report_screen_failed(screen, err, ret);
		if (has_screen)
			is_again = screen && ret == REPORT_AGAIN;
		else
			is_again = r->every_ns && wait_for_next(r, round, &ret, err);
		if (!is_again)
			break;
		*r = typed;
		if (screen)
			report_screen_want(screen, r);
		*err = (struct err){ 0 };
	}
	report_screen_close(screen);
	return ret;
}

static int report_run(void *cfg, char **operands, struct err *err)
{
	return report_show(cfg, operands, err);
}

const struct cmd cmd_report = {
	.name = "report",
	.summary = "print a recorded file as a table",
	.operands = "",
	.groups = report_groups,
	.cfg_size = sizeof(struct report_options),
	.examples = "skep report                                 perf.data, by command, object and symbol\n"
		    "skep report --no-children -s dso,sym --top 20\n"
		    "skep report -g --percent-limit 1            with the call chains of each row\n"
		    "skep report --time 10%-20% -s sym,srcline   a part of the time, by line\n"
		    "skep report --json | jq '.rows[0]'\n",
	.run = report_run,
	.others = report_others,
};
