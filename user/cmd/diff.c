/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files of samples before and after a change: one table, each file in sums of its own, from which rows of a schema are made. */
#include "cmd/diff.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/nothing.h"
#include "cmd/replay.h"
#include "render/rows/cells.h"

static double diff_weighted(const struct diff_options *o, const struct diff_row *r)
{
	return r->after_weight * o->weights[1] - r->before_weight * o->weights[0];
}

double diff_rank(const struct diff_options *o, const struct diff_row *r)
{
	double change = r->after - r->before;

	if (o->order == DIFF_BY_RATIO)
		return r->before > 0 ? diff_ratio(r) : INFINITY;
	if (o->order == DIFF_BY_WDIFF)
		return diff_weighted(o, r);
	return o->order == DIFF_BY_GROWTH ? change : fabs(change);
}

/* The file that is being read. */
struct diff_reading {
	struct diff *d;
	struct replay *replay;
	uint32_t run;
};

/* Length of an event's name without ":ppp": how precise its addresses are does not change what it counts. */
static size_t plain_event(const char *name)
{
	size_t n = strlen(name), at = n;

	while (at && (name[at - 1] == 'p' || name[at - 1] == 'P'))
		at--;
	return at && at < n && name[at - 1] == ':' ? at - 1 : n;
}

/* The one of this name, else one that counts the same; NULL: the first. -1: none. */
static int event_of(const struct data_meta *meta, const char *wanted)
{
	for (int i = 0; i < meta->nr_events; i++)
		if (wanted ? !strcmp(meta->events[i].name, wanted) : !replay_is_dummy(&meta->events[i]))
			return i;
	for (int i = 0; wanted && i < meta->nr_events; i++) {
		size_t n = plain_event(wanted);

		if (plain_event(meta->events[i].name) == n && !strncmp(meta->events[i].name, wanted, n))
			return i;
	}
	return -1;
}

static int find_event(struct diff *d, const struct data_meta *meta, const char *path, struct err *err)
{
	const char *wanted = d->event ? d->event : d->o->event;
	int event = event_of(meta, wanted);

	if (event >= 0) {
		d->event = d->event ? d->event : strpool_add(d->pool, meta->events[event].name);
		return d->event ? event : err_set(err, -ENOMEM, "out of memory");
	}
	err_exit(err, -ENOENT, EXIT_FAILED, "'%s' has no event '%s'", path, wanted ? wanted : "");
	err_hint(err, "skep report --header-only -i '%s' lists its events; -e chooses one", path);
	return -ENOENT;
}

/* A profile is taken whole, and may be of both spans: what it has does not differ. */
static void note_shared(struct diff *d, const struct data_reader *reader)
{
	size_t n = data_reader_shared(reader, &d->spans[0]);

	if (n)
		profile_note(&d->profile, "%zu profile%s of the store %s on both sides, because a profile is never split: use a greater --against", n,
			     n == 1 ? "" : "s", n == 1 ? "is" : "are");
}

static int opened(void *arg, struct data_reader *reader, struct err *err)
{
	struct diff_reading *r = arg;
	const struct data_meta *meta = data_reader_meta(reader);
	uint16_t *place = realloc(r->d->place, (size_t)meta->nr_events * sizeof(*place));
	int event = find_event(r->d, meta, r->replay->path, err);

	if (!place)
		return err_set(err, -ENOMEM, "out of memory");
	r->d->place = place;
	r->d->table.group.place = place;
	if (event < 0)
		return event;
	diff_compare_origin(r->d, meta, &meta->events[event]);
	if (r->d->o->against_ns && !r->d->o->against_label && r->run)
		note_shared(r->d, reader);
	for (int i = 0; i < meta->nr_events; i++)
		place[i] = (uint16_t)r->run;
	r->replay->event = event;
	r->replay->pic->names.may_sum = replay_may_sum(r->replay);
	return 0;
}

