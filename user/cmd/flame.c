/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* skep flame: samples, live or from a file, to a flame graph. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/annotation.h"
#include "cmd/cgroupnames.h"
#include "cmd/cmd.h"
#include "cmd/live.h"
#include "cmd/measure.h"
#include "cmd/nothing.h"
#include "cmd/offcpu.h"
#include "cmd/pprofout.h"
#include "cmd/replay.h"
#include "cmd/storespan.h"
#include "cmd/viewerout.h"
#include "model/samplekey.h"
#include "render/rows/report.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/outfile.h"
#include "util/text.h"

#define DEFAULT_OUT "flame.html"
#define BY_BYTES 128
static const struct report_request top_request = { .sort = "dso,sym" }; /* of --top */

struct flame {
	struct measure m;
	struct offcpu off;
	struct offcpu_cfg off_cfg;
	struct honesty h;
	const char *out, *format, *input, *event_index, *by;
	enum fold_root root;
	uint32_t labels; /* below it: 1 << enum sample_label */
	bool inlines, addresses, icicle;
	uint64_t top;
	struct replay replay; /* with -i */
	struct slices slices; /* of a live run that becomes a page */
	bool is_page;	      /* HTML, which has all events of a file, and what threads have of it */
	struct annotation annotation; /* its function: --annotate */
	struct out_format out_format;
	struct pprof_out pprof;
	struct cgroup_names cgroups; /* of a file, for its labels */
	char cpu[16];		     /* likewise, of a sample */
	struct viewer_out viewer;
	struct picture *pic; /* of what the viewer gets */
	struct store_options store;
};

/* Of one word of --by. False: there is none such. */
static bool take_by(struct flame *f, const char *word)
{
	static const char *const roots[] = { [ROOT_COMM] = "comm", [ROOT_PID] = "pid", [ROOT_TID] = "tid", [ROOT_NONE] = "none" };

	for (int i = 0; i <= ROOT_NONE; i++) {
		if (strcmp(word, roots[i]))
			continue;
		f->root = (enum fold_root)i;
		return true;
	}
	for (int i = 0; i < LABEL_MAX; i++) {
		if (strcmp(word, sample_label_name((enum sample_label)i)))
			continue;
		f->labels |= 1u << i;
		return true;
	}
	return false;
}

static int set_by(void *base, const char *text, struct err *err)
{
	struct flame *f = base;
	char words[BY_BYTES], *next = NULL;
	bool known = strlen(text) < sizeof(words);

	f->by = text;
	f->labels = 0;
	f->root = ROOT_NONE; /* labels alone stand alone */
	snprintf(words, sizeof(words), "%s", text);
	for (char *word = strtok_r(words, ",", &next); word && known; word = strtok_r(NULL, ",", &next))
		known = take_by(f, word);
	if (known && *text)
		return 0;
	return err_exit(err, -EINVAL, EXIT_USAGE, "bad value '%s' of '--by': expected comm, pid, tid or none; of a store also " SAMPLE_LABELS_LISTED,
			text);
}

static const struct opt flame_opts[] = {
	{ 'o', "output", "FILE", OPT_TEXT, offsetof(struct flame, out),
	  "picture to write: X.html, X.svg, X.folded, X.json; for viewers X.pb.gz (pprof), X.speedscope.json, X.firefox.json, X.chrome.json, X.pftrace, .gz after them; - is standard output (default: " DEFAULT_OUT ")" },
	{ 0, "format", "FORMAT", OPT_TEXT, offsetof(struct flame, format),
	  "html, svg, folded, json; for viewers pprof, speedscope, firefox (or gecko), chrome, perfetto (default: by the file's name)", .values = OUT_FORMATS },
	{ 'i', "input", "FILE", OPT_TEXT, offsetof(struct flame, input), "draw a perf.data file instead of sampling" },
	{ 0, "event-index", "N", OPT_TEXT, offsetof(struct flame, event_index),
	  "with -i: which event of the file, counted from 0 (default: the first that has samples; HTML: all, as tabs)" },
	{ 0, "by", "KEY,...", OPT_CALL, 0, "bottom frames of the stacks: comm (default), pid, tid or none; of a store also " SAMPLE_LABELS_LISTED ", which stand below it (unit,comm)",
	  set_by },
	{ 0, "inline", NULL, OPT_FLAG, offsetof(struct flame, inlines), "show inlined functions and source lines (needs debug information; slower)" },
	{ 0, "addresses", NULL, OPT_FLAG, offsetof(struct flame, addresses), "what has no symbol by its address, not by where its function begins" },
	{ 0, "icicle", NULL, OPT_FLAG, offsetof(struct flame, icicle), "draw roots at the top" },
	{ 0, "top", "N", OPT_U64, offsetof(struct flame, top), "also print the N heaviest functions" },
	{ 0, "annotate", "FUNCTION", OPT_TEXT, offsetof(struct flame, annotation.function),
	  "also print this function's instructions with the samples on each, as skep annotate does" },
	{ 0 },
};

