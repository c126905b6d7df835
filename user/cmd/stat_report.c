/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A file of skep stat record, or perf stat record: its counts are readings again, summed into the rows that the options choose. */
#include "cmd/stat_report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "cmd/stat_out.h"
#include "cmd/stat_rows.h"
#include "data/stat.h"
#include "render/rows/stat.h"
#include "util/vec.h"

struct counted_thread {
	uint32_t tid;
	char comm[COMM_LEN + 1];
};

struct stat_report {
	struct sink sink; /* takes no samples: such a file has none */
	struct stat_options *o;
	struct data_reader *reader;
	const struct data_meta *meta;
	struct counts counts;
	const char **missing;
	VEC(struct counted_thread) threads;
	struct stat_cfg view;
	struct stat_out out;
	char title[1024];
	uint64_t last_ns;	  /* of the interval before */
	uint64_t nr_rounds, nr_unknown;
	bool has_rows;		  /* counts are set up */
	bool has_head;
	int failed;
	struct err err; /* why a record failed */
};

static int keep_threads(struct stat_report *r, const struct stat_record *rec)
{
	for (size_t i = 0; i < rec->nr_threads; i++) {
		struct counted_thread *t = vec_take(&r->threads, 1);
		int64_t tid;

		if (!t)
			return -ENOMEM;
		tid = stat_thread(rec, i, t->comm);
		t->tid = tid > 0 && tid < UINT32_MAX ? (uint32_t)tid : 0;
	}
	return 0;
}

/* Which CPUs share a core is known of this machine alone. */
static int check_machine(const struct stat_report *r, struct err *err)
{
	const char *group = stat_group_option(r->o);
	struct utsname uts;

	if (!group || !r->meta->hostname || uname(&uts) || !strcmp(uts.nodename, r->meta->hostname))
		return 0;
	err_set(err, -EXDEV, "%s needs the machine that the file is of, whose CPUs are not described in it", group);
	err_hint(err, "-A has a row for each CPU");
	return -EXDEV;
}

/* As it was recorded, without an option. */
static int choose_rows(struct stat_report *r, const struct stat_config *cfg)
{
	struct stat_options *o = r->o;
	int ret;

	if (r->has_rows)
		return 0;
	if (!o->per_cpu && !o->per_thread && !stat_group_option(o)) {
		o->per_cpu = cfg->rows == STAT_ROWS_CPU;
		o->per_socket = cfg->rows == STAT_ROWS_SOCKET;
		o->per_die = cfg->rows == STAT_ROWS_DIE;
	}
	ret = check_machine(r, &r->err);
	if (ret)
		return ret;
	r->view.intervals = cfg->interval_ms;
	r->has_rows = true;
	return stat_rows_init(o, r->meta->events, r->meta->nr_events, &r->counts, &r->err);
}

/* Of a file without a configuration. */
static const struct stat_config plain_rows = { .rows = STAT_ROWS_ALL };

static int take_count(struct stat_report *r, const struct stat_count *c)
{
	int event = data_reader_event(r->reader, c->id), ret = choose_rows(r, &plain_rows);
	const struct counted_thread *t = c->thread < r->threads.n ? &r->threads.data[c->thread] : NULL;
	struct reading at = { .cpu = c->cpu, .tid = t ? t->tid : 0, .comm = t ? t->comm : NULL, .value = c->value,
			      .enabled_ns = c->enabled_ns, .running_ns = c->running_ns };

	if (ret)
		return ret;
	if (event < 0) {
		r->nr_unknown++;
		return 0;
	}
	at.event = event;
	r->missing[event] = NULL;
	return counts_add(&r->counts, &at);
}

static int print_round(struct stat_report *r, const struct stat_record *rec)
{
	int ret = choose_rows(r, &plain_rows);

	if (ret)
		return ret;
	r->nr_rounds++;
	if (rec->is_last)
		r->view.intervals = false;
	if (!r->has_head || rec->is_last)
		ret = render_stat_head(r->out.stream, &r->counts, &r->view);
	r->has_head = true;
	if (!ret)
		ret = render_stat_rows(r->out.stream, &r->counts, &r->view, (double)(rec->time_ns - r->last_ns), (double)rec->time_ns);
	if (rec->is_last)
		render_stat_foot(r->out.stream, &r->counts, &r->view, (double)rec->time_ns / 1e9, -1, -1);
	r->last_ns = rec->time_ns;
	counts_round(&r->counts);
	return ret;
}