/* view: of the event that is compared; total: with what the file lost. */
static void add_sums(struct profile *to, const struct profile *view, const struct profile *total)
{
	to->weight += view->weight;
	to->duration_ns += view->duration_ns;
	to->seen += total->seen;
	to->kept += total->kept;
	for (int i = 0; i < LOSS_MAX; i++)
		to->losses[i] += total->losses[i];
}

/* Adds the sums of a file, and its notes with its name before them. 0 or -ENOMEM. */
static int add_profile(struct diff *d, const struct replay *r, uint32_t run)
{
	const struct profile *view = &r->views.data[0]->profile, *p = &r->total;
	struct profile *to = &d->profile;
	uint64_t wall_ns = to->receipt.wall_ns;

	to->event = d->event;
	to->unit = view->unit ? strpool_add(d->pool, view->unit) : NULL;
	to->receipt = p->receipt; /* of the process, but for: */
	to->receipt.wall_ns += wall_ns;
	add_sums(to, view, p);
	if (run >= d->nr_before)
		add_sums(&d->after, view, p);
	for (uint32_t i = p->nr_details; i < p->nr_notes; i++)
		profile_note(to, "%s: %s", r->path, p->notes[i]);
	return view->unit && !to->unit ? -ENOMEM : 0;
}

/* As nothing_sampled(): skep diff has -e. */
static int no_samples(const struct profile *p, const char *path, struct err *err)
{
	int ret = nothing_sampled(p, path, 0, err);

	if (p->other_event)
		err_hint(err, "it has samples of '%s': -e chooses the event of all files", p->other_event);
	return ret;
}

/* Samples that are not shown count where shares are of all. */
static void count_others(struct diff *d, const struct replay *r, uint32_t run)
{
	struct pick_out out = pick_out(r->pick, (uint32_t)r->event);

	d->table.group.wholes[run] += out.weight;
	d->others[run] = out.count;
}

static int replay_into(struct diff *d, struct replay *r, uint32_t run, struct err *err)
{
	struct symbol_options symbols = d->o->symbols;
	struct syms_cfg cfg = { .lines = report_layout_has_lines(&d->table.layout) };
	int ret = symbol_options_apply(&symbols, &cfg, err);

	r->pic->fold.root = fold_root_of(&d->table.layout);
	recording_for(&r->file, &d->table.layout);
	r->pic->names.leaf_only = !r->tree;
	if (!ret)
		ret = replay_run(r, &cfg, err);
	if (!ret && !r->views.data[0]->at.folded)
		ret = pick_out_all(r->pick) ? nothing_chosen(pick_out_all(r->pick), r->path, err) :
					      no_samples(&r->views.data[0]->profile, r->path, err);
	if (!ret && d->o->percentage && !strcmp(d->o->percentage, "absolute"))
		count_others(d, r, run);
	if (!ret && add_profile(d, r, run))
		ret = err_set(err, -ENOMEM, "out of memory");
	return ret;
}

/* Where the stacks of a run's side go. NULL: neither a screen nor a picture needs them. */
static struct tree *tree_of(struct diff *d, uint32_t run)
{
	bool is_after = run >= d->nr_before;

	return d->picture || (is_after && diff_has_screen(d->o)) ? &d->trees[is_after] : NULL;
}

/* Each run of a side is to count alike, as in the table: it gets the weight of the side's first one. */
static int add_run(struct diff *d, uint32_t run, const struct tree *tree)
{
	uint64_t first = d->table.group.wholes[run < d->nr_before ? 0 : d->nr_before], whole = d->table.group.wholes[run];

	return tree_add_tree(tree_of(d, run), tree, whole ? (double)first / (double)whole : 1);
}

/* Both sides are of one store. */
static void name_side(const char *side, int ret, struct err *err)
{
	const struct err why = *err;

	err_exit(err, ret, (enum exit_code)why.exit, "%s: %s", side, why.text);
	if (why.hint[0])
		err_hint(err, "%s", why.hint);
}