static const struct opt_rule flame_rules[] = {
	{ "input", .not_with = OPT_COMMAND },
	{ "input", .not_with = "event", .hint = "--event-index N chooses an event of the file" },
	{ "input|store", .not_with = MEASURE_WORDS "|off-part|wakers" },
	{ "store", .not_with = "input|event|annotate|off-cpu|wall|" OPT_COMMAND },
	{ "event-index", .needs = "input" },
	{ "event-index", .not_with = "off-cpu|wall" },
	{ "annotate", .not_with = "off-cpu|wall" },
	{ 0 },
};

static const struct opt_group flame_groups[] = {
	{ "Output", flame_opts, 0, flame_rules },
	{ "Store", store_opts, offsetof(struct flame, store), store_rules },
	{ "Target", target_opts, offsetof(struct flame, m.target), target_rules },
	{ "Sampling", measure_opts, offsetof(struct flame, m), measure_rules },
	{ "Stacks", walk_opts, offsetof(struct flame, m.walks) },
	{ "Off the CPUs", offcpu_opts, offsetof(struct flame, off), offcpu_rules },
	{ "Honesty", honesty_opts, offsetof(struct flame, h) },
	{ 0 },
};

/* The format by --format, else by the file's ending. */
static int pick_format(struct flame *f, struct err *err)
{
	if (!f->out)
		f->out = f->format ? "-" : DEFAULT_OUT;
	if (!out_format_find(f->format, f->out, &f->out_format)) {
		err_exit(err, -EINVAL, EXIT_USAGE, "unknown format of '%s'", f->out);
		err_hint(err, "use a name that ends in " OUT_ENDINGS ", or give --format");
		return -EINVAL;
	}
	f->viewer.format = f->out_format;
	if (f->out_format.viewer && (f->by || f->off.wakers)) {
		err_exit(err, -EINVAL, EXIT_USAGE, "--%s is not available with --format %s, which has the stacks of each thread by themselves",
			 f->by ? "by" : "wakers", f->out_format.viewer->name);
		err_hint(err, "they are for pictures: -o X.html");
		return -EINVAL;
	}
	return 0;
}

/* When the first sample was taken; 0: not known. */
static uint64_t wall_start_ns(const struct flame *f, const struct fold_view *v)
{
	const struct data_meta *meta = f->input ? data_reader_meta(f->replay.file.reader) : NULL;

	if (!meta)
		return clock_ns(CLOCK_REALTIME) - v->profile->duration_ns;
	return meta->has_wall && v->first_ns ? v->first_ns + (uint64_t)meta->wall_ns : 0;
}

/* What is written is of one event of a file, or of all. */
static struct profile *shown(struct flame *f, const struct fold_view *v)
{
	return f->input && f->out_format.viewer && f->replay.views.n > 1 ? &f->replay.total : v->profile;
}

/* All views of a file, the one that others would draw first; of a live run its only one. NULL: no memory. */
static struct flame_page *page_views(struct flame *f, const struct fold_view *v, uint32_t *ret_nr)
{
	uint32_t nr = f->input ? (uint32_t)f->replay.views.n : 1;
	struct flame_page *pages = calloc(nr, sizeof(*pages));