static int take_record(void *arg, const struct data_record *record)
{
	struct stat_report *r = arg;
	struct stat_record rec;
	int ret = stat_record_parse(r->meta, record, &rec);

	if (ret)
		return ret;
	switch (rec.kind) {
	case STAT_THREADS:
		return keep_threads(r, &rec);
	case STAT_CONFIG:
		return choose_rows(r, &rec.config);
	case STAT_COUNT:
		return take_count(r, &rec.count);
	case STAT_ROUND:
		return print_round(r, &rec);
	case STAT_NOTHING:
		break;
	}
	return 0;
}

/* perf's: the command line that recorded, or 'pipe'. */
static void set_title(struct stat_report *r, bool is_stream)
{
	size_t n = snprintf(r->title, sizeof(r->title), "'%s", is_stream ? "pipe" : r->meta->argc ? "" : r->o->input);

	for (int i = 0; i < r->meta->argc && !is_stream && n < sizeof(r->title); i++)
		n += snprintf(r->title + n, sizeof(r->title) - n, "%s%s", i ? " " : "", r->meta->argv[i]);
	if (n < sizeof(r->title))
		snprintf(r->title + n, sizeof(r->title) - n, "'");
}

static int read_file(struct stat_report *r, struct err *err)
{
	int ret;

	r->meta = data_reader_meta(r->reader);
	r->missing = calloc((size_t)r->meta->nr_events + 1, sizeof(*r->missing));
	if (!r->missing)
		return err_set(err, -ENOMEM, "out of memory");
	for (int e = 0; e < r->meta->nr_events; e++)
		r->missing[e] = "<not supported>"; /* until it has a count: as in perf, what could not be counted has none */
	set_title(r, !strcmp(r->o->input, "-"));
	r->view = (struct stat_cfg){ .separator = r->o->separator, .json = r->o->json, .missing = r->missing, .title = r->title,
				     .plain = r->o->no_big_num, .metric_only = r->o->metric_only, .columns = stat_columns(r->o) };
	data_reader_watch(r->reader, take_record, r);
	ret = data_reader_run(r->reader, &r->sink, err);
	if (ret && r->err.text[0])
		*err = r->err;
	if (ret && !err->text[0])
		err_set(err, ret, "cannot show '%s': %s", r->o->input, ret == -EBADMSG ? "damaged record, or of the other byte order" : strerror(-ret));
	if (!ret && !r->nr_rounds && r->meta->truncated && r->meta->is_stat)
		return err_set(err, -ENODATA, "'%s' ends in the middle, before its counts are complete", r->o->input);
	if (!ret && !r->nr_rounds) {
		ret = err_set(err, -ENODATA, "'%s' has no counts", r->o->input);
		err_hint(err, "skep stat record makes such files; skep report shows samples");
	}
	return ret;
}

static int stat_report_run(void *cfg, char **operands, struct err *err)
{
	struct stat_options *o = cfg;
	struct stat_report *r = calloc(1, sizeof(*r));
	struct profile profile = { 0 };
	int ret;

	if (!r)
		return -ENOMEM;
	o->input = o->input ? o->input : "perf.data";
	r->o = o;
	if (operands[0])
		ret = err_exit(err, -EINVAL, EXIT_USAGE, "unexpected '%s': the file is that of -i", operands[0]);
	else if (o->separator && !*o->separator)
		ret = err_exit(err, -EINVAL, EXIT_USAGE, "-x needs a separator");
	else
		ret = data_reader_open(o->input, &r->reader, err);
	if (!ret)
		ret = stat_out_open(&r->out, o->out, false, false, err);
	if (!ret)
		ret = stat_out_close(&r->out, read_file(r, err), err);
	if (!ret) {
		profile.losses[LOSS_FILE_CUT] += r->meta->truncated;
		profile.losses[LOSS_FILE_DAMAGED] += r->meta->skipped + r->nr_unknown;
		honesty_print(&o->h, &profile);
		ret = honesty_exit(&o->h, &profile, 0, err);
	}
	if (r->has_rows)
		counts_free(&r->counts);
	vec_free(&r->threads);
	free(r->missing);
	data_reader_close(r->reader);
	free(r);
	return ret;
}

static const struct opt_other report_others[] = {
	{ "--td-level", "needs the formulas of each CPU model, which skep does not have", "perf stat report computes them" },
	{ 0 },
};

const struct cmd cmd_stat_report = {
	.name = "stat report",
	.summary = "the tables of a file of skep stat record or perf stat record",
	.operands = "",
	.groups = stat_report_groups,
	.cfg_size = sizeof(struct stat_options),
	.examples = "skep stat report -i counts.data\n"
		    "skep stat report -i counts.data --per-core\n"
		    "skep stat report -i counts.data -j -o a.json\n",
	.run = stat_report_run,
	.others = report_others,
};