static int read_run(struct diff *d, uint32_t run, struct tree *tree, struct err *err)
{
	struct diff_reading reading = { d, NULL, run };
	struct replay replay = { .path = d->paths[run], .request = &d->o->request, .table = &d->table, .opened = opened, .opened_arg = &reading,
				 .tree = tree, .leaves = true };
	int ret = pick_new(&d->o->pick, &replay.pick, err);

	replay.file.span = d->o->store.path ? &d->spans[run] : NULL;
	reading.replay = &replay;
	replay.pic = ret ? NULL : picture_new(d->pool);
	if (!ret)
		ret = replay.pic ? replay_into(d, &replay, run, err) : err_set(err, -ENOMEM, "out of memory");
	replay_close(&replay);
	picture_free(replay.pic);
	pick_free(replay.pick);
	if (ret == -ENODATA && d->o->store.path)
		name_side(run ? "after" : "before", ret, err);
	return ret;
}

static int read_file(struct diff *d, uint32_t run, struct err *err)
{
	bool is_first = !run || run == d->nr_before;
	struct tree tree;
	int ret;

	if (is_first || !tree_of(d, run))
		return read_run(d, run, tree_of(d, run), err);
	ret = tree_init(&tree) ? err_set(err, -ENOMEM, "out of memory") : read_run(d, run, &tree, err);
	if (!ret && add_run(d, run, &tree))
		ret = err_set(err, -ENOMEM, "out of memory");
	tree_free(&tree);
	return ret;
}

/* Of samples that weigh so differently that a tenth of what they tell is lost. */
#define UNEVEN 0.9

static void note_uneven(struct diff *d)
{
	for (uint32_t run = 0; run < d->nr_paths; run++) {
		uint64_t samples;
		double even = diff_even_run(&d->table, run, &samples);

		if (even < UNEVEN * (double)samples)
			profile_note(&d->profile, "%s: samples do not all weigh the same: of what is chance its %llu tell as much as %.0f", d->paths[run],
				     (unsigned long long)samples, even);
	}
}

static int read_files(struct diff *d, struct err *err)
{
	int ret = 0;

	for (uint32_t run = 0; run < d->nr_paths && !ret; run++)
		ret = read_file(d, run, err);
	if (ret)
		return ret;
	note_uneven(d);
	d->rows = calloc(d->table.rows.n + 1, sizeof(*d->rows));
	return d->rows && !diff_make(&d->table, d->nr_before, d->others, d->rows) ? 0 : err_set(err, -ENOMEM, "out of memory");
}

/* What follows the keys. */
enum diff_column { BEFORE, AFTER, DELTA, RATIO, P, Q, SIGNIFICANT, CHANGED, BEFORE_SAMPLES, AFTER_SAMPLES, WEIGHTED, RANK, NUMBER, NR_VALUES };

static const struct column value_columns[NR_VALUES] = {
	[BEFORE] = { "before_pct", "before %", NULL, VALUE_FIXED, ROLE_INFO, IN_ALL, .decimals = 2, .spare = 2 },
	[AFTER] = { "after_pct", "after %", NULL, VALUE_FIXED, ROLE_INFO, IN_ALL, .decimals = 2, .spare = 1 },
	[DELTA] = { "delta_points", "delta", NULL, VALUE_CHANGE, ROLE_INFO, IN_ALL, .decimals = 2 },
	[RATIO] = { "ratio", "ratio", NULL, VALUE_FIXED, ROLE_INFO, IN_ALL, .decimals = 2, .spare = 4 },
	[P] = { "p", "p", NULL, VALUE_FIXED, ROLE_INFO, IN_ALL, .decimals = 4, .spare = 3 },
	[Q] = { "q", NULL, NULL, VALUE_FIXED, ROLE_INFO, IN_CSV | IN_JSON, .decimals = 4 },
	[SIGNIFICANT] = { "significant", NULL, NULL, VALUE_FLAG, ROLE_INFO, IN_CSV | IN_JSON },
	[CHANGED] = { "changed", "changed", NULL, VALUE_TEXT, ROLE_INFO, IN_TEXT },
	[BEFORE_SAMPLES] = { "before_samples", NULL, NULL, VALUE_NUMBER, ROLE_SUM, IN_CSV | IN_JSON },
	[AFTER_SAMPLES] = { "after_samples", NULL, NULL, VALUE_NUMBER, ROLE_SUM, IN_CSV | IN_JSON },
	[WEIGHTED] = { "wdiff", "wdiff", NULL, VALUE_CHANGE, ROLE_INFO, IN_ALL },
	[RANK] = { "rank", NULL, NULL, VALUE_NUMBER, ROLE_SUM, .in = 0 },
	[NUMBER] = { "number", NULL, NULL, VALUE_NUMBER, ROLE_KEY, .in = 0 }, /* names of two rows may be the same: one of the kernel, one not */
};