	if (!pages)
		return NULL;
	for (uint32_t i = 0; i < nr; i++) {
		const struct fold_view *at = f->input ? &f->replay.views.data[i]->at : v;

		pages[i] = (struct flame_page){ .tree = at->tree, .profile = at->profile, .slices = at->slices, .event = -1 };
		if (nr > 1 || (f->input && (f->event_index || f->off.off_cpu))) /* -o X.html draws the first, if no other is chosen */
			pages[i].event = f->replay.views.data[i]->event;
		tree_end(at->tree, 0);
	}
	*ret_nr = nr;
	return pages;
}

#define PAGE_OPTIONS 5

/* What makes the picture of a file, but for the event, which each view has. The list ends with NULL. */
static void page_options(const struct flame *f, const char *ret_options[PAGE_OPTIONS + 1])
{
	const struct {
		const char *option;
		bool is_set;
	} all[PAGE_OPTIONS] = {
		{ "--wall", f->off.wall }, { "--inline", f->inlines }, { "--addresses", f->addresses },
		{ "--no-kernel", f->m.no_kernel }, { "--no-user", f->m.no_user },
	};
	int n = 0;

	for (int i = 0; i < PAGE_OPTIONS; i++)
		if (all[i].is_set)
			ret_options[n++] = all[i].option;
	ret_options[n] = NULL;
}

static int render(struct flame *f, FILE *out, const struct fold_view *v)
{
	const char *options[PAGE_OPTIONS + 1];
	struct flame_cfg cfg = { .icicle = f->icicle, .input = f->store.path ? NULL : f->input, .by = f->by, .options = options };
	struct flame_page *pages = NULL;
	int ret;

	tree_end(v->tree, 0);
	page_options(f, options);
	if (f->is_page) {
		pages = page_views(f, v, &cfg.nr_pages);
		if (!pages)
			return -ENOMEM;
		cfg.pages = pages;
	}
	ret = f->out_format.render(out, v->tree, v->profile, &cfg);
	free(pages);
	return ret;
}

static int write_format(struct flame *f, FILE *out, const struct fold_view *v, struct profile *p)
{

	if (f->out_format.viewer)
		return viewer_out_end(&f->viewer, p);
	if (!f->out_format.render)
		return pprof_out_write(&f->pprof, v, p, wall_start_ns(f, v), out);
	return render(f, out, v);
}

static int write_picture(struct flame *f, struct outfile *out, const struct fold_view *v, struct err *err)
{
	struct profile *p = shown(f, v);
	int64_t bytes;
	int ret = write_format(f, out->stream, v, p);

	if (ret < 0 && !ferror(out->stream)) {
		err_set(err, ret, "cannot draw: %s", strerror(-ret));
		viewer_out_why(&f->viewer, err);
		return ret;
	}
	bytes = outfile_commit(out, err);
	if (bytes < 0)
		return bytes;
	p->receipt.bytes_out = bytes;
	if (strcmp(f->out, "-") && f->out_format.viewer)
		log_note("wrote %s: %llu samples", f->out, (unsigned long long)p->kept);
	else if (strcmp(f->out, "-"))
		log_note("wrote %s: %llu samples of %s, %zu %s", f->out, (unsigned long long)p->kept, p->event,
			 v->tree ? v->tree->nodes.n - 1 : pprof_out_stacks(&f->pprof, v), v->tree ? "frames" : "stacks");
	return 0;
}

static int print_top(const struct flame *f, const struct fold_view *v)
{
	struct report_cfg cfg = { 0 };
	const struct report_limits limits = { .max = f->top, .self_only = true };
	FILE *out = strcmp(f->out, "-") ? stdout : stderr;
	int ret;

	report_sort(v->table);
	report_cut(v->table, &limits);
	ret = render_report_text(out, v->table, v->profile, &cfg);
	return ferror(out) ? 0 : ret; /* main reports a failed stdout */
}

