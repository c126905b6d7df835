/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The command line of skep diff: its options, and which files are before and after the change. */
#include <errno.h>
#include <string.h>

#include "cmd/diff.h"
#include "util/clock.h"
#include "util/num.h"

#define WDIFF "wdiff:"
#define WEIGHT_MAX 1e9

/* "2,1" */
static int set_weights(struct diff_options *o, const char *text)
{
	const char *comma = strchr(text, ',');
	char first[32];

	if (!comma || (size_t)(comma - text) >= sizeof(first))
		return -EINVAL;
	memcpy(first, text, comma - text);
	first[comma - text] = '\0';
	o->order = DIFF_BY_WDIFF;
	return num_double(first, WEIGHT_MAX, &o->weights[0]) || num_double(comma + 1, WEIGHT_MAX, &o->weights[1]) ? -EINVAL : 0;
}

static int set_order(void *base, const char *text, struct err *err)
{
	static const char *const names[] = { "delta-abs", "delta", "ratio" };
	struct diff_options *o = base;

	for (int i = 0; i < DIFF_ORDERS; i++)
		if (!strcmp(text, names[i])) {
			o->order = i;
			return 0;
		}
	if (!strncmp(text, WDIFF, strlen(WDIFF)) && !set_weights(o, text + strlen(WDIFF)))
		return 0;
	return err_exit(err, -EINVAL, EXIT_USAGE, "bad value '%s' of '--compute': expected delta-abs, delta, ratio or " WDIFF "BEFORE,AFTER", text);
}

static int set_fail(void *base, const char *text, struct err *err)
{
	struct diff_options *o = base;
	int ret = num_double(text, WEIGHT_MAX, &o->fail_above); /* counts may grow by any percentage */

	o->fails = true;
	return ret ? err_exit(err, ret, EXIT_USAGE, "bad value '%s' of '--fail-above': expected 0 or more", text) : 0;
}

static int take_file(void *base, const char *text, struct err *err)
{
	struct diff_options *o = base;

	if (o->nr_files == DIFF_FILES_MAX)
		return err_exit(err, -E2BIG, EXIT_USAGE, "more than %d files", DIFF_FILES_MAX);
	o->files[o->nr_files++] = text;
	return 0;
}

static const struct opt diff_opts[] = {
	{ OPT_OPERAND, NULL, NULL, OPT_CALL, 0, NULL, take_file, true },
	{ 's', "sort", "KEY,...", OPT_TEXT, offsetof(struct diff_options, request.sort), "what rows are summed by: comm, pid, tid, cpu, dso, sym, srcline, srcfile (default: " REPORT_KEYS ")" },
	{ 'e', "event", "EVENT", OPT_TEXT, offsetof(struct diff_options, event), "this event (default: the first one of the first file)" },
	{ 'c', "compute", "WHAT", OPT_CALL, 0, "rows with the greatest delta-abs (default), delta, ratio, or wdiff:B,A (A times the period after, less B times that before) first", .set = set_order,
	  .values = "delta-abs|delta|ratio|wdiff:" },
	{ 0, "fail-above", "POINTS", OPT_CALL, 0, "exit code 1 if a row's share has grown by more than POINTS (a count: percent), and not by chance", .set = set_fail },
	{ 0, "percentage", "HOW", OPT_TEXT, offsetof(struct diff_options, percentage), "relative (default): of the samples that are shown; absolute: of all of the event",
	  .values = "relative|absolute" },
	{ 0, "top", "N", OPT_U64, offsetof(struct diff_options, view.top), "only the first N rows" },
	{ 'o', "output", "FILE", OPT_TEXT, offsetof(struct diff_options, view.out), "write to FILE instead of standard output; X.html, X.svg and X.folded are flame graphs, X.json, X.csv and X.txt rows" },
	{ 0, "json", NULL, OPT_FLAG, offsetof(struct diff_options, json), "as --format json" },
	{ 0, "against", "TIME", OPT_DURATION, offsetof(struct diff_options, against_ns),
	  "of the store: compare what is of --since with the same span, TIME earlier (24h: yesterday)" },
	{ 0, "against-label", "KEY[!]=PATTERN,...", OPT_TEXT, offsetof(struct diff_options, against_label),
	  "of the store: compare with what has these labels, as build_id=1f0e*, instead of those of --label" },
	{ 0, "format", "FORMAT", OPT_TEXT, offsetof(struct diff_options, view.format),
	  "text, csv or json (an object per line); or a flame graph of both sides: html, svg or folded (default: by the file's name, or text)",
	  .values = ROWS_FORMATS "|html|svg|folded" },
	{ 0, "fields", "COLUMN,...", OPT_TEXT, offsetof(struct diff_options, view.fields), "show these columns, in this order" },
	{ 0, "filter", "EXPR", OPT_TEXT, offsetof(struct diff_options, view.filter), "show the rows for which EXPR is true: 'COLUMN > 10ms && comm == \"x\"'" },
	{ 0, "stdio", NULL, OPT_FLAG, offsetof(struct diff_options, stdio), "text, also on a terminal, which gets a screen otherwise" },
	{ 0 },
};