static bool is_number(enum report_column key)
{
	return key == KEY_PID || key == KEY_TID || key == KEY_CPU;
}

/* The keys of the layout, then these. */
static size_t make_columns(const struct diff_options *o, const struct report_layout *l, struct column columns[ROW_COLUMNS_MAX])
{
	for (uint32_t i = 0; i < l->nr_keys; i++) {
		const struct report_column_row *c = &report_columns[l->keys[i]];

		columns[i] = (struct column){ c->name, c->heading, NULL, VALUE_TEXT, ROLE_KEY, .in = IN_ALL };
		if (is_number(l->keys[i])) {
			columns[i].kind = VALUE_SIGNED;
			columns[i].heading = NULL; /* report's is of a number and a name */
		}
	}
	memcpy(&columns[l->nr_keys], value_columns, sizeof(value_columns));
	if (o->order != DIFF_BY_WDIFF)
		columns[l->nr_keys + WEIGHTED].in = 0;
	return l->nr_keys + NR_VALUES;
}

uint64_t diff_fixed(double x)
{
	return (uint64_t)llround(fmax(fmin(x * VALUE_ONE, DIFF_FIXED_MAX), -DIFF_FIXED_MAX));
}

/* rank: more for a row that comes before */
static void fill_values(const struct diff *d, size_t number, size_t rank, struct value *v)
{
	const struct diff_row *r = &d->rows[number];

	v[BEFORE].num = diff_fixed(r->before * 100);
	v[AFTER].num = diff_fixed(r->after * 100);
	v[DELTA].num = diff_fixed((r->after - r->before) * 100);
	v[RATIO].num = diff_fixed(diff_ratio(r));
	v[P].num = diff_fixed(r->p);
	v[Q].num = diff_fixed(r->q);
	v[SIGNIFICANT].num = r->q < DIFF_SIGNIFICANT;
	v[CHANGED].text = r->q < DIFF_SIGNIFICANT ? "yes" : "";
	v[BEFORE_SAMPLES].num = r->before_count;
	v[AFTER_SAMPLES].num = r->after_count;
	v[WEIGHTED].num = diff_fixed(diff_weighted(d->o, r));
	v[RANK].num = rank;
	v[NUMBER].num = number;
}

static int rank_cmp(const void *a, const void *b, void *arg)
{
	const struct diff *d = arg;
	double x = diff_rank(d->o, &d->rows[*(const size_t *)a]), y = diff_rank(d->o, &d->rows[*(const size_t *)b]);

	return x > y ? -1 : x < y;
}

/* The numbers of all rows in their order; the caller frees them. NULL: no memory. */
static size_t *in_order(struct diff *d)
{
	size_t *order = calloc(d->table.rows.n + 1, sizeof(*order));

	for (size_t i = 0; order && i < d->table.rows.n; i++)
		order[i] = i;
	if (order)
		qsort_r(order, d->table.rows.n, sizeof(*order), rank_cmp, d);
	return order;
}