static int print_annotation(struct flame *f, const struct fold_view *v, struct err *err)
{
	const struct replay *r = &f->replay;
	struct annotation_series series = { .at = v, .event = v->profile->event };

	annotation_note_skid(f->input ? &data_reader_meta(r->file.reader)->events[r->views.data[0]->event] : &f->m.events[0], series.event, v->profile);
	f->annotation.look.source = true;
	return annotation_print(&f->annotation, annotate_format("text"), &series, 1, v->profile, strcmp(f->out, "-") ? stdout : stderr, err);
}

/* One picture shows one event, or those that add up: which one, and what else there is. */
static void note_choice(const struct replay *r, bool is_page)
{
	const struct replay_view *v = r->views.data[0];
	const struct data_meta *meta = data_reader_meta(r->file.reader);
	char others[256] = "";
	size_t n = 0;

	for (size_t i = 1; i < r->views.n && n < sizeof(others); i++)
		n += snprintf(others + n, sizeof(others) - n, "%s%d '%s' (%llu samples)", n ? ", " : "", r->views.data[i]->event,
			      meta->events[r->views.data[i]->event].name, (unsigned long long)r->views.data[i]->at.folded);
	if (v->nr_events > 1)
		log_note("note: %d events of the same kind are drawn together: %s", v->nr_events, v->name);
	if (!n)
		return;
	if (is_page) {
		log_note("note: '%s' has samples of %zu events: each is a tab of the page", r->path, r->views.n);
		return;
	}
	log_note("note: '%s' has samples of %zu events; this picture shows number %d: '%s' (%llu samples)", r->path, r->views.n, v->event, v->name,
		 (unsigned long long)v->at.folded);
	log_note("hint: --event-index N draws another: %s", others);
}

static int add_to_viewer(void *arg, const struct fold_view *view, const struct named *named)
{
	struct flame *f = arg;

	(void)view;
	f->viewer.syms = f->pic->names.syms;
	return viewer_out_sample(&f->viewer, named, named->stack->n);
}

/* Samples one by one, in the order of time: none is summed, or waits for the name of its thread. */
static int open_viewer(void *arg, struct data_reader *reader, struct err *err)
{
	struct flame *f = arg;
	const struct data_meta *meta = data_reader_meta(reader);

	f->viewer.reader = reader;
	f->viewer.events = meta->events;
	f->viewer.nr_events = meta->nr_events;
	f->replay.pic->names.may_sum = f->replay.pic->names.may_hold = false;
	if (!data_reader_summed(reader) || !f->out_format.viewer->needs_time)
		return 0;
	err_exit(err, -EINVAL, EXIT_USAGE, "'%s' has sums of stacks, without the times that --format %s shows", f->input, f->out_format.viewer->name);
	err_hint(err, "--format speedscope and firefox show sums, too");
	return -EINVAL;
}

/* Of a file each sample has what it was recorded with. */
static int label_recorded(void *arg, const struct named *named, struct pprof_label *ret_labels)
{
	struct flame *f = arg;
	const struct sample *s = named->at;
	uint64_t id = sample_key_value(KEY_CGROUP, s);
	const char *cgroup = id ? cgroup_names_find(&f->cgroups, id) : NULL;
	int n = 0;

	ret_labels[n++] = (struct pprof_label){ .key = "comm", .text = named->comm };
	ret_labels[n++] = (struct pprof_label){ .key = "pid", .num = s->pid };
	ret_labels[n++] = (struct pprof_label){ .key = "tid", .num = s->tid };
	if (s->cpu != UINT32_MAX) { /* as text: the form has no number 0 */
		snprintf(f->cpu, sizeof(f->cpu), "%u", s->cpu);
		ret_labels[n++] = (struct pprof_label){ .key = "cpu", .text = f->cpu };
	}
	if (cgroup)
		ret_labels[n++] = (struct pprof_label){ .key = "cgroup", .text = cgroup };
	return n;
}