static const struct opt_rule diff_rules[] = {
	{ "json", .not_with = "format" },
	{ "store", .not_with = OPT_COMMAND, .why = "it compares spans of the store" },
	{ "store", .needs = "against|against-label" },
	{ "against|against-label", .needs = "store" },
	{ "against", .needs = "since" },
	{ 0 },
};

const struct opt_group diff_groups[] = {
	{ "Rows", diff_opts, 0, diff_rules },
	{ "Store", store_opts, offsetof(struct diff_options, store), store_rules },
	{ "Samples", pick_diff_opts, offsetof(struct diff_options, pick) },
	{ "Names", symbol_opts, offsetof(struct diff_options, symbols), symbol_rules },
	{ "Honesty", honesty_opts, offsetof(struct diff_options, h) },
	{ 0 },
};

/* OLD NEW, OLD... -- NEW..., or perf's two files. after: what follows "--". */
static int take_paths(struct diff *d, char **after, struct err *err)
{
	static const char *const defaults[] = { "perf.data.old", "perf.data" };
	const struct diff_options *o = d->o;

	memcpy(d->paths, o->files, o->nr_files * sizeof(*d->paths));
	d->nr_paths = o->nr_files;
	if (*after && !d->nr_paths)
		return err_exit(err, -EINVAL, EXIT_USAGE, "no file before '--'");
	d->nr_before = *after ? d->nr_paths : 1;
	for (; *after; after++) {
		if (!strcmp(*after, "--"))
			return err_exit(err, -EINVAL, EXIT_USAGE, "only one '--' separates the files");
		if (**after == '-')
			return err_exit(err, -EINVAL, EXIT_USAGE, "'%s': options come before '--' (a file of that name is './%s')", *after, *after);
		if (d->nr_paths == DIFF_FILES_MAX)
			return err_exit(err, -E2BIG, EXIT_USAGE, "more than %d files", DIFF_FILES_MAX);
		d->paths[d->nr_paths++] = *after;
	}
	if (!d->nr_paths) {
		memcpy(d->paths, defaults, sizeof(defaults));
		d->nr_paths = 2;
	}
	if (d->nr_before < d->nr_paths && (d->nr_paths == 2 || d->nr_paths > o->nr_files))
		return 0;
	err_exit(err, -EINVAL, EXIT_USAGE, "%u file%s: two are compared", d->nr_paths, d->nr_paths == 1 ? "" : "s");
	err_hint(err, "skep diff BEFORE AFTER, or of several runs skep diff BEFORE... -- AFTER...");
	return -EINVAL;
}

/* Two spans of a store instead. */
static int take_spans(struct diff *d, struct err *err)
{
	struct store_options *s = &d->o->store;
	int ret = d->o->nr_files ? err_exit(err, -EINVAL, EXIT_USAGE, "--store excludes files: it compares spans of the store") : store_options_end(s, err);

	if (!ret && !s->span.until_s)
		s->span.until_s = clock_ns(CLOCK_REALTIME) / NS_PER_S;
	d->spans[0] = store_earlier(&s->span, d->o->against_ns / NS_PER_S);
	d->spans[1] = s->span;
	if (!ret && d->o->against_label)
		ret = store_labels(d->o->against_label, "against-label", &d->o->against_words, &d->spans[0], err);
	d->paths[0] = d->paths[1] = s->path;
	d->nr_paths = 2;
	d->nr_before = 1;
	return ret;
}

/* No file is written over, none counts twice on a side. */
static int check_paths(const struct diff *d, struct err *err)
{
	const char *out = d->o->view.out;

	for (uint32_t i = 0; i < d->nr_paths; i++) {
		if (out && same_file(d->paths[i], out))
			return err_exit(err, -EINVAL, EXIT_USAGE, "-o '%s' would overwrite a file that is compared", out);
		for (uint32_t k = i + 1; k < d->nr_paths; k++)
			if ((i < d->nr_before) == (k < d->nr_before) && same_file(d->paths[i], d->paths[k]))
				return err_exit(err, -EINVAL, EXIT_USAGE, "'%s' is given twice on one side: runs are files of their own", d->paths[k]);
	}
	return 0;
}

int diff_take_files(struct diff *d, char **operands, struct err *err)
{
	int ret = d->o->store.path ? take_spans(d, err) : take_paths(d, operands, err);

	return ret ? ret : check_paths(d, err);
}