/* Returns bits of those that are not known. texts: room for one of each key. */
static uint64_t fill_keys(const struct diff *d, const struct report_row *r, char (*texts)[CELL_BYTES], struct value *values)
{
	const struct report_layout *l = &d->table.layout;
	uint64_t none = 0;

	for (uint32_t k = 0; k < l->nr_keys; k++) {
		int64_t number = 0;

		if (is_number(l->keys[k])) {
			none |= cell_number(r, l->keys[k], &number) ? 0 : 1ull << k;
			values[k].num = (uint64_t)number;
		} else {
			cell_plain(texts[k], sizeof(texts[k]), &d->table, r, l->keys[k], &d->cfg);
			values[k].text = texts[k];
		}
	}
	return none;
}

/* To the run's table. */
static int deliver(void *arg, struct run *run, struct err *err)
{
	struct diff *d = arg;
	uint32_t nr_keys = d->table.layout.nr_keys;
	struct value values[ROW_COLUMNS_MAX];
	char (*texts)[CELL_BYTES] = calloc(nr_keys + 1, sizeof(*texts));
	size_t *order = in_order(d), n = d->table.rows.n;
	int ret = texts && order ? 0 : -ENOMEM;

	for (size_t at = 0; at < n && !ret; at++) {
		size_t i = order[at];
		const struct diff_row *r = &d->rows[i];
		struct row row = { .schema = run->cfg->schema, .values = values };

		if (!r->before_count && !r->after_count)
			continue;
		row.none = fill_keys(d, &d->table.rows.data[i], texts, values);
		fill_values(d, i, n - at, &values[nr_keys]);
		if (!r->before_count)
			row.none |= 1ull << (nr_keys + RATIO);
		if (fabs(diff_weighted(d->o, r)) * VALUE_ONE >= DIFF_FIXED_MAX)
			row.none |= 1ull << (nr_keys + WEIGHTED);
		ret = run->sink.row(&run->sink, &row);
	}
	free(order);
	free(texts);
	run->profile = d->profile;
	return ret ? err_set(err, ret, "out of memory") : 0;
}

static int print(struct diff *d, struct err *err)
{
	struct column columns[ROW_COLUMNS_MAX];
	const uint32_t nr_keys = d->table.layout.nr_keys;
	struct schema schema = { columns, make_columns(d->o, &d->table.layout, columns), -1, .sort = (int8_t)(nr_keys + RANK) };
	const struct view_options *o = &d->o->view;
	struct run_cfg cfg = { .schema = &schema, .keys = ((1ull << nr_keys) - 1) | 1ull << (nr_keys + NUMBER), .sort = schema.sort,
			       .format = d->rows_format, .fields = o->fields, .filter = o->filter, .out = o->out ? o->out : "-",
			       .top = o->top };
	struct run run = { 0 };
	int ret = run_open(&run, &cfg, err);

	run.view.sort = (int)nr_keys + DELTA; /* which a narrow terminal keeps */
	if (!ret)
		ret = run_file(&run, deliver, d, err);
	ret = run_close(&run, ret, err);
	return ret ? ret : run_end(&run, &d->o->h, 0, err);
}

uint64_t diff_weight_after(const struct diff *d)
{
	return d->table.group.wholes[d->nr_before] * (d->nr_paths - d->nr_before);
}

/* The ledger comes after the screen. */
static int show(struct diff *d, struct err *err)
{
	int ret;

	d->profile.weight = diff_weight_after(d);
	ret = diff_screen(d, err);
	if (ret)
		return ret;
	honesty_print(&d->o->h, &d->profile);
	return honesty_exit(&d->o->h, &d->profile, 0, err);
}