static int gather_file(struct flame *f, struct picture *pic, struct syms_cfg *syms_cfg, struct err *err)
{
	struct replay *r = &f->replay;
	int ret;

	r->pic = pic;
	r->path = f->input;
	r->request = f->top ? &top_request : NULL;
	r->trees = !!f->out_format.render;
	r->slices = f->is_page;
	r->add_up = true;
	pic->names.may_sum = !f->annotation.function && !f->is_page;
	if (f->pprof.pic && !f->by) {
		pic->names.may_sum = false;
		f->pprof.label = label_recorded;
		f->pprof.label_arg = f;
		r->watch = cgroup_names_watch;
		r->watch_arg = &f->cgroups;
	}
	if (f->out_format.viewer) {
		r->opened = open_viewer;
		r->opened_arg = f;
	}
	ret = replay_run(r, syms_cfg, err);
	for (size_t i = 0; i < r->views.n && f->store.path; i++)
		r->views.data[i]->profile.title = command_line(); /* a store has no command of its own */
	if (!ret && !f->out_format.viewer)
		note_choice(r, f->is_page);
	return ret;
}

/* Fills a view from a file or a live run. */
static int gather(struct flame *f, struct picture *pic, const struct fold_view **ret_view, int *status, struct err *err)
{
	struct syms_cfg syms_cfg = { .lines = f->inlines, .inlines = f->inlines, .addresses = f->addresses, .code = f->annotation.function, .build_ids = !f->out_format.render, .servers = SERVERS_WAIT };
	/* a page tells threads that sleep from those that work */
	struct sample_cfg cfg = { .aggregate = !f->out_format.viewer, .by_tid = pic->fold.root == ROOT_TID || (f->is_page && f->m.offcpu), .bpf_stats = f->h.receipt };
	int ret;

	*ret_view = &pic->fold.view;
	if (f->input) {
		ret = gather_file(f, pic, &syms_cfg, err);
		if (!ret)
			*ret_view = &f->replay.views.data[0]->at;
		return ret;
	}
	if (f->off.wall)
		pic->names.off_event = f->off_cfg.event;
	if (f->out_format.viewer) {
		syms_cfg.exited_max = SYMS_STREAM_EXITED;
		f->viewer.events = f->m.events;
		f->viewer.nr_events = f->m.nr_events;
	}
	return live_run(&f->m, &cfg, &syms_cfg, pic, status, err);
}

static int flame_into(struct flame *f, struct picture *pic, struct outfile *out, struct err *err)
{
	const struct fold_view *v;
	int status = 0, ret;

	ret = gather(f, pic, &v, &status, err);
	if (ret)
		viewer_out_why(&f->viewer, err);
	if (!ret && !shown(f, v)->kept)
		ret = nothing_sampled(shown(f, v), f->input, status, err);
	if (!ret)
		ret = write_picture(f, out, v, err);
	if (!ret && f->top)
		ret = print_top(f, v);
	if (!ret && f->annotation.function)
		ret = print_annotation(f, v, err);
	if (!ret)
		honesty_print(&f->h, shown(f, v));
	if (!ret)
		ret = honesty_exit(&f->h, shown(f, v), status, err);
	viewer_out_free(&f->viewer); /* what it borrows is the file's */
	replay_close(&f->replay);
	return ret;
}

static int check_input(struct flame *f, struct err *err)
{
	if (same_file(f->input, f->out))
		return err_exit(err, -EINVAL, EXIT_USAGE, "-o '%s' would overwrite the file that -i reads", f->out);
	return f->event_index ? replay_event_index(f->event_index, &f->replay.event, err) : 0;
}

static int check_live(struct flame *f, char **operands, struct err *err)
{
	int ret;

	if (f->labels) {
		err_exit(err, -EINVAL, EXIT_USAGE, "--by: host, unit, container, container_name, image, exe and build_id are labels of a store");
		err_hint(err, "skep agent keeps one; then --store DIR");
		return -EINVAL;
	}
	offcpu_measure(&f->off, &f->m, &f->off_cfg);
	ret = measure_check(&f->m, operands, err);
	if (ret)
		return ret;
	if (f->m.walks.call_graph == CALL_GRAPH_NONE)
		return err_exit(err, -EINVAL, EXIT_USAGE, "--call-graph none leaves nothing to draw");
	if (f->m.nr_events > 1 && !f->m.offcpu) {
		err_exit(err, -EINVAL, EXIT_USAGE, "flame draws one event, not %d", f->m.nr_events);
		err_hint(err, "skep record -e %s, then skep flame -i perf.data --event-index N", f->m.event_text);
		return -EINVAL;
	}
	return 0;
}