/* The rows that --fail-above is about: the exit code. */
static int judge(const struct diff *d, struct err *err)
{
	size_t nr = 0, worst = 0;
	char text[CELL_BYTES];

	for (size_t i = 0; i < d->table.rows.n; i++) {
		const struct diff_row *r = &d->rows[i];

		if ((r->after - r->before) * 100 <= d->o->fail_above || r->q >= DIFF_SIGNIFICANT)
			continue;
		worst = !nr++ || r->after - r->before > d->rows[worst].after - d->rows[worst].before ? i : worst;
	}
	if (!nr)
		return 0;
	cell_plain(text, sizeof(text), &d->table, &d->table.rows.data[worst], d->table.layout.keys[d->table.layout.nr_keys - 1], &d->cfg);
	return err_set(err, -EDOM, "%zu row%s grew by more than %g points, most of all %s: from %.2f %% to %.2f %%", nr, nr == 1 ? "" : "s",
		       d->o->fail_above, text, d->rows[worst].before * 100, d->rows[worst].after * 100);
}

/* Keys that samples of any file have a value for. */
#define KEYS_HERE (KEY_BIT(KEY_COMM) | KEY_BIT(KEY_PID) | KEY_BIT(KEY_TID) | KEY_BIT(KEY_CPU) | KEY_BIT(KEY_DSO) | KEY_BIT(KEY_SYM) | \
		   KEY_BIT(KEY_SRCLINE) | KEY_BIT(KEY_SRCFILE) | LABEL_KEYS)

static int check_keys(const struct report_layout *l, struct err *err)
{
	enum report_column other = report_layout_other(l, KEYS_HERE);

	return other == KEY_MAX ? 0 : err_exit(err, -EINVAL, EXIT_USAGE,
					       "sort key '%s' is not one of skep diff (comm, pid, tid, cpu, dso, sym, srcline, srcfile; of a store " SAMPLE_LABELS_LISTED ")",
					       report_columns[other].name);
}

static int begin(struct diff *d, char **operands, struct err *err)
{
	int ret = diff_take_files(d, operands, err);

	d->o->request.short_objects = true; /* two builds lie in two folders */
	if (!ret)
		ret = diff_find_format(d, err);
	if (!ret)
		ret = report_init(&d->table, &d->o->request, err);
	if (!ret)
		ret = check_keys(&d->table.layout, err);
	if (ret)
		return ret;
	d->pool = strpool_new();
	if (!d->pool || tree_init(&d->trees[0]) || tree_init(&d->trees[1]) || report_group(&d->table, d->nr_paths, NULL, 0))
		return err_set(err, -ENOMEM, "out of memory");
	return 0;
}

static int diff_run(void *cfg, char **operands, struct err *err)
{
	struct diff_options *o = cfg;
	const char *paths[DIFF_FILES_MAX];
	struct diff d = { .o = o, .paths = paths, .profile.title = command_line() };
	int ret = begin(&d, operands, err);
	bool counts = !ret && !o->store.path && diff_is_counts(&d);

	if (counts)
		ret = diff_counts(&d, err);
	else if (!ret)
		ret = read_files(&d, err);
	d.event_names[0] = d.event;
	d.cfg = (struct report_cfg){ .event_names = d.event_names };
	if (!ret && !counts)
		ret = d.picture ? diff_picture(&d, err) : diff_has_screen(o) ? show(&d, err) : print(&d, err);
	if (!ret && o->fails && !counts)
		ret = judge(&d, err);
	free(d.rows);
	free(d.place);
	tree_free(&d.trees[0]);
	tree_free(&d.trees[1]);
	report_free(&d.table);
	strpool_free(d.pool);
	store_options_free(&o->store);
	free(o->against_words);
	return ret;
}

const struct cmd cmd_diff = {
	.name = "diff",
	.summary = "show what has changed between recordings, and whether it may be chance",
	.operands = "[BEFORE AFTER | BEFORE... -- AFTER...]",
	.groups = diff_groups,
	.cfg_size = sizeof(struct diff_options),
	.examples = "skep diff                                   perf.data.old and perf.data\n"
		    "skep diff -s sym perf.data.old perf.data    by function\n"
		    "skep diff old*.data -- new*.data            several runs on each side\n"
		    "skep diff --fail-above 2 old.data new.data  1 if a share grew by more than 2 points\n",
	.run = diff_run,
};