static int flame_with(struct flame *f, struct picture *pic, struct err *err)
{
	struct profile p = { 0 };
	struct report table = { 0 };
	struct tree tree = { 0 };
	struct outfile out;
	int ret;

	ret = outfile_open(&out, f->out, err);
	if (ret)
		return ret;
	out.keep_old = true;
	ret = tree_init(&tree) ? err_set(err, -ENOMEM, "out of memory") : 0; /* it stays empty where stacks are wanted */
	if (!ret && f->top)
		ret = report_init(&table, &top_request, err);
	slices_init(&f->slices);
	pic->fold.view = (struct fold_view){ .profile = &p, .tree = f->out_format.render ? &tree : NULL, .table = f->top ? &table : NULL,
					     .slices = f->is_page ? &f->slices : NULL };
	pic->fold.root = f->root;
	pic->fold.labels = f->replay.file.labels = f->labels;
	pic->names.no_kernel = f->m.no_kernel;
	pic->names.no_user = f->m.no_user;
	if (!ret && f->annotation.function)
		ret = annotation_begin(&f->annotation, pic, err);
	if (f->out_format.viewer) {
		f->pic = pic;
		f->viewer.to = out.stream;
		pic->fold.also = add_to_viewer;
		pic->fold.also_arg = f;
	} else if (!f->out_format.render) {
		pprof_out_begin(&f->pprof, pic);
	}
	if (!ret)
		ret = flame_into(f, pic, &out, err);
	outfile_abort(&out);
	report_free(&table);
	tree_free(&tree);
	slices_free(&f->slices);
	cgroup_names_free(&f->cgroups);
	return ret;
}

static int flame_run(void *cfg, char **operands, struct err *err)
{
	struct flame *f = cfg;
	struct picture *pic;
	int ret = pick_format(f, err);

	if (ret)
		return ret;
	f->replay.file.needs_pid = f->root == ROOT_PID;
	f->replay.file.needs_tid = f->root == ROOT_TID;
	f->is_page = f->out_format.render == render_html;
	pic = picture_new(NULL);
	if (!pic)
		return err_set(err, -ENOMEM, "out of memory");
	f->replay.event = f->off.wall ? REPLAY_WALL : f->off.off_cpu ? REPLAY_OFFCPU : REPLAY_EACH;
	ret = store_options_end(&f->store, err);
	if (f->store.path) {
		f->input = f->store.path;
		f->replay.file.span = &f->store.span;
	}
	if (!ret)
		ret = f->input ? check_input(f, err) : check_live(f, operands, err);
	if (!ret)
		ret = flame_with(f, pic, err);
	annotation_free(&f->annotation);
	store_options_free(&f->store);
	pprof_out_free(&f->pprof);
	picture_free(pic);
	measure_free(&f->m);
	return ret;
}

const struct cmd cmd_flame = {
	.name = "flame",
	.summary = "draw where time goes, on the CPUs or off them, as a flame graph",
	.operands = "[COMMAND [ARG...]]",
	.groups = flame_groups,
	.cfg_size = sizeof(struct flame),
	.examples = "skep flame -a --duration 5             whole machine, 5 seconds\n"
		    "skep flame -o make.svg -- make -j4     a command and its children\n"
		    "skep flame -p 1234 -- sleep 10         a process, for 10 seconds\n"
		    "skep flame --off-cpu -p 1234 -- sleep 10    where it waits, and for how long\n"
		    "skep flame --wall -o wall.html -- make    all of its time: running, waiting, blocked\n"
		    "skep flame --annotate hot -o hot.html -- make    and where in the function hot\n"
		    "skep flame -i perf.data -o out.folded  a file of skep record or perf record\n",
	.run = flame_run,
};
